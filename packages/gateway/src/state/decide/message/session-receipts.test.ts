import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionNotificationMs } from '../../../core/notification/retry.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import { stories, tell } from '../../../../test/support/store/stories/story.ts';

/* Receipts for messages submitted over SMPP: the sessions that get them, and how long they wait for a session (D6). */

const wishes = [
  ['none', 'DELIVERED', ''],
  ['none', 'UNDELIVERABLE', ''],
  ['all', 'DELIVERED', 'delivered 1 waiting'],
  ['all', 'UNDELIVERABLE', 'undelivered 1 waiting'],
  ['failures', 'DELIVERED', ''],
  ['failures', 'UNDELIVERABLE', 'undelivered 1 waiting'],
  ['successes', 'DELIVERED', 'delivered 1 waiting'],
  ['successes', 'UNDELIVERABLE', ''],
] as const;
for (const [wanted, state, told] of wishes) {
  stories({
    [`a client that wants ${wanted}, and ${state}: ${told === '' ? 'no session gets it' : 'a session gets it'}`]: `
      login; accept alpha receipts=${wanted}; 1 accepted id=a; receipt a ${state}; notifications = ${told}`,
  });
}

const sent = 'accept alpha receipts=all';
const again = (number: number) => `${sent}; ${number} accepted id=${number}; receipt ${number}`;
stories({
  'what its sender wanted is known when the receipt comes after a restart, and its session is notified once (D4)': `
    login; accept 2 alpha receipts=all; 1.1 accepted id=a; 1.2 accepted id=b; restart; receipt a; notifications =
    receipt b; receipt b; notifications = delivered 1 waiting`,
  'a receipt that corrects an earlier one is delivered, too, also to a client that wants failures': `
    login; ${sent}; accept alpha receipts=failures; 1 accepted id=a; 2 accepted id=b; expire 720h; receipt a; receipt b
    receipt b UNDELIVERABLE
    notifications = unknown 1 waiting | delivered 1 waiting | unknown 1 waiting | delivered 1 waiting`,
  'adding and removing logins decides whether sessions get notifications, at once and after a restart': `
    ${again(1)}; rows notification = 0; login; login other; ${again(2)}; rows notification = 1
    no-login acme; ${again(3)}; rows notification = 2; restart; ${again(4)}; rows notification = 3
    no-login other; ${again(5)}; rows notification = 3`,
});

async function notifications(store: TestStore): Promise<unknown[]> {
  return (await store.rows('select subject, event, by_session, state from notification order by id')).map((row) =>
    Object.values(row).join(' '),
  );
}

test('a notification that no session fetched in 7 days is a dead letter, unless a webhook may get it or it is younger', async () => {
  await using store = await TestStore.open();
  await tell(store, 'account other 100; login; login other other');
  for (const [at, wanted] of ['receipts=all', 'receipts=failures', 'receipts=all account=2'].entries())
    await tell(store, `accept alpha ${wanted}; ${at + 1} accepted id=${at}; receipt ${at} UNDELIVERABLE; wait 1s`);
  const receipts = [1001, 1002, 1003];
  assert.deepEqual(
    store.news.map(({ bySession, webhook }) => [bySession, webhook]),
    receipts.map(() => [true, null]),
  );
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
