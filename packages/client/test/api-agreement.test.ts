import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deliveryEvents, endpoints } from '@morsel/api';
import type * as api from '@morsel/api';
import { isFinal } from '../src/index.ts';
import type * as client from '../src/index.ts';

/*
 * Compares the client's types with the contract's. The compiler does it: if they differ, a line below names the member,
 * or says that a type is not `never`.
 */

/** The contract's answer; the currency may be absent. */
type Answered<T> = Omit<T, 'clientCurrency'>;

// Each member of an answer is known to the client, and fits into its type.
const results = {
  send: (answer: Answered<api.SendResult>): Omit<client.SendResult, 'exact' | 'idempotencyKey' | 'isReplay'> => answer,
  quote: (answer: Answered<api.Quote>): Omit<client.Quote, 'exact'> => answer,
  dlr: (answer: api.DeliveryReport): client.DeliveryReport => answer,
  cancel: (answer: api.DeliveryReport): client.DeliveryReport => answer,
  balance: (answer: Answered<api.Balance>): Omit<client.Balance, 'exact'> => answer,
};

/** Members that only one of them has; the client also has the amounts, and what it knows of a request. */
type Strange<Ours, Theirs> = Exclude<keyof Ours, keyof Theirs>;
type Part<T extends { parts?: unknown }> = NonNullable<T['parts']> extends readonly (infer P)[] ? P : never;

// A request has every field of the contract, without the token, which goes into a header, and no others.
export type Agreement = [
  None<Exclude<keyof api.SendRequest, keyof client.Message | 'auth'>>,
  None<Exclude<keyof client.Message, keyof api.SendRequest>>,
  None<Strange<api.SendResult, client.SendResult>>,
  None<Exclude<Strange<client.SendResult, api.SendResult>, 'exact' | 'idempotencyKey' | 'isReplay'>>,
  None<Strange<api.Quote, client.Quote>>,
  None<Exclude<Strange<client.Quote, api.Quote>, 'exact'>>,
  None<Strange<api.DeliveryReport, client.DeliveryReport>>,
  None<Strange<client.DeliveryReport, api.DeliveryReport>>,
  None<Strange<Part<api.DeliveryReport>, client.PartReport>>,
  None<Strange<client.PartReport, Part<api.DeliveryReport>>>,
  None<Strange<api.Balance, client.Balance>>,
  None<Exclude<Strange<client.Balance, api.Balance>, 'exact'>>,
  // `type` and `title` repeat `code`.
  None<Exclude<Strange<api.Problem, client.Problem>, 'type' | 'title'>>,
  None<Exclude<Strange<client.Problem, api.Problem>, 'exact'>>,
  None<Exclude<api.ProblemCode, client.KnownProblemCode>>,
  None<Exclude<client.KnownProblemCode, api.ProblemCode>>,
  None<Exclude<api.DeliveryEvent, client.KnownEvent>>,
  None<Exclude<client.KnownEvent, api.DeliveryEvent>>,
  // A message has the types of the contract; a time may also be a Date.
  Takes<Omit<client.Message, 'sendAt' | 'dcs'>, Omit<api.SendRequest, 'auth' | 'sendAt' | 'dcs'>>,
  Takes<NonNullable<client.Message['dcs']>, api.SendRequest['dcs']>,
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
  assert.deepEqual(deliveryEvents.filter(isFinal), [
    'delivered',
    'undelivered',
    'rejected',
    'expired',
    'unknown',
    'canceled',
  ]);
  assert.equal(isFinal('eaten'), false);
});
