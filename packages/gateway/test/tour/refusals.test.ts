import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { HttpAnswer } from '../support/clients/http-client.ts';
import { done } from '../support/done.ts';
import { Tour } from '../support/gateway/tour.ts';

/*
 * Refusals of a real gateway over real sockets: their code and status, and that they charge and store nothing.
 * every-api.test.ts has the refusals of messages, tests beside the code have internal_error and request_timeout, and
 * `npm run test:peers` has the full disk.
 */

const receiver = '+41791230001';
/** A receiver that has opted out of messages of `acme`. */
const optedOut = '+41791230002';
const send = { sender: '+41790000001', receiver, text: 'Hello', dcs: 'GSM' };
const posted = { method: 'POST', path: '/sms/send', headers: { 'Content-Type': 'application/json' } };
const long = 'x'.repeat(70_000);

let tour: Tour;
/** The tokens by account, and a revoked token. */
const tokens = { poor: '', other: '', revoked: '', reports: '', elsewhere: '' };
let msgId = '';

before(async () => {
  tour = await Tour.open({ environment: { MORSEL_TRUSTED_PROXIES: '127.0.0.1' } });
  for (const name of ['poor', 'other'] as const) {
    done(await tour.operator.account.add({ name, currency: 'EUR', balance: '0.01' }));
    tokens[name] = await tokenOf(name);
  }
  tokens.reports = await tokenOf('other', { scopes: 'dlr' });
  tokens.elsewhere = await tokenOf('other', { from: '192.0.2.1' });
  tokens.revoked = await tokenOf('acme');
  done(await tour.operator.token.revoke({ id: tokens.revoked.split('_')[1] ?? '' }));
  done(await tour.operator.optOut.add({ account: 'acme', receiver: optedOut, reason: 'a letter' }));
  msgId = await tour.accept({ receiver, idempotencyKey: 'first' });
  await tour.event(msgId, 'delivered');
});

after(async () => {
  const left = await tour.readStore((store) =>
    ['message', 'part', 'attempt', 'reference', 'queue', 'doubt', 'idempotency_key'].map((table) => [
      table,
      store.count(`select count(*) from ${table}`),
    ]),
  );
  const entries = await tour.readStore((store) => store.texts('select kind from entry order by id'));
  await tour[Symbol.asyncDispose]();
  const once = { message: 1, part: 1, attempt: 1, reference: 0, queue: 0, doubt: 0, idempotency_key: 1 };
  assert.deepEqual(Object.fromEntries(left), once);
  assert.deepEqual(entries, ['top-up', 'top-up', 'top-up', 'charge']);
  assert.equal(tour.journal.filter(({ event }) => event === 'submit').length, 1);
});

type Asking = () => Promise<HttpAnswer>;

function post(fields: Readonly<Record<string, unknown>>, headers?: Readonly<Record<string, string>>): Asking {
  return () => tour.client.post('/sms/send', { auth: tour.token, ...send, ...fields }, headers);
}

function cancel(fields: Readonly<Record<string, unknown>>): Asking {
  return () => tour.client.post('/sms/cancel', { auth: tour.token, ...fields });
}

function get(path: string, fields: Readonly<Record<string, string>> = {}): Asking {
  return () => tour.client.ask({ path: `${path}?${new URLSearchParams({ auth: tour.token, ...fields }).toString()}` });
}

function ask(method: string, path: string): Asking {
  return () => tour.client.ask({ method, path });
}

