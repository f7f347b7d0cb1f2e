/* The database of a test store, the store's engine, and methods that only tests need. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Command } from '../../../src/state/commands.ts';
import { openForWriting } from '../../../src/store/sqlite/database.ts';
import { SqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { SqliteQueries } from '../../../src/store/sqlite/queries.ts';
import type { Queries } from '../../../src/store/views/queries.ts';
import type { Engine, StorePlace } from '../../../src/store/writer.ts';
import { writeNewDatabase } from './database.ts';
import { testMasterKey, testVault } from './vault.ts';

/** A value of a row, in the same form from every engine; true and false are 1 and 0. */
export type TestValue = string | number | Uint8Array | null;
export type TestRow = Readonly<Record<string, TestValue>>;

export interface TestDatabase {
  readonly place: StorePlace;
  /** The store's engine; a new one after a restart or a crash. */
  readonly engine: Engine;
  readonly queries: Queries;
  /** The rows of a query that every engine understands. */
  rows(sql: string, values: readonly TestValue[]): Promise<readonly TestRow[]>;
  /** Runs one statement with values, or several without values. */
  run(sql: string, values: readonly TestValue[]): Promise<void>;
  /** Runs statements that may change ledger entries, as only a person with direct access to the database can. */
  force(sql: string): Promise<void>;
  /** Starts a new engine on the same database, as after a restart. */
  restart(): Promise<void>;
  /** Simulates the end of the process when all rows of a group of commands are written, and none is committed. */
  crash(commands: readonly Command[]): Promise<void>;
  /** Rows that refer to a row that does not exist. */
  strays(): Promise<readonly TestRow[]>;
  close(): Promise<void>;
}

class CrashingEngine extends SqliteEngine {
  protected override commit(): void {
    throw new Error('a crash before the commit');
  }
}

function newEngine(database: DatabaseSync): SqliteEngine {
  return new SqliteEngine(database, { vault: testVault });
}

/** SQLite on a real file. */
export class SqliteTestDatabase implements TestDatabase {
  readonly #folder = mkdtempSync(join(tmpdir(), 'morsel-store-'));
  readonly file = join(this.#folder, 'test.db');
  #database: DatabaseSync | undefined;
  #engine: SqliteEngine | undefined;

  /** Makes the database from these octets, which `octets` of another database returned. */
  beginWith(octets: Uint8Array): void {
    assert.equal(this.#database, undefined, 'the database is open already');
    writeFileSync(this.file, octets);
    this.#database = this.#open();
  }

  /** The octets of the current database file. */
  octets(): Uint8Array {
    this.database.exec('pragma wal_checkpoint(truncate)');
    return readFileSync(this.file);
  }

  get place(): StorePlace {
    return { kind: 'sqlite', file: this.file, isExpected: true, masterKey: testMasterKey };
  }

  get database(): DatabaseSync {
    if (!this.#database) {
      writeNewDatabase(this.file);
      this.#database = this.#open();
    }
    return this.#database;
  }

  get engine(): SqliteEngine {
    return (this.#engine ??= newEngine(this.database));
  }

  get queries(): Queries {
    return new SqliteQueries(this.database, testVault);
  }

  async rows(sql: string, values: readonly TestValue[]): Promise<readonly TestRow[]> {
    const rows = this.database.prepare(sql).all(...values);
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));
  }

  async run(sql: string, values: readonly TestValue[]): Promise<void> {
    if (values.length === 0) this.database.exec(sql);
    else this.database.prepare(sql).run(...values);
  }

  async force(sql: string): Promise<void> {
    const triggers = await this.rows("select name, sql from sqlite_schema where type = 'trigger'", []);
    for (const { name } of triggers) this.database.exec(`drop trigger ${String(name)}`);
    this.database.exec(sql);
    for (const made of triggers) this.database.exec(String(made['sql']));
  }

  async restart(): Promise<void> {
    this.#engine = newEngine(this.database);
  }

  async crash(commands: readonly Command[]): Promise<void> {
    await assert.rejects(new CrashingEngine(this.database, { vault: testVault }).apply(commands), /a crash/);
    this.database.close();
    this.#database = this.#open();
    await this.restart();
  }

  strays(): Promise<readonly TestRow[]> {
    return this.rows('pragma foreign_key_check', []);
  }

  async close(): Promise<void> {
    this.#database?.close();
    rmSync(this.#folder, { recursive: true });
  }

  #open(): DatabaseSync {
    const database = openForWriting(this.file);
    // The files are temporary, so no commit needs to wait for the disk.
    database.exec('pragma synchronous = off');
    return database;
  }
}

/** Whether the tests run on PostgreSQL: the environment variable MORSEL_TEST_ENGINE chooses it. */
export const isOnPostgres = process.env['MORSEL_TEST_ENGINE'] === 'postgres';

/** If `isCounting` is true, PostgreSQL, too, gives the ids 1, 2, 3…, as SQLite does. */
export async function openTestDatabase(isCounting = false): Promise<TestDatabase> {
  if (!isOnPostgres) return new SqliteTestDatabase();
  const { PostgresTestDatabase } = await import('./postgres-test-database.ts');
  return PostgresTestDatabase.open(isCounting);
}

function plain(value: SQLOutputValue): TestValue {
  return typeof value === 'bigint' ? Number(value) : value;
}
