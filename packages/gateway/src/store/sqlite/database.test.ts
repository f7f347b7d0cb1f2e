import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { StoreRefused } from '../../state/sealing/refused.ts';
import { migrate } from './database.ts';

const one = 'create table one (id integer primary key) strict;';
const two = 'alter table one add column two text;';

describe('migrations', () => {
  it('run in the order of their numbers, each once, and the version is the number of the last', () => {
    using store = new Migrated({ '0001-one.sql': one });
    store.migrate();
    assert.equal(store.version, 1);
    store.add('0002-two.sql', two);
    store.migrate();
    store.migrate();
    assert.deepEqual([store.version, store.columns()], [2, ['id', 'two']]);
  });

  it('of this program are numbered without a gap, and none ends its transaction itself', () => {
    using database = new DatabaseSync(':memory:');
    migrate(database);
    const count = readdirSync(join(import.meta.dirname, '../migrations')).filter((name) =>
      name.endsWith('.sql'),
    ).length;
    assert.deepEqual({ ...database.prepare('pragma user_version').get() }, { user_version: count });
  });

  const broken: readonly (readonly [name: string, files: readonly string[], says: RegExp])[] = [
    ['a gap', ['0001-one.sql', '0003-three.sql'], /found 0003-three\.sql where 0002 must be/],
    ['a missing first one', ['0002-two.sql'], /found 0002-two\.sql where 0001 must be/],
    ['a number twice', ['0001-one.sql', '0002-a.sql', '0002-b.sql'], /found 0002-b\.sql where 0003 must be/],
    ['a name without number', ['0001-one.sql', 'two.sql'], /found two\.sql where 0002 must be/],
    ['a number of another length', ['0001-one.sql', '002-two.sql'], /found .* where 0002 must be/],
  ];
  for (const [name, files, says] of broken) {
    it(`with ${name} are refused with a sentence for the operator, and nothing is changed`, () => {
      using store = new Migrated(Object.fromEntries(files.map((file) => [file, 'create table never (id integer);'])));
      assert.throws(
        () => store.migrate(),
        (fault) => fault instanceof StoreRefused && says.test(fault.message) && /install/.test(fault.message),
      );
      assert.deepEqual([store.version, store.tables()], [0, []]);
    });
  }

  it('that fail in the middle leave the result of the migration before, and nothing of their own', () => {
    using store = new Migrated({ '0001-one.sql': one, '0002-two.sql': `${two} insert into nowhere values (1);` });
    assert.throws(() => store.migrate(), /nowhere/);
    assert.deepEqual([store.version, store.columns()], [1, ['id']]);
    store.add('0002-two.sql', two);
    store.migrate();
    assert.deepEqual([store.version, store.columns()], [2, ['id', 'two']]);
  });

  it('leave a database of a newer program unchanged, and say what to do', () => {
    using store = new Migrated({ '0001-one.sql': one });
    store.database.exec('pragma user_version = 2');
    assert.throws(
      () => store.migrate(),
      (fault) =>
        fault instanceof StoreRefused &&
        /version 2 .* up to 1: run the newer program .*, or restore an older backup/.test(fault.message),
    );
    assert.deepEqual([store.version, store.tables()], [2, []]);
  });
});

/** A database in memory, and a folder of migrations. */
class Migrated implements Disposable {
  readonly database = new DatabaseSync(':memory:');
  readonly #folder = mkdtempSync(join(tmpdir(), 'morsel-migrations-'));

  constructor(files: { readonly [name: string]: string }) {
    for (const [name, sql] of Object.entries(files)) this.add(name, sql);
  }

  add(name: string, sql: string): void {
    writeFileSync(join(this.#folder, name), sql);
  }

  migrate(): void {
    migrate(this.database, this.#folder);
  }

  get version(): unknown {
    return this.database.prepare('pragma user_version').get()?.['user_version'];
  }

  tables(): unknown[] {
    return this.database
      .prepare("select name from sqlite_schema where type = 'table'")
      .all()
      .map((row) => row['name']);
  }

  columns(): unknown[] {
    return this.database
      .prepare("select name from pragma_table_info('one')")
      .all()
      .map((row) => row['name']);
  }

  [Symbol.dispose](): void {
    this.database.close();
    rmSync(this.#folder, { recursive: true });
  }
}
