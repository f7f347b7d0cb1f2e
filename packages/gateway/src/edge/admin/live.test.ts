import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { it } from 'node:test';
import { gateway, key } from '../../../test/support/gateway/admin-api.ts';
import { done } from '../../../test/support/done.ts';
import { addOperator } from '../../../test/support/gateway/operators.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { operatorCalls } from './handlers.ts';
import { LiveAnswers } from './live.ts';

/* Who watches the gateway with event streams does not block others. */

/** Asks on a connection of its own, which stays open. The answer's body is not read. */
async function ask(path: string, given: string, accept = '*/*'): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${given}`, accept };
  const asked = request({ port: gateway.adminPort, host: '127.0.0.1', path, headers, agent: false }).end();
  const [answer]: IncomingMessage[] = await once(asked, 'response');
  assert.ok(answer);
  answer.on('error', () => undefined);
  return answer;
}

const stream = (given: string) => ask('/admin/v1/traffic/now', given, 'text/event-stream');

it('a viewer who asks for 100 streams has four, and blocks neither status, metrics nor other operators', async () => {
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

it('120 connections of a viewer, who keeps all of them open, block nobody', async () => {
  const viewer = await addOperator(gateway, 'viewer', 'keeper');
  const kept: IncomingMessage[] = [];
  for (let at = 0; at < 120; at += 1) kept.push((await ask('/admin/v1/whoami', viewer.key)).resume());
  for (const path of ['/admin/v1/status', '/metrics']) assert.equal((await ask(path, key)).statusCode, 200);
  for (const { socket } of kept) socket.destroy();
});

it('90 addresses whose connections do not read their answers do not lock out a key', async () => {
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
  // Some of them are replaced by later ones, and fail.
  await Promise.allSettled(unread.map((socket) => once(socket, 'readable')));
  for (const path of ['/admin/v1/status', '/metrics']) {
    const answer = await ask(path, key);
    assert.equal(answer.statusCode, 200, path);
    answer.socket.destroy();
  }
  for (const socket of unread) socket.destroy();
});

it('each operator who watches a message has an entry in the audit log', async () => {
  const calls = operatorCalls(gateway.operator);
  const carrier = { name: 'alpha', host: '127.0.0.1', port: 1, systemId: 'us', password: 'secret' };
  done(await calls.carrier.add(carrier));
  done(await calls.route.add({ prefix: '41', carrier: 'alpha' }));
  done(await calls.account.add({ name: 'acme', currency: 'EUR', balance: toMicros(1_000_000n) }));
  done(
    await calls.price.set({ list: 'default', currency: 'EUR', prices: [{ prefix: '41', price: toMicros(100_000n) }] }),
  );
  const message = { account: 'acme', sender: 'Shop', receiver: '+41791112233', text: 'Hello' };
  const { msgId } = done(await calls.message.send(message));
  const watchers = [await addOperator(gateway, 'operator', 'one'), await addOperator(gateway, 'operator', 'two')];
  const streams = watchers.map((each) => ask(`/admin/v1/messages/${msgId}`, each.key, 'text/event-stream'));
  for (const answer of await Promise.all(streams)) answer.socket.destroy();
  const log = done(await operatorCalls(gateway.operator).audit.list({ operation: 'message.show' }));
  assert.deepEqual(log.items.map(({ operator }) => operator).toSorted(), ['one', 'two']);
});

it('all streams of an answer share one question a second', async () => {
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
