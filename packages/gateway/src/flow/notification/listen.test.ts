import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NotificationContent } from '../../core/notification/notification.ts';
import { zeroMicros } from '@morsel/api/values/money.ts';
import { noFigures, type ListenEvent } from '../../state/tables/notification.ts';
import { onlyNode } from '../nodes/nodes.ts';
import { Listening } from './listen.ts';
import { TestClock } from '../../../test/support/test-clock.ts';

interface Scene {
  readonly listening: Listening;
  /** The accounts that the store was given, in order. */
  readonly listened: (readonly number[])[];
  readonly clock: TestClock;
}

function scene(): Scene {
  const clock = TestClock.still();
  clock.advance(1);
  const listened: (readonly number[])[] = [];
  const made: Scene = {
    listened,
    clock,
    listening: new Listening({
      nodes: onlyNode,
      journal: { listen: (accounts) => listened.push(accounts) },
      // Any content; its time identifies the event.
      content: (heard) => Promise.resolve(contentOf(heard)),
      clock,
    }),
  };
  return made;
}

function contentOf({ subject: at }: ListenEvent): NotificationContent {
  return { kind: 'alert', alert: 'low-balance', threshold: zeroMicros, balance: zeroMicros, currency: 'EUR', at };
}

const event = (account: number, subject: number): ListenEvent => ({ ...noFigures, account, kind: 'alert', subject });

async function hear(listening: Listening, account: number, after?: number): Promise<[number[], number, number]> {
  const heard = await listening.listen(account, after);
  assert.ok(heard.ok);
  const { events, last, missed } = heard.value;
  return [events.map(({ content }) => (content.kind === 'alert' ? content.at : 0)), last, missed];
}

test('a listener gets later events, once and in order', async () => {
  const { listening, listened } = scene();
  assert.deepEqual(await hear(listening, 1), [[], 0, 0]);
  assert.deepEqual(listened, [[1]]);
  const asked = hear(listening, 1, 0);
  listening.take([event(2, 5), event(1, 7), event(1, 8)]);
  assert.deepEqual((await asked)[0][0], 7);
  assert.deepEqual(await hear(listening, 1, 1), [[8], 2, 0]);
  assert.deepEqual(await hear(listening, 1, 0), [[7, 8], 2, 0], 'who lost an answer asks again');
});

test('a late listener learns how many events it missed', async () => {
  const { listening } = scene();
  await hear(listening, 1);
  for (let at = 1; at <= 1_500; at++) {
    listening.take([event(1, at)]);
    if (at % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const [events, last, missed] = await hear(listening, 1, 0);
  assert.deepEqual([events.length, events[0], last, missed], [1_000, 501, 1_500, 500]);
});

test('a minute after its last request a listener is forgotten, and the store reports no more events', async () => {
  const made = scene();
  await hear(made.listening, 1);
  made.clock.advance(59_000);
  await hear(made.listening, 2);
  assert.deepEqual(made.listened.at(-1), [1, 2]);
  made.clock.advance(2_000);
  made.listening.take([event(2, 1)]);
  assert.deepEqual(made.listened.at(-1), [2]);
});

test('no more than fifty accounts have listeners at once', async () => {
  const { listening } = scene();
  for (let account = 1; account <= 50; account++) await hear(listening, account);
  const refused = await listening.listen(51, undefined);
  assert.equal(refused.ok ? '' : refused.error.code, 'unavailable');
});
