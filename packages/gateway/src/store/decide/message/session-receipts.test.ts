import type { CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionNotificationMs } from '../../../core/notification/retry.ts';
import type { Accept } from '../../commands/commands.ts';
import { TestStore } from '../../../../test/support/store.ts';

/* Receipts for messages submitted over SMPP: the sessions that get them, and how long they wait for a session (D6). */

const password = { hash: new Uint8Array(32), salt: new Uint8Array(16), cost: 1024, block: 8, lanes: 1 };

function login(store: TestStore, systemId = 'acme'): CommandOf<'add-login'> {
  return { kind: 'add-login', at: store.now, account: 'acme', systemId, password, from: 'any' };
}

function open(hasLogin = true): TestStore {
  const store = new TestStore();
  if (hasLogin) store.one(login(store));
  return store;
}

let lastId = 0;

/** A message that a carrier has taken. */
function sent(store: TestStore, more: Partial<Accept> = {}): { id: number; carrierId: string } {
  const accept = store.accept({ source: 'smpp', ...more });
  const carrierId = `c${++lastId}`;
  store.one(accept);
  store.claim(10);
  for (let part = 1; part <= accept.numParts; part++) {
    const named = `${carrierId}.${part}`;
    store.one(store.outcome(accept.id, { part, carrierId: named, carrierIdKey: named }));
  }
  return { id: accept.id, carrierId };
}

function notifications(store: TestStore): unknown[] {
  return store.database
    .prepare('select subject, event, by_session, state from notification order by id')
    .all()
    .map((row) => Object.values(row).join(' '));
}

const wishes = [
  [undefined, 'DELIVERED', null],
  [undefined, 'UNDELIVERABLE', null],
  [1, 'DELIVERED', 'delivered'],
  [1, 'UNDELIVERABLE', 'undelivered'],
  [2, 'DELIVERED', null],
  [2, 'UNDELIVERABLE', 'undelivered'],
  [3, 'DELIVERED', 'delivered'],
  [3, 'UNDELIVERABLE', null],
] as const;

for (const [registered, state, event] of wishes) {
  test(`registered_delivery ${registered ?? 0} and ${state}: ${event === null ? 'no session gets it' : 'a session gets it'}`, () => {
    using store = open();
    const { id, carrierId } = sent(store, registered === undefined ? {} : { registered });
    store.one(store.receipt(`${carrierId}.1`, { state }));
    assert.deepEqual(notifications(store), event === null ? [] : [`${id} ${event} 1 waiting`]);
    assert.deepEqual(
      store.news.map(({ bySession, webhook }) => [bySession, webhook]),
      event === null ? [] : [[true, null]],
    );
  });
}

for (const hasRestarted of [false, true]) {
  test(`what its sender wanted is known when the receipt comes${hasRestarted ? ' after a restart' : ''}`, () => {
    using store = open();
    const { id, carrierId } = sent(store, { registered: 1, numParts: 2 });
    if (hasRestarted) store.restart();
    store.one(store.receipt(`${carrierId}.1`));
    assert.deepEqual(notifications(store), [], 'not before its end');
    store.one(store.receipt(`${carrierId}.2`));
    store.one(store.receipt(`${carrierId}.2`));
    assert.deepEqual(notifications(store), [`${id} delivered 1 waiting`], 'once (D4)');
  });
}

for (const registered of [1, 2]) {
  test(`a receipt that corrects an earlier one is delivered, too, with registered_delivery ${registered}`, () => {
    using store = open();
    const { id, carrierId } = sent(store, { registered });
    store.now += 30 * 24 * 3_600_000;
    store.one({ kind: 'expire', at: store.now, max: 10 });
    assert.deepEqual(notifications(store), [`${id} unknown 1 waiting`]);
    store.one(store.receipt(`${carrierId}.1`));
    store.one(store.receipt(`${carrierId}.1`, { state: 'UNDELIVERABLE' }));
    assert.deepEqual(notifications(store), [`${id} unknown 1 waiting`, `${id} delivered 1 waiting`]);
  });
}

test('adding and removing logins decides whether sessions get notifications, at once and after a restart', () => {
  using store = open(false);
  const tell = () => {
    const { carrierId } = sent(store, { registered: 1 });
    store.one(store.receipt(`${carrierId}.1`));
    return notifications(store).length;
  };
  assert.equal(tell(), 0, 'nobody may bind');
  store.one(login(store));
  store.one(login(store, 'other'));
  assert.equal(tell(), 1);
  store.one({ kind: 'remove-login', at: store.now, systemId: 'acme' });
  assert.equal(tell(), 2, 'the other login is there');
  store.restart();
  assert.equal(tell(), 3);
  store.one({ kind: 'remove-login', at: store.now, systemId: 'other' });
  assert.equal(tell(), 3, 'nobody may bind any more');
});

test('a notification that no session fetched in 7 days is a dead letter, unless a webhook may get it or it is younger', () => {
  using store = open();
  store.addAccount('other', 100);
  store.one({ ...login(store, 'other'), account: 'other' });
  const receipts: number[] = [];
  for (const [account, registered] of [
    [1, 1],
    [1, 2],
    [2, 1],
  ] as const) {
    const { id, carrierId } = sent(store, { account, registered });
    receipts.push(id);
    store.one(store.receipt(`${carrierId}.1`, { state: 'UNDELIVERABLE' }));
    store.now += 1_000;
  }
  store.database.exec(
    `insert into webhook values (1, 1, 'https://example.com/', 'post-json', '["receipt"]', null, null, null, null, 10, '[]', 'active', null, 0, null, null, null);
     update notification set webhook = 1 where id = 2`,
  );
  const expire = () => {
    const before = store.now - sessionNotificationMs;
    const expired = store.one<'expire-notifications'>({ kind: 'expire-notifications', at: store.now, before, max: 1 });
    return expired.ok && expired.value.isMore;
  };
  assert.equal(expire(), false);
  const [one, two, three] = receipts;
  const all = [`${one} undelivered 1 waiting`, `${two} undelivered 1 waiting`, `${three} undelivered 1 waiting`];
  assert.deepEqual(notifications(store), all);
  store.now += sessionNotificationMs - 1_000;
  assert.equal(expire(), true);
  assert.equal(expire(), false);
  assert.deepEqual(notifications(store), [`${one} undelivered 1 dead`, ...all.slice(1)]);
  store.now += 1_000;
  expire();
  assert.deepEqual(notifications(store), [`${one} undelivered 1 dead`, all[1], `${three} undelivered 1 dead`]);
  assert.equal(store.value('select outcome from notification where id = 1'), 'no session was bound in time');
});
