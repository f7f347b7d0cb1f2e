import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TestStore } from '../../../../test/support/store/store.ts';
import { viewOf } from '../../../../test/support/store/operate.ts';
import type { ViewInput } from '../views.ts';

const names = ['', 'acme', 'beta'];

/** The notifications. Account 1 has webhooks 1 and 2; account 2 has webhook 3. */
const notifications: readonly (readonly [account: number, webhook: number | null, bySession: number, state: string])[] =
  [
    [1, 1, 0, 'delivered'],
    [1, 1, 1, 'waiting'],
    [2, 3, 0, 'waiting'],
    [1, null, 1, 'waiting'],
    [2, 3, 0, 'dead'],
    [1, 2, 0, 'waiting'],
    [1, 2, 0, 'dead'],
    [2, 3, 1, 'delivered'],
  ];

async function open(): Promise<TestStore> {
  const store = await TestStore.open();
  await store.addAccount('beta', 0);
  for (const [id, account] of [
    [1, 1],
    [2, 1],
    [3, 2],
  ])
    await store.run(`insert into webhook (id, account, url, method, kinds, concurrency, allowed, status, created_at)
      values (${id}, ${account}, 'https://example.com/', 'post-json', '["receipt"]', 10, '[]', 'active', 0)`);
  const insert = `insert into notification (id, account, kind, subject, is_callback, by_session, webhook, state, due, tries, created_at, replayed_after)
      values (?, ?, 'receipt', 1, 0, ?, ?, ?, ?, 0, 0, 0)`;
  for (const [at, [account, webhook, bySession, state]] of notifications.entries())
    await store.run(insert, at + 1, account, bySession, webhook, state, state === 'waiting' ? 1 : null);
  return store;
}

const rows: readonly Partial<ViewInput<'notification.list'>>[] = [
  {},
  { after: '4' },
  { account: 'acme' },
  { account: 'acme', after: '4' },
  { account: 'acme', state: 'delivered' },
  { webhook: 2 },
  { state: 'dead' },
  { account: 'acme', state: 'dead' },
  { webhook: 2, state: 'dead' },
  { state: 'waiting' },
  { account: 'acme', state: 'waiting' },
  { webhook: 1, state: 'waiting' },
  { account: 'beta', webhook: 1, state: 'waiting' },
];

it('a list has the notifications that were asked for, and no others, the newest first', async () => {
  await using store = await open();
  for (const asked of rows) {
    const found = await viewOf(store.queries, 'notification.list', { limit: 50, ...asked });
    const wanted = notifications
      .map(([account, webhook, , state], at) => ({ id: at + 1, account, webhook, state }))
      .filter(
        (each) =>
          (asked.account ?? names[each.account]) === names[each.account] &&
          (asked.webhook ?? each.webhook) === each.webhook &&
          (asked.state ?? each.state) === each.state &&
          each.id < Number(asked.after ?? 99),
      );
    assert.deepEqual(
      found.items.map(({ id }) => id),
      wanted.map(({ id }) => id).toReversed(),
      JSON.stringify(asked),
    );
  }
});
