import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { shapes } from '@morsel/api/shapes.ts';
import * as fc from 'fast-check';
import type { Account } from '../../src/core/account/account.ts';
import type { Draft } from '../../src/core/message/admission.ts';
import type { Rejection } from '../../src/core/base/rejection.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { HttpAnswer } from '../support/clients/http-client.ts';
import { done } from '../support/done.ts';
import { pricesOf } from '../support/store/prices.ts';
import { Tour } from '../support/gateway/tour.ts';
import { quote as quoteDraft } from '../../src/flow/message/quote.ts';
import { submit } from '../../src/flow/message/submit.ts';

/* A quote gives the same answer as a send, on a real gateway over HTTP, for any draft and balance. */

const draft = { sender: '+41790000001', receiver: '+41791230001', text: 'Hello', dcs: 'SMS' };
const drafts = 400;
/** Receivers that opted out of all accounts of the property: one with a route and a price, one without a price. */
const optedOut = '+41751230009';
const optedOutToo = '+33612340000';

let tour: Tour;
before(async () => {
  // No carrier listens, so no refusal of a carrier refunds a message between a quote and its send.
  tour = await Tour.open({ carriers: [{ name: 'alpha', prefix: '41', port: 1 }], sessions: 0 });
  done(await tour.operator.route.add({ prefix: '33', carrier: 'alpha' }));
  done(await tour.operator.route.add({ prefix: '4179', carrier: 'alpha', encoding: 'ucs2' }));
  const prices = pricesOf({ 49: '0.01', 4179: '0.008123', 417: '0' });
  done(await tour.operator.price.set({ list: 'default', allowFree: true, prices }));
});
after(() => tour[Symbol.asyncDispose]());

function quote(given: Readonly<Record<string, unknown>> = {}): Promise<HttpAnswer> {
  return tour.client.post('/sms/quote', { auth: tour.token, ...draft, ...given });
}

describe('/sms/quote', { concurrency: false }, () => {
  it('returns parts, encoding, price and balance, by POST and GET and under /v1', async () => {
    const body =
      '{"numParts":2,"encoding":"GSM","ucsCount":0,"ucsCharacters":[],"unitPrice":0.008123,"totalCost":0.016246' +
      ',"clientBalance":100,"balanceAfter":99.983754,"isCovered":true,"isReplay":false,"clientCurrency":"EUR","routePrefix":"41"}';
    const text = 'x'.repeat(161);
    const answer = await quote({ text });
    assert.deepEqual([answer.status, answer.text], [200, body]);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    const query = new URLSearchParams({ auth: tour.token, ...draft, text }).toString();
    for (const path of ['/sms/quote', '/v1/sms/quote']) {
      assert.equal((await tour.client.ask({ path: `${path}?${query}` })).text, body);
    }
    assert.deepEqual(Object.keys(answer.body), Object.keys(shapes.Quote));
  });

  it('names characters that need UCS, and their places, up to a limit', async () => {
    const { body } = await quote({ text: 'a😀b„' });
    assert.deepEqual([body['encoding'], body['ucsCount'], body['routePrefix']], ['UCS', 2, '4179']);
    assert.deepEqual(body['ucsCharacters'], [
      { character: '😀', position: 1 },
      { character: '„', position: 3 },
    ]);
    const long = await quote({ text: 'ж'.repeat(500) });
    assert.deepEqual([long.body['ucsCount'], long.body['numParts']], [500, 8]);
    assert.ok(Array.isArray(long.body['ucsCharacters']) && long.body['ucsCharacters'].length === 20);
  });
});

describe('a quote with an idempotency key', { concurrency: false }, () => {
  it('charges and stores nothing, and reports that the send would be a replay, with the current balance', async () => {
    const given = { ...draft, idempotencyKey: 'asked for', receiver: '+41791230077' };
    assert.equal((await quote({ ...given, text: 'another' })).status, 200);
    assert.equal(await tour.balance(), 100);
    const first = await tour.send(given);
    await tour.send({ ...draft, text: 'in between' });
    const now = await tour.balance();
    const { body } = await quote(given);
    assert.deepEqual([body['isReplay'], body['isCovered'], body['totalCost']], [true, true, first.body['totalCost']]);
    assert.deepEqual([body['clientBalance'], body['balanceAfter']], [now, now]);
    assert.deepEqual(Object.keys(body), Object.keys(shapes.Quote));
  });
});

