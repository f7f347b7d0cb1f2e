import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SqliteTestStore } from '../../../../test/support/store/store.ts';
import { viewOf } from '../../../../test/support/store/operate.ts';
import type { ViewInput } from '../views.ts';
import { text, type Column, type Stored } from '../../../state/tables/column.ts';
import { shape, type Shape } from '../../../state/tables/table.ts';
import { SqliteQueries } from '../../sqlite/queries.ts';
import { testVault } from '../../../../test/support/store/vault.ts';

const planShape = shape({ detail: text });

/** Records the plan of each query. */
class Explaining extends SqliteQueries {
  readonly plans: string[] = [];

  override async rows<T>(wanted: Shape<T>, sql: string, ...values: Stored[]) {
    await this.#explain(sql, values);
    return super.rows(wanted, sql, ...values);
  }

  override async value<T>(column: Column<T>, sql: string, ...values: Stored[]) {
    await this.#explain(sql, values);
    return super.value(column, sql, ...values);
  }

  async #explain(sql: string, values: readonly Stored[]) {
    const steps = await super.rows(planShape, `explain query plan ${sql}`, ...values);
    this.plans.push(...steps.map(({ detail }) => detail));
  }
}

const everything = { unmatched: false, undelivered: false, limit: 50 } as const;
const rows: readonly (readonly [asked: Partial<ViewInput<'inbound.list'>>, by: RegExp])[] = [
  [{}, /INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/],
  [
    { order: 'oldest', undelivered: true },
    /INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)[^]*notification_subject \(subject=\?\)/,
  ],
  [{ account: 'acme' }, /inbound_account \(account=\? AND id>\? AND id<\?\)/],
  [{ unmatched: true }, /inbound_account \(account=\? AND id>\? AND id<\?\)/],
  [{ number: '41791112233' }, /inbound_receiver \(receiver=\? AND id>\? AND id<\?\)/],
  [{ number: '41791112233', account: 'acme' }, /inbound_receiver \(receiver=\? AND id>\? AND id<\?\)/],
];
for (const [asked, by] of rows) {
  it(`a page of ${JSON.stringify(asked)} is read from the end of an index, and nothing is sorted`, async () => {
    await using store = await SqliteTestStore.open();
    const queries = new Explaining(store.database, testVault);
    await viewOf(queries, 'inbound.list', { ...everything, ...asked });
    const plans = queries.plans.join('\n');
    assert.match(plans, by);
    assert.doesNotMatch(plans, /SCAN|TEMP B-TREE/);
  });
}
