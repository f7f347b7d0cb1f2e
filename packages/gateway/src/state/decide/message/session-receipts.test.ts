import { loginWithoutPassword, operate } from '../../../../test/support/store/operate.ts';
import type { CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionNotificationMs } from '../../../core/notification/retry.ts';
import { TestStore } from '../../../../test/support/store/store.ts';

/* Receipts for messages submitted over SMPP: the sessions that get them, and how long they wait for a session (D6). */

function login(store: TestStore, systemId = 'acme', account = 'acme'): CommandOf<'operate'> {
  return operate('login.add', { account, systemId }, { at: store.now, made: loginWithoutPassword });
}

async function open(hasLogin = true): Promise<TestStore> {
  const store = await TestStore.open();
  if (hasLogin) await store.one(login(store));
  return store;
}

let lastId = 0;

/** A message that a carrier has taken. */
async function sent(
  store: TestStore,
  more: Partial<CommandOf<'accept'>> = {},
): Promise<{ id: number; carrierId: string }> {
  const accept = store.accept({ source: 'smpp', ...more });
  const carrierId = `c${++lastId}`;
  await store.one(accept);
  await store.claim(10);
  for (let part = 1; part <= accept.numParts; part++) {
    const named = `${carrierId}.${part}`;
    await store.one(store.outcome(accept.id, { part, carrierId: named, carrierIdKey: named }));
  }
  return { id: accept.id, carrierId };
}

async function notifications(store: TestStore): Promise<unknown[]> {
  return (await store.rows('select subject, event, by_session, state from notification order by id')).map((row) =>
    Object.values(row).join(' '),
  );
}

const wishes = [
  [undefined, 'DELIVERED', null],
  [undefined, 'UNDELIVERABLE', null],
  ['all', 'DELIVERED', 'delivered'],
  ['all', 'UNDELIVERABLE', 'undelivered'],
  ['failures', 'DELIVERED', null],
  ['failures', 'UNDELIVERABLE', 'undelivered'],
  ['successes', 'DELIVERED', 'delivered'],
  ['successes', 'UNDELIVERABLE', null],
] as const;

for (const [wantedReceipts, state, event] of wishes) {
  test(`a client that wants ${wantedReceipts ?? 'none'}, and ${state}: ${event === null ? 'no session gets it' : 'a session gets it'}`, async () => {
    await using store = await open();
    const { id, carrierId } = await sent(store, wantedReceipts === undefined ? {} : { wantedReceipts });
    await store.one(store.receipt(`${carrierId}.1`, { state }));
    assert.deepEqual(await notifications(store), event === null ? [] : [`${id} ${event} 1 waiting`]);
    assert.deepEqual(
      store.news.map(({ bySession, webhook }) => [bySession, webhook]),
      event === null ? [] : [[true, null]],
    );
  });
}

for (const hasRestarted of [false, true]) {
  test(`what its sender wanted is known when the receipt comes${hasRestarted ? ' after a restart' : ''}`, async () => {
    await using store = await open();
    const { id, carrierId } = await sent(store, { wantedReceipts: 'all', numParts: 2 });
    if (hasRestarted) await store.restart();
    await store.one(store.receipt(`${carrierId}.1`));
    assert.deepEqual(await notifications(store), [], 'not before its end');
    await store.one(store.receipt(`${carrierId}.2`));
    await store.one(store.receipt(`${carrierId}.2`));
    assert.deepEqual(await notifications(store), [`${id} delivered 1 waiting`], 'once (D4)');
  });
}

for (const wantedReceipts of ['all', 'failures'] as const) {
  test(`a receipt that corrects an earlier one is delivered, too, to a client that wants ${wantedReceipts}`, async () => {
    await using store = await open();
    const { id, carrierId } = await sent(store, { wantedReceipts });
    store.now += 30 * 24 * 3_600_000;
    await store.one({ kind: 'expire', at: store.now, max: 10 });
    assert.deepEqual(await notifications(store), [`${id} unknown 1 waiting`]);
    await store.one(store.receipt(`${carrierId}.1`));
    await store.one(store.receipt(`${carrierId}.1`, { state: 'UNDELIVERABLE' }));
    assert.deepEqual(await notifications(store), [`${id} unknown 1 waiting`, `${id} delivered 1 waiting`]);
  });
}

test('adding and removing logins decides whether sessions get notifications, at once and after a restart', async () => {
  await using store = await open(false);
  const tell = async () => {
    const { carrierId } = await sent(store, { wantedReceipts: 'all' });
    await store.one(store.receipt(`${carrierId}.1`));
    return (await notifications(store)).length;
  };
  assert.equal(await tell(), 0, 'nobody may bind');
  await store.one(login(store));
  await store.one(login(store, 'other'));
  assert.equal(await tell(), 1);
  await store.one(operate('login.remove', { systemId: 'acme' }, { at: store.now }));
  assert.equal(await tell(), 2, 'the other login is there');
  await store.restart();
  assert.equal(await tell(), 3);
  await store.one(operate('login.remove', { systemId: 'other' }, { at: store.now }));
  assert.equal(await tell(), 3, 'nobody may bind any more');
});

test('a notification that no session fetched in 7 days is a dead letter, unless a webhook may get it or it is younger', async () => {
  await using store = await open();
  await store.addAccount('other', 100);
  await store.one(login(store, 'other', 'other'));
  const receipts: number[] = [];
  for (const [account, wantedReceipts] of [
    [1, 'all'],
    [1, 'failures'],
    [2, 'all'],
  ] as const) {
    const { id, carrierId } = await sent(store, { account, wantedReceipts });
    receipts.push(id);
    await store.one(store.receipt(`${carrierId}.1`, { state: 'UNDELIVERABLE' }));
    store.now += 1_000;
  }
  await store.run(
    `insert into webhook (id, account, url, method, kinds, concurrency, allowed, status, created_at)
       values (1, 1, 'https://example.com/', 'post-json', '["receipt"]', 10, '[]', 'active', 0);
     update notification set webhook = 1 where id = ${(await store.ids('notification'))[1] ?? 0}`,
  );
  const expire = async () => {
    const before = store.now - sessionNotificationMs;
    const expired = await store.one<'expire-notifications'>({
      kind: 'expire-notifications',
      at: store.now,
      before,
      max: 1,
    });
    return expired.ok && expired.value.isMore;
  };
  assert.equal(await expire(), false);
  const [one, two, three] = receipts;
  const all = [`${one} undelivered 1 waiting`, `${two} undelivered 1 waiting`, `${three} undelivered 1 waiting`];
  assert.deepEqual(await notifications(store), all);
  store.now += sessionNotificationMs - 1_000;
  assert.equal(await expire(), true);
  assert.equal(await expire(), false);
  assert.deepEqual(await notifications(store), [`${one} undelivered 1 dead`, ...all.slice(1)]);
  store.now += 1_000;
  await expire();
  assert.deepEqual(await notifications(store), [`${one} undelivered 1 dead`, all[1], `${three} undelivered 1 dead`]);
  const outcomes = await store.rows('select outcome from notification order by id limit 1');
  assert.deepEqual(outcomes, [{ outcome: 'no session was bound in time' }]);
});