describe('a quote and the send right after', { concurrency: false }, () => {
  const units = fc.constantFrom('a', 'b', '€', 'é', 'ж', '😀');
  const repeated = fc.tuple(units, fc.integer({ min: 1, max: 800 })).map(([of, times]) => of.repeat(times));
  const text = fc.oneof(
    { weight: 8, arbitrary: fc.string({ unit: units, minLength: 1, maxLength: 90 }) },
    { weight: 4, arbitrary: repeated },
    { weight: 1, arbitrary: fc.constantFrom('a\0', '\ud83d', '') },
  );
  const anyDraft: fc.Arbitrary<Draft> = fc.record({
    sender: mostly(['+41790000001', 'Shop', '12345', '0041790000001'], ['a name that is too long']),
    receiver: fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom('+41791230001', '0041 79 123 00 02', '+41441230003', '+41751230004') },
      { weight: 1, arbitrary: fc.constantFrom('+33612345678', '+4915112345678', '+12', optedOut, optedOutToo) },
    ),
    text,
    dcs: mostly(['UCS', 'SMS', 'sms', 'SMS'], ['GSM', 'BIN']),
    clientRef: rarely(fc.constantFrom('a', 'x'.repeat(65)), undefined),
    validity: rarely(fc.constantFrom(60, 59, 3_600), undefined),
    priority: rarely(fc.constantFrom('high', 'normal', 'low'), undefined),
    sendAt: rarely(fc.constantFrom(inHours(1), inHours(-1), inHours(24 * 31), 'noon'), undefined),
    flash: fc.boolean(),
    idempotencyKey: fc.oneof(
      { weight: 10, arbitrary: fc.constant(undefined) },
      { weight: 3, arbitrary: fc.nat(5).map((key) => `key ${key}`) },
      { weight: 1, arbitrary: fc.constantFrom('', 'a\nb') },
    ),
  });

  it(`agree in parts, encoding, cost and balance, or in the refusal: ${drafts} drafts with all kinds of balances`, async () => {
    const { operator } = tour.gateway;
    const accounts = await makeAccounts();
    const outcomes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(anyDraft, fc.nat(accounts.length - 1), async (given, which) => {
        const account = accounts[which];
        assert.ok(account);
        const submission = { draft: given, source: 'operator', by: { name: 'jane' } } as const;
        const asked = () => quoteDraft(operator.messages, account, given);
        const send = () => submit(operator.messages, account, submission);
        const quoted = await asked();
        const sent = await send();
        const isFreeBelow = sent.ok && sent.value.totalCost === 0n && sent.value.clientBalance < 0n;
        const accepted = isFreeBelow ? 'accepted free below the limit' : 'accepted';
        const outcome = sent.ok ? accepted : sent.error.code;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        if (!quoted.ok) return assert.deepEqual(refusalOf(sent), refusalOf(quoted));
        const { numParts, clientBalance, balanceAfter, clientCurrency, unitPrice, totalCost } = quoted.value;
        assert.equal(totalCost, unitPrice * BigInt(numParts));
        assert.equal(quoted.value.isReplay, false);
        assert.equal(balanceAfter, clientBalance - totalCost);
        if (!quoted.value.isCovered) {
          const error = { code: 'insufficient_balance', totalCost, clientBalance, clientCurrency };
          return assert.deepEqual(sent, { ok: false, error });
        }
        assert.ok(sent.ok, JSON.stringify(given));
        const { msgId, ...rest } = sent.value;
        assert.deepEqual(rest, { numParts, totalCost, clientBalance: balanceAfter, clientCurrency });
        const message = await operator.reader.ask('message', msgId);
        assert.ok(message.ok && message.value);
        assert.equal(message.value.encoding === 'gsm7' ? 'GSM' : 'UCS', quoted.value.encoding);
        if (given.idempotencyKey === undefined) return;
        const [again, replayed] = [await asked(), await send()];
        assert.ok(again.ok && replayed.ok);
        assert.deepEqual(replayed.value, { ...sent.value, isReplayed: true });
        assert.deepEqual(again.value, {
          ...quoted.value,
          way: null,
          clientBalance: balanceAfter,
          isReplay: true,
        });
      }),
      { numRuns: drafts },
    );
    for (const outcome of [
      'accepted',
      'insufficient_balance',
      'spend_cap_reached',
      'receiver_opted_out',
      'no_route',
      'no_price',
      'accepted free below the limit',
      'idempotency_conflict',
    ]) {
      assert.ok((outcomes.get(outcome) ?? 0) > 0, `${outcome} in ${JSON.stringify([...outcomes])}`);
    }
    // The balance must not stay below its limit: the check at the end of the tour would report that.
    assert.ok((await tour.operator.posting.adjust({ ...forced, amount: '1' })).ok);
  });
});

/** Chooses `value` once in thirteen times, so that most drafts have at most one fault. */
function rarely<T>(value: fc.Arbitrary<T>, otherwise: T): fc.Arbitrary<T> {
  return fc.oneof({ weight: 12, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary: value });
}

function mostly<T>(good: readonly T[], bad: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...bad) },
  );
}

/** An adjustment that takes the last account below its credit limit. */
const forced = { account: 'purse-7', amount: '-1', reason: 'a mistake', force: 'true' };

async function makeAccounts(): Promise<Account[]> {
  const { operator } = tour.gateway;
  const purses = [
    { balance: '0' },
    { balance: '0.008122' },
    { balance: '0.05' },
    { balance: '0', creditLimit: '0.1' },
    { balance: '0.3', creditLimit: '0.007' },
    { balance: '1000' },
    { balance: '1000', dayCap: '0.01' },
    { balance: '0.01' },
  ];
  for (const [at, purse] of purses.entries()) {
    const account = `purse-${at}`;
    done(await tour.operator.account.add({ name: account, currency: 'EUR', ...purse }));
    for (const receiver of [optedOut, optedOutToo]) {
      done(await tour.operator.optOut.add({ account, receiver, reason: 'a letter' }));
    }
  }
  assert.ok((await tour.operator.posting.adjust(forced)).ok);
  return [...operator.snapshot().accounts.values()].filter(({ name }) => name.startsWith('purse-'));
}

/** A refusal without its time, from which a spending cap computes how long it holds. */
function refusalOf(result: Result<unknown, Rejection>): object {
  return result.ok ? result : { ...result.error, at: 0 };
}

function inHours(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString();
}
