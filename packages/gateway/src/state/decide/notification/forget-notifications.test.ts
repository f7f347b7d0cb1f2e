import { loginWithoutPassword, operate, viewOf } from '../../../../test/support/store/operate.ts';
import type { CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notificationTriesMax } from '../../../core/notification/notification.ts';
import { TestStore } from '../../../../test/support/store/store.ts';

/* The command deletes notifications that ended long ago, and none that is still needed. */

const kept = 1_000;

/** Adds notifications that were made and ended at these times, counted from the start of the store's clock. */
async function add(
  store: TestStore,
  ...rows: readonly (readonly [kind: string, state: string, made: number, ended?: number])[]
) {
  const insert = `insert into notification (id, account, kind, subject, is_callback, by_session, webhook, state, due, tries, created_at, ended_at,
        replayed_after)
      values ((select coalesce(max(id), 0) + 1 from notification), 1, ?, 1, 0, 1, null, ?, ?, 1, ?, ?, 0)`;
  for (const [kind, state, made, ended] of rows)
    await store.run(insert, kind, state, state === 'waiting' ? made : null, made, ended ?? null);
  await store.restart();
}

function forget(store: TestStore, after = 0, max = 100): CommandOf<'forget-notifications'> {
  return { kind: 'forget-notifications', at: store.now, before: kept, after, max };
}

const ids = (store: TestStore) => store.ids('notification');

test('receipts, alerts and dead letters are deleted after their time; waiting, young and inbound ones are kept', async () => {
  await using store = await TestStore.open();
  await add(
    store,
    ['receipt', 'delivered', 1, 2],
    ['receipt', 'waiting', 1],
    ['inbound', 'delivered', 1, 2],
    ['inbound', 'dead', 1, 2],
    ['receipt', 'dead', 1, 2],
    ['alert', 'delivered', 1, 2],
    ['receipt', 'delivered', 1, kept],
    ['receipt', 'delivered', kept, kept],
    ['receipt', 'delivered', kept, kept],
  );
  await store.run(
    "insert into notification_try (notification, number, at, tried_by, outcome) values (1, 1, 0, 'webhook 1', '500'), (2, 1, 0, 'webhook 1', '500')",
  );
  assert.deepEqual(await store.one(forget(store)), { ok: true, value: { last: 6, isMore: false } });
  assert.deepEqual(await ids(store), [2, 3, 4, 7, 8, 9]);
  // A notification that ended later is checked again when its time has come.
  assert.deepEqual(await store.one({ ...forget(store, 6), before: kept + 1 }), {
    ok: true,
    value: { last: 8, isMore: false },
  });
  assert.deepEqual(await ids(store), [2, 3, 4, 9]);
  assert.deepEqual(await store.rows('select notification from notification_try'), [{ notification: 2 }]);
  await assert.rejects(() => viewOf(store.queries, 'notification.show', { notification: 1 }), /does_not_exist/);
  assert.equal((await viewOf(store.queries, 'notification.show', { notification: 2 })).id, 2);
});

test('notifications are checked in batches, each once', async () => {
  await using store = await TestStore.open();
  await add(
    store,
    ...Array.from({ length: 6 }, (_, at) => ['receipt', at === 1 ? 'waiting' : 'delivered', 1, 2] as const),
  );
  assert.deepEqual(await store.one(forget(store, 0, 3)), { ok: true, value: { last: 3, isMore: true } });
  assert.deepEqual(await ids(store), [2, 4, 5, 6]);
  assert.deepEqual(await store.one(forget(store, 3, 3)), { ok: true, value: { last: 5, isMore: false } });
  assert.deepEqual(await ids(store), [2, 6]);
});

test('a notification id is never given out twice, whatever was deleted, and over restarts', async () => {
  await using store = await TestStore.open();
  await store.one(login);
  await add(store, ['receipt', 'delivered', 1, 2], ['receipt', 'delivered', 1, 2]);
  await store.one(forget(store));
  await store.restart();
  const accept = store.accept({ source: 'smpp', wantedReceipts: 'all' });
  await store.one(accept);
  await store.claim(10);
  await store.one(store.outcome(accept.id, { carrierId: 'x', carrierIdKey: 'x' }));
  await store.one(store.receipt('x', { state: 'DELIVERED' }));
  const [kept2, made] = await ids(store);
  assert.ok(kept2 === 2 && made !== undefined && made > 2);
});

test('a dead letter that is replayed in the same commit is kept; a deleted one is not replayed', async () => {
  await using store = await TestStore.open();
  await store.one(login);
  await add(store, ['receipt', 'dead', 1, 2], ['receipt', 'dead', 1, 2], ['receipt', 'delivered', kept, kept]);
  const replay = (notification: number) => operate('webhook.replay', { notification }, { at: store.now });
  await store.apply(replay(1), forget(store), replay(2));
  assert.deepEqual(await ids(store), [1, 3]);
  assert.equal(await store.value('select state from notification where id = 1'), 'waiting');
});

test(`only the newest ${notificationTriesMax} failed tries of a notification are kept, but all are counted`, async () => {
  await using store = await TestStore.open();
  await add(store, ['receipt', 'waiting', 1]);
  const by = 'session acme';
  for (let tries = 0; tries < notificationTriesMax + 20; tries += 1) {
    await store.one({
      kind: 'notification-tried',
      at: tries,
      notification: 1,
      due: tries + 1,
      isDelivered: false,
      by,
      detail: 'later',
    });
  }
  assert.equal(await store.value('select count(*) from notification_try'), notificationTriesMax);
  const { tries, failures } = await viewOf(store.queries, 'notification.show', { notification: 1 });
  assert.deepEqual([tries, failures.at(0)?.try, failures.at(-1)?.try], [121, 22, 121]);
});

const login = operate('login.add', { account: 'acme' }, { at: 0, made: loginWithoutPassword });