/** A code, its status, what is refused, the request, and other members of the answer's body; in the order of decisions. */
const table: readonly (readonly [string, number, string, Asking, Readonly<Record<string, unknown>>?])[] = [
  ['malformed_request', 400, 'no JSON', () => tour.client.ask({ ...posted, body: '{"auth":' })],
  ['malformed_request', 400, 'a text that is a number', post({ text: 5 }), { field: 'text' }],
  ['missing_parameter', 400, 'no messageId', get('/sms/dlr'), { field: 'messageId' }],
  ['invalid_parameter', 400, 'a key of two lines', post({ idempotencyKey: 'a\nb' }), { field: 'idempotencyKey' }],
  ['message_not_found', 404, 'a cancel of an unknown id', cancel({ messageId: '1' })],
  ['message_not_found', 404, "a cancel of another's", () => cancel({ auth: tokens.other, messageId: msgId })()],
  ['message_not_found', 404, "another account's id", () => get('/sms/dlr', { auth: tokens.other, messageId: msgId })()],
  ['too_late', 409, 'a cancel of what is delivered', () => cancel({ messageId: msgId })(), { event: 'delivered' }],
  ['idempotency_conflict', 409, 'another text under a key', post({ text: 'Bye', idempotencyKey: 'first' })],
  ['no_route', 422, 'with a key that is not kept', post({ receiver: '+4915112345678', idempotencyKey: 'refused' })],
  ['method_not_allowed', 405, 'a cancel by GET', get('/sms/cancel', { messageId: '1' })],
  ['text_not_encodable', 400, 'outside GSM', post({ text: 'Привет' }), { character: 'П', position: 0 }],
  ['unauthorized', 401, 'no token', post({ auth: undefined })],
  ['unauthorized', 401, 'an unknown token', post({ auth: 'morsel_unknown' })],
  ['unauthorized', 401, 'a revoked token', () => post({ auth: tokens.revoked })()],
  ['unauthorized', 401, 'a report without a token', ask('GET', '/sms/dlr?messageId=1')],
  [
    'insufficient_balance',
    402,
    'two parts with money for one',
    () => post({ auth: tokens.poor, text: 'x'.repeat(161) })(),
    { totalCost: 0.015, clientBalance: 0.01, clientCurrency: 'EUR' },
  ],
  ['forbidden', 403, 'a token for reports only', () => post({ auth: tokens.reports })()],
  ['forbidden', 403, 'a token from a wrong address', () => post({ auth: tokens.elsewhere })()],
  ['not_found', 404, 'another path', ask('GET', '/sms')],
  ['too_large', 413, 'a body over the limit', post({ text: long.repeat(4) })],
  ['too_large', 414, 'an address over the limit', get('/sms/send', { ...send, text: long })],
  ['too_large', 431, 'a long header', () => tour.client.ask({ path: '/health', headers: { 'X-Long': long } })],
  ['unsupported_media_type', 415, 'a compressed body', post({}, { 'Content-Encoding': 'gzip' })],
  ['receiver_opted_out', 422, 'a receiver that opted out', post({ receiver: optedOut }), { field: 'receiver' }],
];

describe('a refusal charges nothing and stores nothing', { concurrency: false }, () => {
  for (const [code, status, name, asking, members] of table) {
    it(`${code}: ${name}`, async () => {
      const answer = await asking();
      const { code: saidCode, status: saidStatus, title, requestId } = answer.body;
      assert.deepEqual([answer.status, saidStatus, saidCode], [status, status, code], answer.text);
      assert.equal(answer.headers['content-type'], 'application/problem+json');
      assert.ok(typeof title === 'string' && title !== '');
      assert.equal(requestId, answer.headers['x-request-id']);
      for (const [member, value] of Object.entries(members ?? {})) assert.equal(answer.body[member], value, member);
      await chargedNothing();
    });
  }
});

it('a token with addresses is accepted from them behind a trusted proxy, and no client can claim a false address', async () => {
  assert.deepEqual([await from('192.0.2.1'), await from('192.0.2.1, 198.51.100.1')], [200, 403]);
});

/** The status of a request of a token that is for 192.0.2.1, with this X-Forwarded-For. */
async function from(forwarded: string): Promise<number> {
  const headers = { Authorization: `Bearer ${tokens.elsewhere}`, 'X-Forwarded-For': forwarded };
  return (await tour.client.ask({ path: '/sms/balance', headers })).status;
}

async function chargedNothing(): Promise<void> {
  assert.equal(await tour.balance(), 99.9925);
}

async function tokenOf(account: string, fields: Readonly<Record<string, string>> = {}): Promise<string> {
  return done(await tour.operator.token.add({ account, ...fields })).token;
}
