import type { Column, Stored } from '../../state/tables/column.ts';
import type { Vault } from '../../state/sealing/vault.ts';
import type { Shape, Table } from '../../state/tables/table.ts';

/** A condition that a column has one of several values. */
export interface Among {
  readonly column: string;
  readonly values: readonly (string | number)[];
  /** The SQL after that condition. */
  readonly tail?: string;
}

export interface EntryGuard {
  readonly event: string;
  readonly trigger: string;
  readonly found: 'whole' | 'changed' | 'missing';
}

/** Reads from one state of the database. Each engine answers in its own way. */
export abstract class Queries {
  abstract readonly vault: Vault;
  abstract rows<T>(shape: Shape<T>, sql: string, ...values: readonly Stored[]): Promise<T[]>;
  /** Reads rows in chunks, for results that are too large for memory. */
  abstract chunks<T>(shape: Shape<T>, sql: string, ...values: readonly Stored[]): AsyncIterable<readonly T[]>;
  abstract values<T>(column: Column<T>, sql: string, ...values: readonly Stored[]): Promise<T[]>;
  /** `tail` is the SQL after `select … from` the table. */
  abstract find<Row>(table: Table<Row>, tail: string, ...values: readonly Stored[]): Promise<Row[]>;
  /** The triggers that prevent changes of ledger entries (M4). */
  abstract entryGuards(): Promise<readonly EntryGuard[]>;

  async row<T>(shape: Shape<T>, sql: string, ...values: readonly Stored[]): Promise<T | undefined> {
    return (await this.rows(shape, sql, ...values))[0];
  }

  async value<T>(column: Column<T>, sql: string, ...values: readonly Stored[]): Promise<T | undefined> {
    return (await this.values(column, sql, ...values))[0];
  }

  async first<Row>(table: Table<Row>, tail: string, ...values: readonly Stored[]): Promise<Row | undefined> {
    return (await this.find(table, tail, ...values))[0];
  }

  async findAmong<Row>(table: Table<Row>, { column, values, tail = '' }: Among): Promise<Row[]> {
    const last = values.at(-1);
    if (last === undefined) return [];
    // The list of values is filled up to a multiple of four, so that fewer statements are prepared.
    const filled = [...values];
    while (filled.length % 4 !== 0) filled.push(last);
    return this.find(table, `where ${column} in (?${', ?'.repeat(filled.length - 1)}) ${tail}`, ...filled);
  }
}
