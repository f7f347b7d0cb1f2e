/* The mark of a move in a database, on which no gateway starts: it is half filled, or its rows were moved away. */

import type { DatabaseSync } from 'node:sqlite';
import type { PostgresConnection } from '../postgres/wire/connection.ts';
import { StoreRefused } from '../../state/sealing/refused.ts';

/** The mark of a move in a database. */
export interface MoveMark {
  /**
   * `filling`: a move fills it. `whole`: it has all rows, and they were checked. `moved`: its rows were moved to
   * another database. No gateway starts on a marked database.
   */
  readonly state: 'filling' | 'whole' | 'moved';
  /** The place of the other database: where the rows come from, or where they are now. */
  readonly other: string;
}

const read = 'select state, other from morsel_move';

export function markInSqlite(database: DatabaseSync): MoveMark | undefined {
  if (!database.prepare("select 1 from sqlite_schema where name = 'morsel_move'").get()) return undefined;
  return markOf(Object.values(database.prepare(read).get() ?? {}));
}

export async function markInPostgres(connection: Pick<PostgresConnection, 'send'>): Promise<MoveMark | undefined> {
  const [[[table] = []] = []] = await connection.send([{ text: "select to_regclass('morsel_move')::text" }]);
  if (table === null) return undefined;
  const [[row] = []] = await connection.send([{ text: read }]);
  return markOf(row);
}

function markOf([state, other]: readonly unknown[] = []): MoveMark | undefined {
  if (state === undefined) return undefined;
  return { state: state === 'moved' || state === 'whole' ? state : 'filling', other: String(other) };
}

/** Why no gateway starts on a database with this mark, and what the operator can do. */
export function sentenceOfMark({ state, other }: MoveMark, engine: 'sqlite' | 'postgres'): string {
  const [there, here] =
    engine === 'sqlite' ? ['morsel move', 'morsel move --back'] : ['morsel move --back', 'morsel move'];
  if (state !== 'moved') {
    return `the database is filled by an unfinished move from ${other}: repeat ${here}, which goes on where it stopped`;
  }
  const goOn =
    engine === 'sqlite'
      ? 'set MORSEL_DATABASE_URL to the URL of that database'
      : 'unset MORSEL_DATABASE_URL, and set MORSEL_DATA_DIR to that folder';
  return `the data was moved to ${other} by ${there}: ${goOn}; to go back, use ${here} with an empty target`;
}

/** Refuses to start on a database whose rows were moved away, or are not all there yet. */
export function refuseMark(mark: MoveMark | undefined, engine: 'sqlite' | 'postgres'): void {
  if (mark) throw new StoreRefused(sentenceOfMark(mark, engine));
}
