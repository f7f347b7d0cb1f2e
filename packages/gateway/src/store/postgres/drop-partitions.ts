/*
 * Retention drops a partition once all accounts keep its messages no longer: deleting them one by one takes hundreds of
 * times as long. Their sums are kept and their counts subtracted, as when messages are removed one by one. Nobody waits
 * for that; statements of other nodes wait only while the tables are dropped, some milliseconds.
 */

import { dayMs, type Instant } from '@morsel/api/values/time.ts';
import { firstIdAt, instantOf, toMessageId } from '../../core/base/message-id.ts';
import { dropTexts } from '../lookups/privacy.ts';
import { schemaLock } from './migrate.ts';
import { findRanges, partitionedTables, partitionName, recordDaysSql, type Range } from './partitions.ts';
import { toPostgres } from './schema.ts';
import { arrayOf } from './wire/arrays.ts';
import { PostgresConnection, sqlStateOf } from './wire/connection.ts';

/** How the removal of records goes on after the old partitions were dropped. */
export interface LeftToDrop {
  /** The longest time that an account keeps its records. */
  readonly days: number;
  /** Messages of such accounts from this id on are not removed one by one: their partition will be dropped. */
  readonly from: number;
}

/** A partition may be kept for an eighth of the days longer than its oldest messages, and two days at least. */
const lateShare = 8;
const lateMinMs = 2 * dayMs;

const limitMs = 60 * 60_000;
/** While the tables wait for their lock, other statements wait behind it. A deadlock is found after a second. */
const lockLimit = '300ms';
const lockTriesMax = 20;
const lockNotAvailable = '55P03';

type Sends = Pick<PostgresConnection, 'send'>;

/** Drops old partitions, the oldest first. Undefined if there are no accounts. */
export async function dropPartitions(url: string, now: Instant): Promise<LeftToDrop | undefined> {
  await using connection = await PostgresConnection.open(url, [], { limitMs });
  const days = await numberOf(connection, recordDaysSql);
  if (days === 0) return undefined;
  const before = firstIdAt(now - days * dayMs);
  const ranges = await findRanges(connection);
  for (const range of ranges) {
    if (range.to === 'maxvalue' || range.to > before) break;
    if (!(await drop(connection, range, { to: range.to, days, now }))) break;
  }
  const at = ranges.find(({ to }) => to === 'maxvalue' || to > before);
  const isLeft = at && lengthOf(at) <= Math.max(lateMinMs, (days * dayMs) / lateShare);
  return { days, from: isLeft ? firstOf(at) : before };
}

const firstOf = ({ from }: Range) => (from === 'minvalue' ? 0 : from);

function lengthOf({ from, to }: Range): number {
  if (from === 'minvalue' || to === 'maxvalue') return Infinity;
  return instantOf(toMessageId(to)) - instantOf(toMessageId(from));
}

interface Dropping {
  readonly to: number;
  readonly days: number;
  readonly now: Instant;
}

/** Drops the partition of each table in one transaction. Returns false if that must wait. */
async function drop(connection: Sends, range: Range, { to, days, now }: Dropping): Promise<boolean> {
  const [first, last] = [firstOf(range), to - 1];
  const ask = (sql: string, ...values: readonly number[]) => connection.send([{ text: toPostgres(sql), values }]);
  const count = (sql: string) => numberOf(connection, toPostgres(sql), [first, last]);
  const settings = ['statement_timeout = 0', 'enable_seqscan = on', 'enable_hashjoin = on'];
  await connection.send(['begin', ...settings.map((each) => `set local ${each}`)].map((text) => ({ text })));
  let isDropped = false;
  try {
    const [[[messages, tagged] = []] = []] = await ask(dropTexts.messages, first, last);
    if (Number(tagged) === 0 && (await count(dropTexts.open)) === 0) {
      const notes = await count(dropTexts.notes);
      for (const sql of dropTexts.counts) await ask(sql, noNode, first, last);
      for (const sql of dropTexts.sums) await ask(sql, first, last);
      await ask(dropTexts.laterNotes, first, last, to);
      const [later = []] = await ask(dropTexts.laterCdrs, first, last, to);
      await deleteCdrs(connection, later.flat().map(Number));
      await ask(dropTexts.progress, days, last, Number(messages), now);
      // A late receipt may have changed a message meanwhile. It left a note, so the counts are made again next time.
      isDropped = (await lock(connection, range)) && (await count(dropTexts.notes)) === notes;
      if (isDropped) await connection.send(dropSql(range).map((text) => ({ text })));
    }
    await connection.send([{ text: isDropped ? 'commit' : 'rollback' }]);
    return isDropped;
  } catch (fault) {
    await connection.send([{ text: 'rollback' }]).catch(() => undefined);
    throw fault;
  }
}

/** Deletes CDRs, and the CDRs that they correct. */
async function deleteCdrs(connection: Sends, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const text = 'delete from cdr where id = any($1) returning corrects';
  const [found = []] = await connection.send([{ text, values: [arrayOf('bigint', ids)] }]);
  await deleteCdrs(
    connection,
    found.flatMap(([corrects]) => (corrects === null ? [] : Number(corrects))),
  );
}

/** The counts of dropped messages are subtracted in rows of no node, so no node waits for them. */
const noNode = 0;

/** Locks the tables and these partitions of them. Returns false if long transactions or VACUUM use them. */
async function lock(connection: Sends, range: Range): Promise<boolean> {
  const names = partitionedTables.flatMap((table) => [table, partitionName(table, range)]);
  const locking = [
    'savepoint locking',
    `set local lock_timeout = '${lockLimit}'`,
    `select pg_advisory_xact_lock(${schemaLock})`,
    `lock ${names.map((name) => `only ${name}`).join(', ')} in access exclusive mode`,
  ];
  for (let tries = 0; tries < lockTriesMax; tries++) {
    try {
      await connection.send(locking.map((text) => ({ text })));
      return true;
    } catch (fault) {
      if (sqlStateOf(fault) !== lockNotAvailable) throw fault;
      await connection.send([{ text: 'rollback to locking' }, { text: 'select pg_sleep(0.5)' }]);
    }
  }
  return false;
}

function dropSql(range: Range): string[] {
  return partitionedTables.map((table) => `drop table ${partitionName(table, range)}`);
}

async function numberOf(connection: Sends, text: string, values: readonly number[] = []): Promise<number> {
  const [[[value] = []] = []] = await connection.send([{ text, values }]);
  return Number(value ?? 0);
}
