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

/** A trigger of the ledger, and whether it is as it was made. */
export interface EntryGuard {
  readonly event: string;
  readonly trigger: string;
  readonly found: 'whole' | 'changed' | 'missing';
}

/** One state of the database, for reading. Each engine answers in its own way. */
export interface Queries {
  /** Unwraps the keys of accounts. */
  readonly vault: Vault;
  /** The rows of a query, by the names of its columns. */
  rows<T>(shape: Shape<T>, sql: string, ...values: readonly Stored[]): Promise<T[]>;
  /** The first of them. */
  row<T>(shape: Shape<T>, sql: string, ...values: readonly Stored[]): Promise<T | undefined>;
  /** The same in chunks, for results that are too large to hold. */
  chunks<T>(shape: Shape<T>, sql: string, ...values: readonly Stored[]): AsyncIterable<readonly T[]>;
  /** The first column of each row. */
  values<T>(column: Column<T>, sql: string, ...values: readonly Stored[]): Promise<T[]>;
  /** The first column of the first row. */
  value<T>(column: Column<T>, sql: string, ...values: readonly Stored[]): Promise<T | undefined>;
  /** Rows of a table: `tail` is what follows `select … from` the table. */
  find<Row>(table: Table<Row>, tail: string, ...values: readonly Stored[]): Promise<Row[]>;
  /** The first of them. */
  first<Row>(table: Table<Row>, tail: string, ...values: readonly Stored[]): Promise<Row | undefined>;
  /** Rows with one of these values in a column. */
  findAmong<Row>(table: Table<Row>, among: Among): Promise<Row[]>;
  /** What prevents changes of ledger entries (M4). Each engine has it in its own way. */
  entryGuards(): Promise<readonly EntryGuard[]>;
}
