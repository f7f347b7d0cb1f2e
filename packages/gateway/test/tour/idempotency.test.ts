import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { HttpAnswer } from '../support/clients/http-client.ts';
import { done } from '../support/done.ts';
import { Tour } from '../support/gateway/tour.ts';

/* M7: requests with one idempotency key make one message, on a real gateway, over real sockets. */

const fields = { sender: '+41790000001', receiver: '+41791230001', text: 'Hello', dcs: 'GSM' };
type Fields = Readonly<Record<string, unknown>>;
const inAnHour = new Date(Date.now() + 3_600_000).toISOString();

let tour: Tour;
let lastKey = 0;
before(async () => {
  tour = await Tour.open();
});
after(() => tour[Symbol.asyncDispose]());

function freshKey(): string {
  return `key ${++lastKey}`;
}

function send(given: Fields, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
  return tour.client.post('/sms/send', { auth: tour.token, ...fields, ...given }, headers);
}

function get(given: Readonly<Record<string, string>>): Promise<HttpAnswer> {
  const query = new URLSearchParams({ auth: tour.token, ...fields, ...given });
  return tour.client.ask({ path: `/v1/sms/send?${query.toString()}` });
}

/** Checks that an answer is the same as the first one, and marked as a replay. */
function assertReplay(answer: HttpAnswer, first: HttpAnswer): void {
  assert.equal(first.status, 200, first.text);
  assert.equal(first.headers['idempotency-replayed'], undefined);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.text, first.text);
  assert.equal(answer.headers['content-type'], first.headers['content-type']);
  assert.equal(answer.headers['idempotency-replayed'], 'true');
}

function assertConflict(answer: HttpAnswer): void {
  assert.deepEqual([answer.status, answer.body['code']], [409, 'idempotency_conflict'], answer.text);
}

describe('the same request with the same key', { concurrency: false }, () => {
  const same: readonly (readonly [string, Fields, Fields])[] = [
    ['as it was', {}, {}],
    ['numbers written in another way', {}, { sender: '0041 79 000 00 01', receiver: '41-79.123 (00) 01' }],
    ['another case of dcs', {}, { dcs: 'gsm' }],
    ['defaults that are given', {}, { validity: 172_800, priority: 'normal', flash: false, clientRef: '' }],
    ['the longest key', { idempotencyKey: `~${'x'.repeat(254)}` }, {}],
    ['a time in another zone', { sendAt: inAnHour }, { sendAt: inAnHour.replace('Z', '+00:00') }],
    ['every field', everyField(), everyField()],
  ];
  for (const [name, first, again] of same) {
    it(`gets the first answer again, byte for byte: ${name} (M7)`, async () => {
      const { idempotencyKey = freshKey(), ...given } = first;
      const accepted = await send({ ...given, idempotencyKey });
      await send({});
      assertReplay(await send({ ...given, ...again, idempotencyKey }), accepted);
      assertReplay(await send({ ...given, ...again }, { 'Idempotency-Key': String(idempotencyKey) }), accepted);
    });
  }

  it('is a different request if a field differs that the receiver or the client sees', async () => {
    const idempotencyKey = freshKey();
    const first = await send({ ...everyField(), idempotencyKey });
    for (const other of [
      { sender: 'Shop' },
      { receiver: '+41791230002' },
      { text: 'Hello ' },
      { dcs: 'UCS' },
      { validity: 3_601 },
      { clientRef: 'b' },
      { tags: 'b' },
      { priority: 'normal' },
      { flash: false },
      { sendAt: new Date(Date.now() + 7_200_000).toISOString() },
      { sendAt: null },
    ]) {
      assertConflict(await send({ ...everyField(), ...other, idempotencyKey }));
    }
    assertReplay(await send({ ...everyField(), idempotencyKey }), first);
  });

  it('may come by GET or POST, with the key in a header, in a field, or in both if they are equal', async () => {
    const key = freshKey();
    const first = await get({ idempotencyKey: key });
    assertReplay(await send({ idempotencyKey: key }), first);
    assertReplay(await send({ idempotencyKey: key }, { 'idempotency-key': key }), first);
    const data = { ...fields, auth: tour.token };
    assertReplay(await tour.client.post('/sms/send', { idempotencyKey: key, data }), first);
    assertReplay(await tour.client.post(`/sms/send?idempotencyKey=${encodeURIComponent(key)}`, data), first);
    const wrong: readonly (readonly [Fields, Readonly<Record<string, string>>, string])[] = [
      [{ idempotencyKey: 'x'.repeat(256) }, {}, 'invalid_parameter'],
      [{ idempotencyKey: 'Schlüssel' }, {}, 'invalid_parameter'],
      [{ idempotencyKey: 5 }, {}, 'malformed_request'],
      [{ idempotencyKey: 'a' }, { 'Idempotency-Key': 'b' }, 'malformed_request'],
    ];
    for (const [given, headers, code] of wrong) {
      const { body } = await send(given, headers);
      assert.deepEqual([body['code'], body['field']], [code, 'idempotencyKey'], JSON.stringify(given));
    }
  });

  it('is answered even without route, price and balance, but not if the account is suspended', async () => {
    assert.ok((await tour.operator.account.add({ name: 'poor', currency: 'EUR', balance: '0.0075' })).ok);
    const token = await tour.operator.token.add({ account: 'poor' });
    assert.ok(token.ok);
    const given = { auth: token.value.token, idempotencyKey: freshKey() };
    const first = await send(given);
    const unsettled = await send({ ...given, idempotencyKey: freshKey() });
    assert.equal(unsettled.body['code'], 'insufficient_balance');
    assert.ok((await tour.operator.route.remove({ prefix: '41' })).ok);
    assertReplay(await send(given), first);
    assert.equal((await send({ ...given, idempotencyKey: freshKey() })).body['code'], 'no_route');
    assert.ok((await tour.operator.account.suspend({ account: 'poor' })).ok);
    assert.equal((await send(given)).body['code'], 'forbidden');
    assert.ok((await tour.operator.route.add({ prefix: '41', carrier: 'alpha' })).ok);
  });

  it('is neither refused nor counted by the rules of its account', async () => {
    const { account } = tour.operator;
    done(await account.set({ account: tour.account, repeatSeconds: '3600', rate: '2/3600s', burst: '2' }));
    const idempotencyKey = freshKey();
    const given = { text: 'Once', receiver: '+41791230007' };
    const first = await send({ ...given, idempotencyKey });
    for (let again = 0; again < 3; again++) assertReplay(await send({ ...given, idempotencyKey }), first);
    assert.equal((await send({ ...given, idempotencyKey: freshKey() })).body['rule'], 'repeat');
    assert.equal((await send({ ...given, text: 'Other' })).status, 200);
    assert.equal((await send({ ...given, text: 'Third' })).body['rule'], 'rate');
    done(await account.set({ account: tour.account, repeatSeconds: 'none', rate: 'none' }));
  });

  it('is refused for its fields, text, sender or receiver before its key is looked up', async () => {
    const idempotencyKey = freshKey();
    await send({ idempotencyKey });
    for (const [wrong, code] of [
      [{ text: 'Привет' }, 'text_not_encodable'],
      [{ receiver: '12' }, 'invalid_parameter'],
    ] as const) {
      assert.equal((await send({ ...wrong, idempotencyKey })).body['code'], code);
    }
    assertConflict(await send({ receiver: '+33612345678', idempotencyKey }));
  });
});

function everyField(): Fields {
  return { clientRef: 'a', validity: 3_600, priority: 'high', flash: true, sendAt: inAnHour };
}
