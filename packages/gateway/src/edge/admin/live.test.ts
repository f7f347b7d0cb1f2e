import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { it } from 'node:test';
import { gateway, key } from '../../../test/support/admin-api.ts';
import { addOperator } from '../../../test/support/operators.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
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
