/*
 * Moves a store from one database to another. The tables are copied in the order of their keys, each chunk in one
 * transaction, so what is in the target says where a killed move stopped. Then all rows of both are compared. Until the
 * end the source is whole, and no gateway starts on the target.
 */

import { nodeTable } from '../../state/tables/node.ts';
import { instantOf, toMessageId } from '../../core/base/message-id.ts';
import { StoreRefused } from '../../state/sealing/refused.ts';
import { allTables } from '../../state/tables/all.ts';
import { checkMove, type Checked, type Moving } from './check.ts';
import { sentenceOfMark } from './mark.ts';
import { chunkRows, writerOfRows, type AnyTable, type Side } from './side.ts';

export interface Moved {
  /** The rows of each table. */
  readonly rows: { readonly [table: string]: number };
  /** Null if another try has checked it. */
  readonly checked: Checked | null;
  /** Whether it went on where another try stopped. */
  readonly isResumed: boolean;
}

/** Throws `StoreRefused` with a sentence for the operator. The same call again goes on where it stopped. */
export async function moveStore(moving: Moving): Promise<Moved> {
  const { source, target } = moving;
  const { isResumed, isWhole } = await prepare(moving);
  const counts = await countRows(source);
  let checked: Checked | null = null;
  if (!isWhole) {
    await copyAll(moving, counts);
    await target.filled();
    checked = await checkMove(moving, sumOf(counts));
    await target.mark({ state: 'whole', other: source.place });
  }
  // A kill between the two marks leaves both databases marked, and the same command ends the move.
  await source.mark({ state: 'moved', other: target.place });
  await target.finish();
  await target.mark(undefined);
  return { rows: Object.fromEntries(counts), checked, isResumed };
}

/** Refuses what cannot be moved, and finds out whether another try has begun. */
async function prepare(moving: Moving): Promise<{ readonly isResumed: boolean; readonly isWhole: boolean }> {
  const { source, target, engines } = moving;
  const [from, into] = [await source.readMark(), await target.readMark()];
  const isOurs = into !== undefined && into.state !== 'moved' && into.other === source.place;
  if (from && !(from.state === 'moved' && isOurs && into.state === 'whole'))
    throw new StoreRefused(sentenceOfMark(from, engines.source));
  if (into && !isOurs) {
    throw new StoreRefused(
      into.state === 'moved'
        ? `${target.place} has data that was moved to ${into.other}: name an empty target, or put this data away first`
        : `${target.place} is filled by an unfinished move from ${into.other}: name an empty target`,
    );
  }
  if (isOurs && into.state === 'whole' && (from || (await isUnchanged(moving))))
    return { isResumed: true, isWhole: true };
  if (isOurs && (await isUnchanged(moving))) {
    await target.mark({ state: 'filling', other: source.place });
    return { isResumed: true, isWhole: false };
  }
  if (!isOurs) await assertEmpty(target);
  await source.fence();
  await target.mark({ state: 'filling', other: source.place });
  const [[newest] = []] = await source.ask('select coalesce(max(id), 0) from message');
  await target.clear(instantOf(toMessageId(Number(newest))));
  await copyTable(moving, nodeTable, () => undefined);
  return { isResumed: false, isWhole: false };
}

/** Whether no gateway has run on the source since the target was begun: a start changes the row of its node. */
async function isUnchanged({ source, target }: Moving): Promise<boolean> {
  const toText = writerOfRows(nodeTable);
  const [ours, theirs] = await Promise.all(
    [source, target].map(async (side) => (await side.rows(nodeTable, null, chunkRows)).map(toText).join('\n')),
  );
  return ours !== '' && ours === theirs;
}

/** A new database of SQLite has the row of its node, which has done nothing. */
async function assertEmpty(target: Side): Promise<void> {
  for (const table of allTables) {
    const where = table === nodeTable ? ' where lease > 0' : '';
    const [found] = await target.ask(`select 1 from ${table.name}${where} limit 1`);
    if (found) throw new StoreRefused(`${target.place} is not empty: name an empty target`);
  }
}

export async function countRows(side: Side): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { name } of allTables) {
    const [[count] = []] = await side.ask(`select count(*) from ${name}`);
    counts.set(name, Number(count));
  }
  return counts;
}

export function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

async function copyAll(moving: Moving, counts: ReadonlyMap<string, number>): Promise<void> {
  const all = sumOf(counts);
  let done = sumOf(await countRows(moving.target));
  for (const table of allTables) {
    const say = (rows: number): void => {
      done += rows;
      moving.progress({ step: 'copy', table: table.name, done, all });
    };
    await copyTable(moving, table, say);
  }
}

async function copyTable({ source, target }: Moving, table: AnyTable, say: (rows: number) => void): Promise<void> {
  let rows = await source.rows(table, (await target.last(table)) ?? null, chunkRows);
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    const copied = rows.length;
    [rows] = await Promise.all([source.rows(table, last, chunkRows), target.write(table, rows)]);
    say(copied);
  }
}
