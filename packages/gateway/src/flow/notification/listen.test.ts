import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NoticeContent } from '../../core/notification/notification.ts';
import { zeroMicros } from '@morsel/api/values/money.ts';
import type { Heard } from '../../store/tables/notification.ts';
import { Listening } from './listen.ts';

interface Scene {
  readonly listening: Listening;
  /** Accounts that the store was told of, in the order in which it was. */
  readonly told: (readonly number[])[];
  now: number;
}

function scene(): Scene {
  const told: (readonly number[])[] = [];
  const made: Scene = {
    told,
    now: 1,
    listening: new Listening({
      journal: { listen: (accounts) => told.push(accounts) },
      // The content is of no matter here: its time tells which one it is.
      content: (heard) => Promise.resolve(contentOf(heard)),
      monotonicMs: () => made.now,
    }),
  };
  return made;
}

function contentOf({ subject: at }: Heard): NoticeContent {
  return { kind: 'alert', alert: 'low-balance', threshold: zeroMicros, balance: zeroMicros, currency: 'EUR', at };
}

const event = (account: number, subject: number): Heard => ({ account, kind: 'alert', subject, told: null });

async function hear(listening: Listening, account: number, after?: number): Promise<[number[], number, number]> {
  const heard = await listening.listen(account, after);
  assert.ok(heard.ok);
  const { events, last, missed } = heard.value;
  return [events.map(({ content }) => (content.kind === 'alert' ? content.at : 0)), last, missed];
}

test('who listens hears what comes after that, once and in order', async () => {
  const { listening, told } = scene();
  assert.deepEqual(await hear(listening, 1), [[], 0, 0]);
  assert.deepEqual(told, [[1]]);
  const asked = hear(listening, 1, 0);
  listening.heard([event(2, 5), event(1, 7), event(1, 8)]);
  assert.deepEqual((await asked)[0][0], 7);
  assert.deepEqual(await hear(listening, 1, 1), [[8], 2, 0]);
  assert.deepEqual(await hear(listening, 1, 0), [[7, 8], 2, 0], 'who lost an answer asks again');
});

test('who comes late is told how much it has missed', async () => {
  const { listening } = scene();
  await hear(listening, 1);
  for (let at = 1; at <= 1_500; at++) {
    listening.heard([event(1, at)]);
    if (at % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const [events, last, missed] = await hear(listening, 1, 0);
  assert.deepEqual([events.length, events[0], last, missed], [1_000, 501, 1_500, 500]);
});

test('a minute after the last question nobody listens, and the store says no more', async () => {
  const made = scene();
  await hear(made.listening, 1);
  made.now += 59_000;
  await hear(made.listening, 2);
  assert.deepEqual(made.told.at(-1), [1, 2]);
  made.now += 2_000;
  made.listening.heard([event(2, 1)]);
  assert.deepEqual(made.told.at(-1), [2]);
});

test('no more than fifty accounts are listened to at once', async () => {
  const { listening } = scene();
  for (let account = 1; account <= 50; account++) await hear(listening, account);
  const refused = await listening.listen(51, undefined);
  assert.equal(refused.ok ? '' : refused.error.code, 'unavailable');
});
