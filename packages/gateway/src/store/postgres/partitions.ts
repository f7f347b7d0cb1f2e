/*
 * Tables of messages are partitioned by time, because their ids are times. Retention drops a partition whose messages
 * are all too old (drop-partition.ts), and vacuum reads only the newest ones. Each partition makes statements slower
 * (docs/decisions/0030-partitions-are-dropped.md), so the accounts' days for records decide how long one is.
 */

import { firstIdAt, instantOf, toMessageId } from '../../core/base/message-id.ts';
import { allTables } from '../../state/tables/all.ts';
import { dayMs, hourMs, secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { PostgresConnection } from './wire/connection.ts';

type Sends = Pick<PostgresConnection, 'send'>;

/** All tables are partitioned at the same ids. */
export const partitionedTables = allTables.filter(({ dividedBy }) => dividedBy !== undefined).map(({ name }) => name);

/** The kept messages fill about this number of partitions. */
const partitionsKept = 16;
/** Messages of a partition, while there are few partitions. Vacuum and restoring take longer for a larger one. */
const messagesMax = 50_000_000;
const fewPartitions = 24;
/** Partitions are made for this time ahead. Receipts look into them, too. */
const aheadMs = 3 * dayMs;

/** A partition has ids from `from` on, and below `to`. */
export interface Range {
  readonly from: number | 'minvalue';
  readonly to: number | 'maxvalue';
}

/** In a database for tests, one partition takes all ids. */
export const wholeRange: Range = { from: 'minvalue', to: 'maxvalue' };

/** The ranges of the partitions, in order. */
export async function findRanges(connection: Sends): Promise<readonly Range[]> {
  const text = `select pg_get_expr(relpartbound, oid) from pg_class join pg_inherits on inhrelid = oid
    where inhparent = 'message'::regclass`;
  const [found = []] = await connection.send([{ text }]);
  const ranges = found.map(([bound]) => rangeOf(String(bound)));
  return ranges.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** The range in a text such as `FOR VALUES FROM ('1') TO ('2')`. */
function rangeOf(bound: string): Range {
  const [, from = '', to = ''] = /FROM \('?(\w+)'?\) TO \('?(\w+)'?\)$/.exec(bound) ?? [];
  return {
    from: from === 'MINVALUE' ? 'minvalue' : Number(from),
    to: to === 'MAXVALUE' ? 'maxvalue' : Number(to),
  };
}

const placeOf = ({ from }: Range) => (from === 'minvalue' ? 0 : from);

/**
 * Makes missing partitions, some days ahead. The first one takes everything before today. Existing partitions can be
 * used meanwhile. Call it in a transaction in which no other node changes the schema.
 */
export async function attachMissing(connection: Sends, now: Instant): Promise<void> {
  const ranges = await findRanges(connection);
  const days = await daysOfPartition(connection, { attached: ranges.length, now });
  const missing = missingRanges(ranges.at(-1)?.to ?? 'minvalue', { now, lengthMs: days * dayMs });
  await connection.send(missing.flatMap(partitionSql).map((sql) => ({ text: sql })));
}

/** The longest time that an account keeps its records, in days; null without accounts. */
export const recordDaysSql = 'select max(record_days) from account';

/** How many days the next partition has. */
async function daysOfPartition(
  connection: Sends,
  { attached, now }: { readonly attached: number; readonly now: Instant },
): Promise<number> {
  const hour = Math.floor(now / hourMs);
  const ofWeek = 'select sum(messages) / 7 from traffic_slot where span = $1 and slot > $2';
  const [[[kept] = []] = [], [[aDay] = []] = []] = await connection.send([
    { text: recordDaysSql },
    { text: ofWeek, values: [hourMs / secondMs, hour - (7 * dayMs) / hourMs] },
  ]);
  const byTime = Math.ceil(Number(kept ?? 0) / partitionsKept);
  const bySize = Math.floor(messagesMax / Math.max(1, Number(aDay ?? 0)));
  return Math.max(1, attached < fewPartitions ? Math.min(byTime, bySize) : byTime);
}

/** Ranges end at midnight in UTC. The time before today without a partition gets one, whatever its length. */
function missingRanges(
  end: Range['from'] | 'maxvalue',
  { now, lengthMs }: { readonly now: Instant; readonly lengthMs: number },
): Range[] {
  if (end === 'maxvalue') return [];
  const ranges: Range[] = [];
  const add = (from: Range['from'], to: number) => {
    ranges.push({ from, to });
    return to;
  };
  const today = firstIdAt(dayOf(now));
  let at = end === 'minvalue' || end < today ? add(end, today) : end;
  while (at <= firstIdAt(now + aheadMs)) at = add(at, firstIdAt(dayOf(instantOf(toMessageId(at))) + lengthMs));
  return ranges;
}

function dayOf(at: Instant): Instant {
  return Math.floor(at / dayMs) * dayMs;
}

/** The name of a table's partition that begins at this id. */
export function partitionName(table: string, { from }: Range): string {
  return `${table}_from_${from === 'minvalue' ? 'first' : from}`;
}

/** A new table is made and then attached, so that no other partition is locked. */
export function partitionSql(range: Range): string[] {
  return partitionedTables.flatMap((table) => {
    const name = partitionName(table, range);
    return [
      `create table ${name} (like ${table} including defaults including constraints)`,
      `alter table ${table} attach partition ${name} for values from (${range.from}) to (${range.to})`,
    ];
  });
}
