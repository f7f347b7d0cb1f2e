import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { allTables } from '../../state/tables/all.ts';
import { migrate } from './database.ts';

/* The descriptions of tables, and the tables that the migrations make, say the same. */

describe('the description of', () => {
  using database = new DatabaseSync(':memory:');
  migrate(database);
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all();
  it('every table is there', () => {
    assert.deepEqual(
      allTables.map(({ name }) => name).toSorted(),
      tables.map(({ name }) => name),
    );
  });

  for (const table of allTables) {
    const { name, shape, key, members } = table;
    const stored = database
      .prepare('select name, type, "notnull", pk from pragma_table_info(?) order by name')
      .all(name);
    it(`${name} has its columns, with their types`, () => {
      const wanted = shape
        .columns()
        .map(
          ([column, { type, isNullable }]) =>
            `${column} ${type === 'flag' ? 'integer' : type}${isNullable ? '' : ' not null'}`,
        );
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
