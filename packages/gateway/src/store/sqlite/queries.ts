/* The queries of views in SQLite, which answers at once. */

import type { DatabaseSync } from 'node:sqlite';
import { text, type Column, type Stored } from '../../state/tables/column.ts';
import type { Vault } from '../../state/sealing/vault.ts';
import type { Shape, Table } from '../../state/tables/table.ts';
import { Queries, type EntryGuard } from '../views/queries.ts';
import { Statements } from './statements.ts';

/** Rows that are read before other work of the thread gets its turn. */
const chunkMax = 10_000;

/** The triggers that prevent changes of ledger entries (M4), by what they prevent. */
const entryGuards = { update: 'entry_is_never_changed', delete: 'entry_is_never_removed' };
const triggerSql = "select sql from sqlite_schema where type = 'trigger' and name = ?";

export class SqliteQueries extends Queries {
  readonly vault: Vault;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;

  constructor(database: DatabaseSync, vault: Vault) {
    super();
    this.vault = vault;
    this.#database = database;
    this.#statements = new Statements(database);
  }

  /** Reads rows of several tables in one state of the database. Only one snapshot at a time. */
  async snapshot<T>(read: (queries: Queries) => Promise<T>): Promise<T> {
    this.#database.exec('begin');
    try {
      return await read(this);
    } finally {
      if (this.#database.isTransaction) this.#database.exec('commit');
    }
  }

  async rows<T>(shape: Shape<T>, sql: string, ...values: readonly Stored[]): Promise<T[]> {
    return this.#statements.rows(shape, sql, ...values);
  }

  async *chunks<T>(shape: Shape<T>, sql: string, ...values: readonly Stored[]): AsyncIterable<readonly T[]> {
    let chunk: T[] = [];
    for (const row of this.#statements.each(shape, sql, ...values)) {
      if (chunk.push(row) < chunkMax) continue;
      yield chunk;
      chunk = [];
    }
    yield chunk;
  }

  async values<T>(column: Column<T>, sql: string, ...values: readonly Stored[]): Promise<T[]> {
    return this.#statements.values(column, sql, ...values);
  }

  async find<Row>(table: Table<Row>, tail: string, ...values: readonly Stored[]): Promise<Row[]> {
    return this.#statements.find(table, tail, ...values);
  }

  async entryGuards(): Promise<readonly EntryGuard[]> {
    return Object.entries(entryGuards).map(([event, trigger]) => {
      const sql = this.#statements.value(text, triggerSql, trigger);
      if (sql === undefined) return { event, trigger, found: 'missing' };
      const made = new RegExp(
        `^create trigger ${trigger} before ${event} on entry\\s+begin\\s+select raise\\(abort, '[^']*'\\);\\s+end$`,
        'i',
      );
      return { event, trigger, found: made.test(sql) ? 'whole' : 'changed' };
    });
  }
}
