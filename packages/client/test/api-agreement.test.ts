import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { endpoints } from '@morsel/api/endpoints.ts';
import { contractFile, contractSource } from '../contract.ts';
import type * as api from '../src/contract.ts';
import { isFinal } from '../src/index.ts';
import type * as client from '../src/index.ts';

/* The client has some types of its own for types of the contract; here the compiler compares them. */

it('the contract of the sources is current', () => {
  assert.equal(readFileSync(contractFile, 'utf8'), contractSource(), 'run `npm run reference`, and commit the file');
});

// The result of a call is the answer of the contract, with the members that the client adds.
type Added<Ours, Theirs> = Omit<Ours, keyof Theirs>;
const results = {
  send: (answer: api.SendResult, added: Added<client.SendResult, api.SendResult>): client.SendResult => ({
    ...answer,
    ...added,
  }),
  quote: (answer: api.Quote, added: Added<client.Quote, api.Quote>): client.Quote => ({ ...answer, ...added }),
  dlr: (answer: api.DeliveryReport): client.DeliveryReport => answer,
  cancel: (answer: api.DeliveryReport): client.DeliveryReport => answer,
  balance: (answer: api.Balance, added: Added<client.Balance, api.Balance>): client.Balance => ({
    ...answer,
    ...added,
  }),
};

// A request has exactly the fields of the contract, except the token, which goes into a header.
export type Agreement = [
  None<Exclude<keyof api.SendRequest, keyof client.Message | 'auth'>>,
  None<Exclude<keyof client.Message, keyof api.SendRequest>>,
  // A message has the types of the contract, but a time may also be a Date.
  Takes<Omit<client.Message, 'sendAt' | 'dcs'>, Omit<api.SendRequest, 'auth' | 'sendAt' | 'dcs'>>,
];
type None<Names extends never> = Names;
type Takes<Ours extends Theirs, Theirs> = [Ours, Theirs];

it('the client calls every endpoint of the contract for clients', () => {
  const forOperators = ['health', 'ready', 'openapi'];
  assert.deepEqual(
    Object.keys(results).toSorted(),
    Object.keys(endpoints)
      .filter((name) => !forOperators.includes(name))
      .toSorted(),
  );
});

it("the client ends its wait at the contract's final events", () => {
  assert.equal(isFinal('canceled'), true);
  assert.equal(isFinal('buffered'), false);
  assert.equal(isFinal('eaten'), false);
});
