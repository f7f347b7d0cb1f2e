import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import * as account from '../tables/account.ts';
import * as alert from '../tables/alert.ts';
import * as inbound from '../tables/inbound.ts';
import * as learning from '../tables/learning.ts';
import * as ledger from '../tables/ledger.ts';
import * as message from '../tables/message.ts';
import * as notification from '../tables/notification.ts';
import * as optOut from '../tables/opt-out.ts';
import * as price from '../tables/price.ts';
import * as receipt from '../tables/receipt.ts';
import * as route from '../tables/route.ts';
import * as rows from '../tables/rows.ts';
import { Shape } from '../tables/table.ts';
import type { Table } from '../tables/table.ts';
import * as webhook from '../tables/webhook.ts';
import { migrate } from './database.ts';

/* The descriptions of tables, and the tables that the migrations make, say the same. */

const subjects = [
  account,
  alert,
  inbound,
  learning,
  ledger,
  message,
  rows,
  notification,
  optOut,
  price,
  receipt,
  route,
  webhook,
];
const described: readonly unknown[] = subjects.flatMap((each) => Object.values(each));

describe('the description of', () => {
  using database = new DatabaseSync(':memory:');
  migrate(database);
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all();
  it('every table is there', () => {
    assert.deepEqual(
      described
        .filter(isTable)
        .map(({ name }) => name)
        .toSorted(),
      tables.map(({ name }) => name),
    );
  });

  for (const table of described.filter(isTable)) {
    const { name, shape, key, members } = table;
    const stored = database
      .prepare('select name, type, "notnull", pk from pragma_table_info(?) order by name')
      .all(name);
    it(`${name} has its columns, with their types`, () => {
      const wanted = shape
        .columns()
        .map(([column, { type, isNullable }]) => `${column} ${type}${isNullable ? '' : ' not null'}`);
      const keys = new Set(stored.filter(({ pk }) => pk !== 0).map((column) => String(column['name'])));
      const found = stored.map(
        (column) =>
          `${String(column['name'])} ${String(column['type']).toLowerCase()}${column['notnull'] === 1 || keys.has(String(column['name'])) ? ' not null' : ''}`,
      );
      assert.deepEqual(wanted.toSorted(), found);
      assert.deepEqual(key.names.toSorted(), [...keys]);
      assert.ok(Object.keys(members).length > 0);
    });
  }
});

function isTable(value: unknown): value is Table<unknown> {
  return (
    typeof value === 'object' && value !== null && 'shape' in value && value.shape instanceof Shape && 'key' in value
  );
}
