import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { before, describe, it } from 'node:test';
import { gateway, key } from '../../../test/support/gateway/admin-api.ts';
import { done } from '../../../test/support/done.ts';
import { addOperator } from '../../../test/support/gateway/operators.ts';
import { pricesOf } from '../../../test/support/store/prices.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { adminBase } from '@morsel/api/admin/client.ts';
import { HistogramCount, longTimes } from '../../core/base/histogram.ts';
import { trafficOf } from '../../flow/metrics/traffic.ts';
import { operatorCalls } from './handlers.ts';
import { LiveAnswers } from './live.ts';

/* The live figures of the gateway and their history. Event streams of one operator do not block other operators. */

/** Sends a request on a new connection, which stays open. The body of the answer is not read. */
async function ask(path: string, given: string, accept = '*/*'): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${given}`, accept };
  const asked = request({ port: gateway.adminPort, host: '127.0.0.1', path, headers, agent: false }).end();
  const [answer]: IncomingMessage[] = await once(asked, 'response');
  assert.ok(answer);
  answer.on('error', () => undefined);
  return answer;
}

const stream = (given: string) => ask('/admin/v1/traffic/now', given, 'text/event-stream');

it('a viewer who opens 100 streams gets four, and does not block status, metrics or other operators', async () => {
  const viewer = await addOperator(gateway, 'viewer', 'watcher');
  const other = await addOperator(gateway, 'viewer', 'other');
  const opened: IncomingMessage[] = [];
  for (let at = 0; at < 100; at += 1) opened.push(await stream(viewer.key));
  const statuses = opened.map(({ statusCode }) => statusCode);
  assert.deepEqual(statuses.slice(0, 5), [200, 200, 200, 200, 409]);
  assert.equal(statuses.filter((status) => status === 200).length, 4);
  for (const [path, given] of [
    ['/admin/v1/status', key],
    ['/metrics', viewer.key],
    ['/admin/v1/status', viewer.key],
    ['/admin/v1/status', other.key],
  ] as const) {
    const answer = await ask(path, given);
    assert.equal(answer.statusCode, 200, path);
    answer.socket.destroy();
  }
  assert.equal((await stream(other.key)).statusCode, 200);
  opened[0]?.socket.destroy();
  await waitUntil(
    'the place of a stream that ended is free',
    async () => (await stream(viewer.key)).statusCode === 200,
  );
  for (const { socket } of opened) socket.destroy();
});

it('90 addresses that do not read their answers do not block a request with a key', async () => {
  const page = await (
    await fetch(`http://127.0.0.1:${gateway.adminPort}/`, { headers: { accept: 'text/html' } })
  ).text();
  const [script = assert.fail('npm run build -w packages/console')] = /\/assets\/[^"]+\.js/.exec(page) ?? [];
  const pipelined = `GET ${script} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(40);
  const unread = Array.from({ length: 90 }, (_, at) => {
    const socket = connect({ port: gateway.adminPort, host: '127.0.0.1', localAddress: `127.0.2.${at + 1}` });
    socket.on('error', () => undefined).write(pipelined);
    return socket;
  });
  // New connections replace some of these connections, which then fail.
  await Promise.allSettled(unread.map((socket) => once(socket, 'readable')));
  for (const path of ['/admin/v1/status', '/metrics']) {
    const answer = await ask(path, key);
    assert.equal(answer.statusCode, 200, path);
    answer.socket.destroy();
  }
  for (const socket of unread) socket.destroy();
});

it('all streams of the same answer share one query a second', async () => {
  const clock = TestClock.still();
  const live = new LiveAnswers(clock, new AbortController().signal);
  let asked = 0;
  const answer = async () => ({ ok: true, value: { asked: (asked += 1) } }) as const;
  const open = (name: string, party: string) => {
    const opened = live.open({ name, party, ask: answer, isAllowed: () => true });
    assert.ok(opened.ok);
    return opened.value.events;
  };
  const streams = [open('/a', 'one'), open('/a', 'one'), open('/a', 'two'), open('/b', 'two')];
  const next = () => Promise.all(streams.map(async (each) => (await each.next()).value));
  const [a, b] = ['data: {"asked":1}\n\n', 'data: {"asked":2}\n\n'];
  assert.deepEqual(await next(), [a, a, a, b]);
  const later = next();
  clock.advance(1_000);
  assert.deepEqual(new Set(await later).size, 2);
  assert.equal(asked, 4);
});

const figuresOfCarrier = {
  outcomes: { accepted: 3, permanent: 1 },
  receipts: {},
  inbound: 2,
  delivered: 2,
  failed: 1,
  receiptSeconds: new HistogramCount(longTimes),
};

/** The meter of an account. */
function meterOf(messages: number, charged: bigint) {
  return { messages: { http: messages }, parts: messages, charged, refused: {} };
}

it('totals are summed over accounts and carriers, and amounts are summed by currency', async () => {
  const figures = {
    accounts: new Map([
      [1, meterOf(2, 30n)],
      [2, meterOf(1, 5n)],
      [3, { ...meterOf(0, 0n), refused: { rate_limited: 4 } }],
    ]),
    carriers: new Map([[1, figuresOfCarrier]]),
  };
  const sums = trafficOf(figures, (id) => (id === 1 ? 'EUR' : 'CHF'));
  assert.deepEqual(
    sums.map(({ currency, messages, refused, sent, charged }) => [currency, messages, refused, sent, charged]),
    [
      ['', 3, 4, 3, 0n],
      ['EUR', 0, 0, 0, 30n],
      ['CHF', 0, 0, 0, 5n],
    ],
  );
});

/** A message of an account that can pay for ten. */
const hello = { account: 'acme', sender: 'Shop', receiver: '+41791112233', text: 'Hello' };

describe('the figures of messages', () => {
  before(async () => {
    const { account, carrier, price, route } = operatorCalls(gateway.operator);
    done(await carrier.add({ name: 'alpha', host: '127.0.0.1', port: 1, systemId: 'us', password: 'secret' }));
    done(await route.add({ prefix: '41', carrier: 'alpha' }));
    done(await account.add({ name: 'acme', currency: 'EUR', balance: '1' }));
    done(await price.set({ list: 'default', currency: 'EUR', prices: pricesOf({ 41: '0.1' }) }));
  });

  it('each operator who watches a message has an entry in the audit log', async () => {
    const { msgId } = done(await operatorCalls(gateway.operator).message.send(hello));
    const watchers = [await addOperator(gateway, 'operator', 'one'), await addOperator(gateway, 'operator', 'two')];
    const streams = watchers.map((each) => ask(`/admin/v1/messages/${msgId}`, each.key, 'text/event-stream'));
    for (const answer of await Promise.all(streams)) answer.socket.destroy();
    const log = done(await operatorCalls(gateway.operator).audit.list({ operation: 'message.show' }));
    assert.deepEqual(log.items.map(({ operator }) => operator).toSorted(), ['one', 'two']);
  });

  it('the history has the stored figures of each minute and of each hour', async () => {
    const { operator } = gateway;
    const { traffic, message } = operatorCalls(operator);
    await operator.counts.write();
    const sumOf = async (span: 'minute' | 'hour') => {
      const { items } = done(await traffic.history({ span }));
      const sum = (read: (row: (typeof items)[number]) => number) => items.reduce((all, row) => all + read(row), 0);
      const charged = items.flatMap((row) => row.charged).filter(({ currency }) => currency === 'EUR');
      return [sum(({ messages }) => messages), charged.reduce((all, { amount }) => all + amount, 0n)] as const;
    };
    const earlier = { minute: await sumOf('minute'), hour: await sumOf('hour') };
    for (let sent = 0; sent < 2; sent++) {
      done(await message.send(hello));
      await operator.counts.write();
    }
    for (const span of ['minute', 'hour'] as const) {
      const [messages, charged] = await sumOf(span);
      assert.deepEqual([messages - earlier[span][0], charged - earlier[span][1]], [2, 200_000n], span);
    }
    const [newest, ...older] = done(await traffic.history({ limit: 1 })).items;
    assert.ok(newest && older.length === 0);
    assert.deepEqual(done(await traffic.ofCarrier({ carrier: 'alpha' })).items, []);
    assert.deepEqual(done(await traffic.answers({ carrier: 'alpha' })), {
      outcomes: [],
      receipts: 0,
      receiptTimes: [],
    });
  });

  it('the live figures name the bottleneck of the messages, as one answer and as a stream', async () => {
    const { traffic } = operatorCalls(gateway.operator);
    const now = done(await traffic.now());
    assert.ok(now.links >= now.linksBound && now.messages >= 2);
    const controller = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${gateway.adminPort}${adminBase}/traffic/now`, {
      headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
      signal: controller.signal,
    });
    assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/);
    const reader = answer.body?.getReader();
    const { value = new Uint8Array() } = (await reader?.read()) ?? {};
    assert.match(new TextDecoder().decode(value), /^data: \{"at":.*"bottleneck":"\w+".*\}\n\n$/);
    controller.abort();
  });
});
