/*
 * Moves a store from one database to another. The tables are copied in the order of their keys, each chunk in one
 * transaction. So the rows in the target show where a killed move stopped. Then all rows of both databases are
 * compared. Until the end of the move, the source is complete, and no gateway starts on the target.
 */

import { nodeTable } from '../../state/tables/node.ts';
import { instantOf, toMessageId } from '../../core/base/message-id.ts';
import { StoreRefused } from '../../state/sealing/refused.ts';
import { integer } from '../../state/tables/column.ts';
import { checkMove, type Checked, type Moving } from './check.ts';
import { sentenceOfMark, type MoveMark } from './mark.ts';
import { movedTables, rowsAfter, lineOf, type MovedTable, type Side } from './side.ts';

export interface Moved {
  /** The number of rows of each table. */
  readonly rows: { readonly [table: string]: number };
  /** Null if an earlier try of the move has checked the rows. */
  readonly checked: Checked | null;
  /** Whether the move went on where an earlier try stopped. */
  readonly isResumed: boolean;
}

const nodes = movedTables.filter(({ name }) => name === nodeTable.name);

/** Throws `StoreRefused` with a sentence for the operator. The same call goes on where an earlier one stopped. */
export async function moveStore(moving: Moving): Promise<Moved> {
  const { source, target } = moving;
  const { isResumed, isWhole } = await prepare(moving);
  const rows = await countRows(source);
  let checked: Checked | null = null;
  if (!isWhole) {
    await copy(moving, movedTables, sumOf(rows));
    checked = await checkMove(moving, sumOf(rows));
    await writeMark(target, { state: 'whole', other: source.place });
  }
  // A kill between the two marks leaves both databases marked, and the same command run again ends the move.
  await writeMark(source, { state: 'moved', other: target.place });
  await target.finish();
  await writeMark(target, undefined);
  return { rows, checked, isResumed };
}

/** Refuses databases that cannot be moved, and finds out whether an earlier try has begun. */
async function prepare(moving: Moving): Promise<{ readonly isResumed: boolean; readonly isWhole: boolean }> {
  const { source, target } = moving;
  const [from, into] = [await source.readMark(), await target.readMark()];
  const isOurs = into !== undefined && into.state !== 'moved' && into.other === source.place;
  const isWhole = isOurs && into.state === 'whole';
  if (from && !(from.state === 'moved' && isWhole)) throw new StoreRefused(sentenceOfMark(from, source.engine));
  if (into && !isOurs) {
    throw new StoreRefused(
      into.state === 'moved'
        ? `${target.place} has data that was moved to ${into.other}: name an empty target, or put this data away first`
        : `${target.place} is filled by an unfinished move from ${into.other}: name an empty target`,
    );
  }
  if (isOurs && (from || (await isUnchanged(moving)))) return { isResumed: true, isWhole };
  if (!isOurs) await assertEmpty(target);
  await source.fence();
  await writeMark(target, { state: 'filling', other: source.place });
  const newest = await source.queries.value(integer, 'select coalesce(max(id), 0) from message');
  await target.clear(instantOf(toMessageId(newest ?? 0)));
  await copy(moving, nodes);
  return { isResumed: false, isWhole: false };
}

/** Whether no gateway has run on the source since the move began: a start changes the row of its node. */
async function isUnchanged({ source, target }: Moving): Promise<boolean> {
  const [ours = '', theirs] = await Promise.all([source, target].map(nodesOf));
  return ours !== '' && ours === theirs;
}

async function nodesOf(side: Side): Promise<string> {
  const [table] = nodes;
  return table ? (await rowsAfter(side, table, undefined)).map((row) => lineOf(table, row)).join('\n') : '';
}

/** Checks that a database is empty. A new SQLite database has only the row of its node, without counts. */
async function assertEmpty({ queries, place }: Side): Promise<void> {
  for (const { name } of movedTables) {
    const where = name === nodeTable.name ? ' where lease > 0' : '';
    const found = await queries.value(integer, `select 1 from ${name}${where} limit 1`);
    if (found !== undefined) throw new StoreRefused(`${place} is not empty: name an empty target`);
  }
}

export async function countRows({ queries }: Side): Promise<Moved['rows']> {
  const counts: { [table: string]: number } = {};
  for (const { name } of movedTables)
    counts[name] = (await queries.value(integer, `select count(*) from ${name}`)) ?? 0;
  return counts;
}

export function sumOf(rows: Moved['rows']): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

/** Copies the rows that the target does not have. Reports the progress if the number of all rows is known. */
async function copy({ source, target, progress }: Moving, tables: readonly MovedTable[], all?: number): Promise<void> {
  let done = all === undefined ? 0 : sumOf(await countRows(target));
  for (const table of tables) {
    const fromEnd = table.key.names.map((column) => `${column} desc`).join(', ');
    let rows = await rowsAfter(source, table, await target.queries.first(table, `order by ${fromEnd} limit 1`));
    while (rows.length > 0) {
      const copied = rows;
      [, rows] = await Promise.all([target.insert(table, copied), rowsAfter(source, table, copied.at(-1))]);
      done += copied.length;
      if (all !== undefined) progress({ step: 'copy', table: table.name, done, all });
    }
  }
}

/** Writes a mark. Undefined removes it, so that a gateway may start on the database. */
function writeMark(side: Side, mark: MoveMark | undefined): Promise<void> {
  return side.run(
    ['create table if not exists morsel_move (state text not null, other text not null)'],
    ['delete from morsel_move'],
    mark ? ['insert into morsel_move values (?, ?)', mark.state, mark.other] : ['drop table morsel_move'],
  );
}
