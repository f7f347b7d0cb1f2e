import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { HttpClient, textIn, type HttpAnswer } from '../support/clients/http-client.ts';
import { Tour } from '../support/gateway/tour.ts';

/* M7 (one idempotency key, one message) from outside, on a real gateway, over real sockets. */

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

/** The same answer as before, and nothing sent or charged for it. */
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
    ['defaults that are named', {}, { validity: 172_800, priority: 'normal', flash: false, clientRef: '' }],
    ['a moment in another zone', { sendAt: inAnHour }, { sendAt: inAnHour.replace('Z', '+00:00') }],
    ['every field', everyField(), everyField()],
  ];
  for (const [name, first, again] of same) {
    it(`gets the first success again, byte for byte: ${name} (M7)`, async () => {
      const idempotencyKey = freshKey();
      const accepted = await send({ ...first, idempotencyKey });
      await send({});
      assertReplay(await send({ ...first, ...again, idempotencyKey }), accepted);
      assertReplay(await send({ ...first, ...again }, { 'Idempotency-Key': idempotencyKey }), accepted);
    });
  }

  it('is another one if anything differs that reaches the receiver or the client', async () => {
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

  it('comes by GET and POST, by header and field, and by both if they are equal', async () => {
    const key = freshKey();
    const first = await get({ idempotencyKey: key });
    assertReplay(await send({ idempotencyKey: key }), first);
    assertReplay(await send({ idempotencyKey: key }, { 'idempotency-key': key }), first);
    const nested = { data: { auth: tour.token, ...fields, idempotencyKey: key } };
    assertReplay(await tour.client.post('/sms/send', nested), first);
  });

  it('counts wherever a token does: beside `data`, and in the query of a POST', async () => {
    const key = freshKey();
    const { token } = tour;
    const data = { ...fields, auth: token };
    const first = await tour.client.post('/sms/send', { idempotencyKey: key, data });
    const ways: readonly (readonly [string, object])[] = [
      ['/sms/send', { idempotencyKey: key, data }],
      ['/sms/send', { idempotencyKey: key, auth: token, data: fields }],
      ['/sms/send', { idempotencyKey: key, data: { ...data, idempotencyKey: key } }],
      [`/sms/send?idempotencyKey=${encodeURIComponent(key)}`, data],
      [`/sms/send?idempotencyKey=${encodeURIComponent(key)}`, { data }],
      [`/v1/sms/send?auth=${token}&idempotencyKey=${encodeURIComponent(key)}`, fields],
    ];
    for (const [path, body] of ways) assertReplay(await tour.client.post(path, body), first);
    const another: readonly (readonly [string, object])[] = [
      ['/sms/send', { idempotencyKey: 'other', data: { ...data, idempotencyKey: key } }],
      ['/sms/send?idempotencyKey=other', { ...data, idempotencyKey: key }],
      ['/sms/send?idempotencyKey=other', { idempotencyKey: key, data }],
      ['/sms/send', { idempotencyKey: 5, data }],
    ];
    for (const [path, body] of another) {
      const { body: answer } = await tour.client.post(path, body);
      assert.deepEqual([answer['code'], answer['field']], ['malformed_request', 'idempotencyKey'], path);
    }
    const empty = await tour.client.post('/sms/send?idempotencyKey=', data);
    assert.deepEqual([empty.body['code'], empty.body['field']], ['invalid_parameter', 'idempotencyKey']);
  });

  it('keeps its message even if the account may no longer send one as long', async () => {
    const long = { text: 'x'.repeat(500), idempotencyKey: freshKey() };
    const first = await send(long);
    allowed(await operatorCalls(tour.gateway.operator).account.set({ account: 'acme', partsMax: '2' }));
    assertReplay(await send(long), first);
    for (const other of [{ ...long, idempotencyKey: freshKey() }, { text: long.text }]) {
      const { body } = await send(other);
      assert.deepEqual([body['code'], body['numParts'], body['maxParts']], ['text_too_long', 4, 2]);
    }
    allowed(await operatorCalls(tour.gateway.operator).account.set({ account: 'acme', partsMax: '10' }));
  });

  it('may come with another token of the account; another account has keys of its own', async () => {
    const { operator } = tour.gateway;
    const idempotencyKey = freshKey();
    const first = await send({ idempotencyKey });
    const second = await operatorCalls(operator).token.add({ account: 'acme' });
    assert.ok((await operatorCalls(operator).account.add({ name: 'other', currency: 'EUR', balance: '1' })).ok);
    const others = await operatorCalls(operator).token.add({ account: 'other' });
    assert.ok(second.ok && others.ok);
    assertReplay(await send({ idempotencyKey, auth: second.value.token }), first);
    const another = await send({ idempotencyKey, auth: others.value.token });
    assert.equal(another.status, 200);
    assert.notEqual(another.body['msgId'], first.body['msgId']);
  });

  it('is answered when its route, price and balance are gone; a suspended account is not', async () => {
    const { operator } = tour.gateway;
    assert.ok((await operatorCalls(operator).account.add({ name: 'poor', currency: 'EUR', balance: '0.0075' })).ok);
    const token = await operatorCalls(operator).token.add({ account: 'poor' });
    assert.ok(token.ok);
    const given = { auth: token.value.token, idempotencyKey: freshKey() };
    const first = await send(given);
    const unsettled = await send({ ...given, idempotencyKey: freshKey() });
    assert.equal(unsettled.body['code'], 'insufficient_balance');
    assert.ok((await operatorCalls(operator).route.remove({ prefix: '41' })).ok);
    assertReplay(await send(given), first);
    assert.equal((await send({ ...given, idempotencyKey: freshKey() })).body['code'], 'no_route');
    assert.ok((await operatorCalls(operator).account.suspend({ account: 'poor' })).ok);
    assert.equal((await send(given)).body['code'], 'forbidden');
    assert.ok((await operatorCalls(operator).route.add({ prefix: '41', carrier: 'alpha' })).ok);
  });

  it('is answered when its receiver has opted out since', async () => {
    const { operator } = tour.gateway;
    const given = { receiver: '+41791230077', idempotencyKey: freshKey() };
    const first = await send(given);
    const reason = 'a letter';
    assert.ok((await operatorCalls(operator).optOut.add({ account: 'acme', receiver: given.receiver, reason })).ok);
    assertReplay(await send(given), first);
    assert.equal((await send({ ...given, idempotencyKey: freshKey() })).body['code'], 'receiver_opted_out');
  });

  it('is decided again after a refusal: refusals are not remembered', async () => {
    const idempotencyKey = freshKey();
    const beyond = { receiver: '+33612345678', idempotencyKey };
    assert.equal((await send(beyond)).body['code'], 'no_route');
    assert.equal((await send(beyond)).body['code'], 'no_route');
    const first = await send({ idempotencyKey });
    assertReplay(await send({ idempotencyKey }), first);
    assertConflict(await send(beyond));
  });

  it('is refused by its fields, text, sender and receiver before its key is looked at', async () => {
    const idempotencyKey = freshKey();
    await send({ idempotencyKey });
    for (const [wrong, code] of [
      [{ priority: 'low' }, 'invalid_parameter'],
      [{ text: 'Привет' }, 'text_not_encodable'],
      [{ sender: 'a name that is too long' }, 'invalid_sender'],
      [{ receiver: '12' }, 'invalid_parameter'],
    ] as const) {
      assert.equal((await send({ ...wrong, idempotencyKey })).body['code'], code);
    }
    assertConflict(await send({ receiver: '+33612345678', idempotencyKey }));
  });
});

