/* A database that a move reads or writes, whichever engine has it. */

import type { Instant } from '@morsel/api/values/time.ts';
import type { AnyColumn, Stored } from '../../state/tables/column.ts';
import type { Change, Table } from '../../state/tables/table.ts';
import type { Queries } from '../views/queries.ts';
import type { MoveMark } from './mark.ts';

export type AnyTable = Table<{ change: Change }>;
/** The columns of a row, in the order of its table. Integers are in the form that the database gives. */
export type StoredRow = readonly Stored[];

/** Rows of a chunk. Those of a message with its text are some kilobytes at most. */
export const chunkRows = 5_000;

export interface Side extends AsyncDisposable {
  /** Where it is, for the operator: without a password. */
  readonly place: string;
  /** Rows in the order of their key, from the first one behind `after`. */
  rows(table: AnyTable, after: StoredRow | null, max: number): Promise<readonly StoredRow[]>;
  /** Writes rows in one transaction. */
  write(table: AnyTable, rows: readonly StoredRow[]): Promise<void>;
  /** The last row in the order of the key. */
  last(table: AnyTable): Promise<StoredRow | undefined>;
  /** The rows of a query that every engine understands. */
  ask(sql: string): Promise<readonly StoredRow[]>;
  /** Runs views. */
  snapshot<T>(read: (queries: Queries) => Promise<T>): Promise<T>;
  readMark(): Promise<MoveMark | undefined>;
  /** Durable when it resolves, with everything that was written before. Undefined: a gateway may start. */
  mark(mark: MoveMark | undefined): Promise<void>;
  /** As a source: ends the leases of all former runs, so that none of them writes any more. */
  fence(): Promise<void>;
  /** As a target: removes all rows, and makes room for messages up to the newest one. */
  clear(newest: Instant): Promise<void>;
  /** As a target: all rows are written. */
  filled(): Promise<void>;
  /** As a target: does what the first start of a gateway needs, after all rows were checked. */
  finish(): Promise<void>;
}

/** The columns of the key, in the order of the key. */
export function keyOf({ key, shape }: AnyTable, row: StoredRow): StoredRow {
  return key.names.map((name) => row[shape.names.indexOf(name)] ?? null);
}

/** The query of one page of rows. `places` are the placeholders of the key and of the number of rows. */
export function pageSql({ name, shape, key }: AnyTable, isFirst: boolean, places: readonly string[]): string {
  const columns = key.names.join(', ');
  const behind = isFirst ? '' : `where (${columns}) > (${places.slice(0, -1).join(', ')})`;
  return `select ${shape.names.join(', ')} from ${name} ${behind} order by ${columns} limit ${places.at(-1)}`;
}

export function lastSql({ name, shape, key }: AnyTable): string {
  const columns = key.names.map((column) => `${column} desc`).join(', ');
  return `select ${shape.names.join(', ')} from ${name} order by ${columns} limit 1`;
}

/** Returns a function that makes one text of a row, the same for each engine. */
export function writerOfRows({ shape }: AnyTable): (row: StoredRow) => string {
  const types: readonly AnyColumn['type'][] = shape.columns().map(([, { type }]) => type);
  return (row) => {
    let all = '';
    for (const [at, type] of types.entries()) {
      const value = row[at] ?? null;
      if (value === null) {
        all += '-,';
        continue;
      }
      const text =
        type === 'blob' && value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
      all += `${text.length}:${text},`;
    }
    return all;
  };
}
