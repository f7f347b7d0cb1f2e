import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SqliteTestStore } from '../../../../test/support/store/store.ts';
import { viewOf } from '../../../../test/support/store/operate.ts';
import type { ViewInput } from '../views.ts';
import { text, type Stored } from '../../../state/tables/column.ts';
import { shape, type Shape } from '../../../state/tables/table.ts';
import { SqliteQueries } from '../../sqlite/queries.ts';
import { testVault } from '../../../../test/support/store/vault.ts';

const planShape = shape({ detail: text });

/** Records the plan of each query. */
class Explaining extends SqliteQueries {
  readonly plans: string[] = [];

  override async rows<T>(wanted: Shape<T>, sql: string, ...values: Stored[]) {
    const steps = await super.rows(planShape, `explain query plan ${sql}`, ...values);
    this.plans.push(...steps.map(({ detail }) => detail));
    return super.rows(wanted, sql, ...values);
  }
}

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

async function open(): Promise<SqliteTestStore> {
  const store = await SqliteTestStore.open();
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

const rows: readonly (readonly [asked: Partial<ViewInput<'notification.list'>>, by: RegExp])[] = [
  [{}, /INTEGER PRIMARY KEY \(rowid<\?\)/],
  [{ after: '9' }, /INTEGER PRIMARY KEY \(rowid<\?\)/],
  [{ account: 'acme' }, /notification_account \(account=\? AND rowid<\?\)/],
  [{ account: 'acme', after: '9' }, /notification_account \(account=\? AND rowid<\?\)/],
  [{ account: 'acme', state: 'delivered' }, /notification_account \(account=\? AND rowid<\?\)/],
  [{ webhook: 2 }, /notification_account \(account=\? AND rowid<\?\)/],
  [{ state: 'dead' }, /notification_any_dead \(state=\? AND id<\?\)/],
  [{ account: 'acme', state: 'dead' }, /notification_dead \(account=\? AND state=\? AND id<\?\)/],
  [{ webhook: 2, state: 'dead' }, /notification_webhook_dead \(webhook=\? AND state=\? AND id<\?\)/],
  [
    { state: 'waiting' },
    /notification_webhook_due \(webhook=\? AND by_session=\? AND due>\?\)[^]*notification_session_due \(account=\? AND due>\?\)/,
  ],
  [
    { account: 'acme', state: 'waiting' },
    /notification_webhook_due \(webhook=\? AND by_session=\? AND due>\?\)[^]*notification_session_due \(account=\? AND due>\?\)/,
  ],
  [{ webhook: 1, state: 'waiting' }, /notification_webhook_due \(webhook=\? AND by_session=\? AND due>\?\)/],
  [
    { account: 'beta', webhook: 1, state: 'waiting' },
    /notification_webhook_due \(webhook=\? AND by_session=\? AND due>\?\)/,
  ],
];

for (const [asked, by] of rows) {
  it(`notifications ${JSON.stringify(asked)} are found by an index, and no others are read`, async () => {
    await using store = await open();
    const queries = new Explaining(store.database, testVault);
    const found = await viewOf(queries, 'notification.list', { limit: 50, ...asked });
    assert.match(queries.plans.join('\n'), by);
    assert.doesNotMatch(queries.plans.join('\n'), /SCAN notification/);
    assert.doesNotMatch(queries.plans.join('\n'), /TEMP B-TREE FOR ORDER BY/);
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
    );
  });
}