describe('a key', { concurrency: false }, () => {
  const longest = `~${'x'.repeat(254)}`;
  for (const key of [' ', longest, '"8e03978e"', 'a, b']) {
    it(`may be ${JSON.stringify(key).slice(0, 20)}`, async () => {
      const first = await send({ idempotencyKey: key });
      assertReplay(await send({ idempotencyKey: key }), first);
    });
  }

  for (const [key, about] of [
    ['', 'empty'],
    [`${longest}x`, 'of 256 characters'],
    ['Schlüssel', 'beyond ASCII'],
    ['a\nb', 'of two lines'],
    ['a\u007f', 'with U+007F'],
  ] as const) {
    it(`is refused ${about}`, async () => {
      const answer = await send({ idempotencyKey: key });
      const { code, field } = answer.body;
      assert.deepEqual([answer.status, code, field], [400, 'invalid_parameter', 'idempotencyKey']);
      assert.ok(key === '' || !answer.text.includes(key));
    });
  }

  it('that is empty in its header is malformed', async () => {
    assert.equal((await send({}, { 'Idempotency-Key': '' })).body['field'], 'idempotencyKey');
  });

  it('must be one: two different ones, or one that is no text, are malformed', async () => {
    const two = await send({ idempotencyKey: 'a' }, { 'Idempotency-Key': 'b' });
    assert.deepEqual([two.body['code'], two.body['field']], ['malformed_request', 'idempotencyKey']);
    assert.equal((await send({ idempotencyKey: 5 })).body['code'], 'malformed_request');
    const path = `/sms/send?${new URLSearchParams({ auth: tour.token, ...fields }).toString()}`;
    const client = new HttpClient(tour.gateway.httpPort);
    const headers = { 'Idempotency-Key': ['a', 'b'] };
    // Two headers of a name are a list in node's own request.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const twice = await client.ask({ path, headers: headers as unknown as Record<string, string> });
    client.close();
    assert.equal(twice.body['code'], 'malformed_request');
  });
});

describe('many at once with one key', { concurrency: false }, () => {
  it('200 equal requests over 25 connections make one message, and all get the same answer (M7)', async () => {
    const client = new HttpClient(tour.gateway.httpPort, 25);
    const receiver = '+41791239999';
    const request = { auth: tour.token, ...fields, receiver, idempotencyKey: freshKey() };
    const balance = Number(await tour.balance());
    const answers = await Promise.all(Array.from({ length: 200 }, () => client.post('/sms/send', request)));
    client.close();
    assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1, answers[0]?.text);
    const firsts = answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined);
    assert.equal(firsts.length, 1);
    await tour.event(textIn(answers[0]?.body ?? {}, 'msgId'), 'delivered');
    assert.equal(tour.submits(receiver).length, 1);
    assert.equal(Math.round((balance - Number(await tour.balance())) * 10_000), 75);
  });
});

it('a key outlives a restart', async () => {
  const idempotencyKey = freshKey();
  const sendAt = new Date(Date.now() + 60_000).toISOString();
  const first = await send({ idempotencyKey });
  const planned = await send({ idempotencyKey: 'planned', sendAt });
  await tour.restart();
  assertReplay(await send({ idempotencyKey }), first);
  assertReplay(await send({ idempotencyKey: 'planned', sendAt }), planned);
});

function everyField(): Fields {
  return { clientRef: 'a', validity: 3_600, priority: 'high', flash: true, sendAt: inAnHour };
}

function allowed(result: { readonly ok: boolean }): void {
  assert.ok(result.ok, result.ok ? '' : JSON.stringify(result));
}
