import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import type { HttpAnswer } from '../support/clients/http-client.ts';
import { done } from '../support/done.ts';
import { Tour } from '../support/gateway/tour.ts';

/*
 * The operator's limits, over HTTP, on a gateway with several accounts: a limit refuses only the messages that it
 * names, and no message of other accounts. Refused messages are neither charged nor stored.
 */

let tour: Tour;
const receiver = '+41791230001';
const names = ['free', 'strict', 'slow', 'watched', 'keyed', 'fenced'] as const;
type Name = (typeof names)[number];
const tokens = new Map<string, string>();

before(async () => {
  tour = await Tour.open({
    environment: { MORSEL_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' },
    carriers: [{ name: 'alpha', prefix: '41' }],
  });
  const { operator } = tour.gateway;
  for (const name of names) {
    done(await operatorCalls(operator).account.add({ name, currency: 'EUR', balance: '1' }));
    tokens.set(name, await tokenOf(name));
  }
});

after(async () => tour[Symbol.asyncDispose]());

describe('abuse limits', { concurrency: false }, () => {
  it('name the rule in the refusal, charge nothing and store nothing', async () => {
    await set('strict', { fixedLine: 'refuse', repeatSeconds: '60' });
    // refusals.test.ts tests the other rules.
    const answer = await send('strict', { receiver: '+41446681800' });
    assert.deepEqual([answer.status, answer.body['rule'], answer.body['field']], [422, 'fixed-line', 'receiver']);
    assert.equal((await send('strict', { sender: 'ACME' })).status, 200);
    const repeated = await send('strict', { sender: '+41790000009' });
    assert.deepEqual([repeated.status, repeated.body['rule']], [429, 'repeat']);
    assert.equal(await balanceOf('strict'), 0.9925);
    for (let sent = 0; sent < 2; sent++) assert.equal((await send('free', { sender: 'Other' })).status, 200);
    await set('strict', { repeatSeconds: 'none' });
    assert.equal((await send('strict')).status, 200);
  });

  it('on the rate answer 429 with the limit and the time to try again, and count all connections together', async () => {
    await set('slow', { rate: '5/3600s', burst: '10' });
    const answers = await Promise.all(Array.from({ length: 40 }, () => send('slow')));
    const accepted = answers.filter(({ status }) => status === 200).length;
    const limited = answers.filter(({ status }) => status === 429);
    assert.deepEqual([accepted, limited.length], [10, 30]);
    for (const { headers, body } of limited) {
      assert.equal(body['code'], 'rate_limited');
      assert.equal(headers['ratelimit-policy'], '"rate";q=5;w=3600');
      assert.match(String(headers['ratelimit']), /^"rate";r=0;t=\d+$/);
      const wait = Number(headers['retry-after']);
      assert.ok(wait > 600 && wait <= 720, String(wait));
    }
    assert.equal(await balanceOf('slow'), 0.925);
  });

  it('neither refuse nor count a repeated idempotency key', async () => {
    await set('keyed', { repeatSeconds: '3600', rate: '2/3600s', burst: '2' });
    const first = await send('keyed', { idempotencyKey: 'one' });
    for (let again = 0; again < 3; again++) {
      const repeated = await send('keyed', { idempotencyKey: 'one' });
      assert.deepEqual([repeated.status, repeated.text], [200, first.text]);
    }
    assert.equal((await send('keyed', { idempotencyKey: 'two' })).body['rule'], 'repeat');
    assert.equal((await send('keyed', { text: 'Other' })).status, 200);
    assert.equal((await send('keyed', { text: 'Third' })).body['rule'], 'rate');
  });

  it('that only watch count the message and send it, and the counts outlive a restart', async () => {
    await set('watched', { allowCountries: 'DE', repeatSeconds: '60', ruleModes: 'countries=watch,repeat=watch' });
    for (let sent = 0; sent < 3; sent++) assert.equal((await send('watched', { sender: 'ACME' })).status, 200);
    const seen = await hitsOf('watched');
    assert.deepEqual(
      seen.map((hit) => [hit['rule'], hit['watched'], hit['refused'], hit['lastSender'], hit['lastReceiver']]),
      [
        ['countries', 3, 0, 'ACME', receiver],
        ['repeat', 2, 0, 'ACME', receiver],
      ],
    );
    await tour.restart();
    // Counts of hits are kept over a restart; the rate starts again.
    assert.deepEqual(await hitsOf('watched'), seen);
    assert.deepEqual(
      (await hitsOf('slow')).map((hit) => [hit['rule'], hit['refused']]),
      [['rate', 30]],
    );
  });
});

describe('a token over HTTP', { concurrency: false }, () => {
  it('is accepted only from its addresses, behind a trusted proxy, and no client can claim a false address', async () => {
    await set('fenced', { from: '192.0.2.0/24,2001:db8::/32' });
    const auth = await tokenOf('fenced', { from: '192.0.2.0/25' });
    assert.deepEqual(
      [
        await from('192.0.2.200'),
        await from('192.0.2.200', auth),
        await from('192.0.2.1', auth),
        await from('198.51.100.1'),
      ],
      [200, 403, 200, 403],
    );
  });
});

async function send(name: Name, fields: object = {}): Promise<HttpAnswer> {
  const message = { sender: '+41790000001', receiver, text: 'Hello', dcs: 'GSM', ...fields };
  return tour.client.post('/sms/send', { auth: tokens.get(name), ...message });
}

/** The status of a request with this X-Forwarded-For. */
async function from(forwarded: string | undefined, token = tokens.get('fenced') ?? ''): Promise<number> {
  const headers = { Authorization: `Bearer ${token}`, ...(forwarded ? { 'X-Forwarded-For': forwarded } : {}) };
  return (await tour.client.ask({ path: '/sms/balance', headers })).status;
}

async function set(account: Name, fields: Readonly<Record<string, string>>): Promise<void> {
  done(await operatorCalls(tour.gateway.operator).account.set({ account, ...fields }));
}

async function balanceOf(name: Name): Promise<unknown> {
  const answer = await tour.client.ask({ path: `/sms/balance?auth=${tokens.get(name)}` });
  return answer.body['clientBalance'];
}

async function hitsOf(account: Name): Promise<Readonly<Record<string, unknown>>[]> {
  const { items } = done(await operatorCalls(tour.gateway.operator).account.rules({ account }));
  const hits = items.map((hit): Readonly<Record<string, unknown>> => ({ ...hit }));
  return hits.toSorted((a, b) => String(a['rule']).localeCompare(String(b['rule'])));
}

async function tokenOf(account: Name, fields: Readonly<Record<string, string>> = {}): Promise<string> {
  return done(await operatorCalls(tour.gateway.operator).token.add({ account, ...fields })).token;
}
