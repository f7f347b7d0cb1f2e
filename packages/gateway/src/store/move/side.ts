/* A database that a move reads or writes, whichever engine has it. */

import type { Instant } from '@morsel/api/values/time.ts';
import { allTables } from '../../state/tables/all.ts';
import { storedAsIs, type Stored } from '../../state/tables/column.ts';
import { table, type Change, type Table } from '../../state/tables/table.ts';
import type { PostgresQueries } from '../postgres/queries.ts';
import type { SqliteQueries } from '../sqlite/queries.ts';
import type { MoveMark } from './mark.ts';

export type MovedTable = Table<MovedRow>;
export interface MovedRow {
  readonly change: Change;
}

/** A statement with its values. */
export type Sql = readonly [text: string, ...values: Stored[]];

/** Rows of a chunk. Those of a message with its text are some kilobytes at most. */
const chunkRows = 5_000;

export interface Side extends AsyncDisposable {
  readonly engine: 'sqlite' | 'postgres';
  /** Where it is, for the operator: without a password. */
  readonly place: string;
  readonly queries: SqliteQueries | PostgresQueries;
  /** Writes new rows in one transaction. */
  insert(table: MovedTable, rows: readonly MovedRow[]): Promise<void>;
  /** Runs statements in one transaction, which is durable when it resolves. */
  run(...statements: readonly Sql[]): Promise<void>;
  readMark(): Promise<MoveMark | undefined>;
  /** As a source: ends the leases of all former runs, so that none of them writes any more. */
  fence(): Promise<void>;
  /** As a target: removes all rows, and makes room for messages up to the newest one. */
  clear(newest: Instant): Promise<void>;
  /** As a target: does what the first start of a gateway needs, after all rows were checked. */
  finish(): Promise<void>;
}

/** All tables, with rows as they are stored: a move opens no value and gives no setting its default. */
export const movedTables: readonly MovedTable[] = allTables.map(({ name, key, shape }) =>
  table(name, {
    key: key.names,
    fixed: Object.fromEntries(
      shape.columns().map(([column, of]) => [column, { ...of, isWide: true, read: storedAsIs, write: storedAsIs }]),
    ),
  }),
);

/** Rows in the order of their key, from the first one behind `after`. */
export async function rowsAfter(
  { engine, queries }: Side,
  of: MovedTable,
  after: MovedRow | undefined,
): Promise<readonly MovedRow[]> {
  // SQLite keeps the thread: what was begun before, such as a flight to the other database, is sent first.
  if (engine === 'sqlite') await new Promise((done) => setImmediate(done));
  const columns = of.key.names.join(', ');
  const end = `order by ${columns} limit ${chunkRows}`;
  if (!after) return queries.find(of, end);
  const places = of.key.names.map(() => '?').join(', ');
  return queries.find(of, `where (${columns}) > (${places}) ${end}`, ...of.key.write(after));
}

/** One text of a row, the same for each engine. */
export function lineOf({ shape }: MovedTable, row: MovedRow): string {
  return JSON.stringify(
    shape.write(row).map((value) => {
      if (value === null) return null;
      return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value);
    }),
  );
}
