/* A database that a move reads or writes, on either engine. */

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

/** An SQL statement with its values. */
export type Sql = readonly [text: string, ...values: Stored[]];

/** Rows in a chunk. A message with its text has some kilobytes at most. */
const chunkRows = 5_000;

export interface Side extends AsyncDisposable {
  readonly engine: 'sqlite' | 'postgres';
  /** The place of the database, as shown to the operator: without a password. */
  readonly place: string;
  readonly queries: SqliteQueries | PostgresQueries;
  /** Writes new rows of a table in one transaction. */
  insert(table: MovedTable, rows: readonly MovedRow[]): Promise<void>;
  /** Runs statements in one transaction, which is durable when it resolves. */
  run(...statements: readonly Sql[]): Promise<void>;
  readMark(): Promise<MoveMark | undefined>;
  /** For a source: ends the leases of all former runs, so that no former run can write any more. */
  fence(): Promise<void>;
  /** For a target: removes all rows, and makes partitions for messages up to the newest one. */
  clear(newest: Instant): Promise<void>;
  /** For a target: prepares the first start of a gateway, after all rows were checked. */
  finish(): Promise<void>;
}

/** All tables, with rows in stored form: a move opens no sealed values, and gives no setting its default. */
export const movedTables: readonly MovedTable[] = allTables.map(({ name, key, shape }) =>
  table(name, {
    key: key.names,
    fixed: Object.fromEntries(
      shape.columns().map(([column, of]) => [column, { ...of, isWide: true, read: storedAsIs, write: storedAsIs }]),
    ),
  }),
);

/** Rows in the order of their key, starting after the key `after`. */
export async function rowsAfter(
  { engine, queries }: Side,
  of: MovedTable,
  after: MovedRow | undefined,
): Promise<readonly MovedRow[]> {
  // SQLite blocks the thread, so statements begun before, such as a flight to the other database, are sent first.
  if (engine === 'sqlite') await new Promise((done) => setImmediate(done));
  const columns = of.key.names.join(', ');
  const end = `order by ${columns} limit ${chunkRows}`;
  if (!after) return queries.find(of, end);
  const places = of.key.names.map(() => '?').join(', ');
  return queries.find(of, `where (${columns}) > (${places}) ${end}`, ...of.key.write(after));
}

/** The text of a row that is compared, which is the same for both engines. */
export function lineOf({ shape }: MovedTable, row: MovedRow): string {
  return JSON.stringify(
    shape.write(row).map((value) => {
      if (value === null) return null;
      return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value);
    }),
  );
}
