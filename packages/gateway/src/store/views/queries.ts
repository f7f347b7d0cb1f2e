import type { Column, Stored } from '../../state/tables/column.ts';
import type { Vault } from '../../state/sealing/vault.ts';
import type { Shape, Table } from '../../state/tables/table.ts';

/** Values of one column, of which a query wants several. */
export interface Among {
  readonly column: string;
  readonly values: readonly (string | number)[];
  /** What follows that condition. */
  readonly tail?: string;
}

export interface EntryGuard {
  readonly event: string;
  readonly trigger: string;
  readonly found: 'whole' | 'changed' | 'missing';
}

/** One state of the database, for reading. Each engine answers in its own way. */
export abstract class Queries {
  abstract readonly vault: Vault;
  abstract rows<T>(shape: Shape<T>, sql: string, ...values: readonly Stored[]): Promise<T[]>;
  /** Rows in chunks, for results that are too large to hold. */
  abstract chunks<T>(shape: Shape<T>, sql: string, ...values: readonly Stored[]): AsyncIterable<readonly T[]>;
  abstract values<T>(column: Column<T>, sql: string, ...values: readonly Stored[]): Promise<T[]>;
  /** `tail` is what follows `select … from` the table. */
  abstract find<Row>(table: Table<Row>, tail: string, ...values: readonly Stored[]): Promise<Row[]>;
  /** Guards that prevent changes of ledger entries (M4). */
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
    // The list is filled up to a multiple of four, so that fewer statements are prepared.
    const filled = [...values];
    while (filled.length % 4 !== 0) filled.push(last);
    return this.find(table, `where ${column} in (?${', ?'.repeat(filled.length - 1)}) ${tail}`, ...filled);
  }
}
