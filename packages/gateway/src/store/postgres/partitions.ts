/*
 * Tables of messages are partitioned by time, because their ids are times. Old messages can be dropped as whole tables,
 * and vacuum reads only the newest partitions. Each partition makes statements slower
 * (docs/decisions/0012-the-schema-of-postgresql.md), so one holds four weeks.
 */

import { firstIdAt } from '../../core/base/message-id.ts';
import { allTables } from '../../state/tables/all.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { PostgresConnection } from './wire/connection.ts';

/** All tables are partitioned at the same ids. */
const partitionedTables = allTables.filter(({ dividedBy }) => dividedBy !== undefined).map(({ name }) => name);

const weekMs = 7 * 24 * 60 * 60_000;
const periodMs = 4 * weekMs;
/** The first period begins on a Monday. Periods begin at midnight in UTC. */
const firstPeriod = Date.UTC(2019, 0, 7);
/** Partitions are made for this time ahead. */
const aheadMs = 2 * periodMs;

interface Range {
  readonly from: number | 'minvalue';
  readonly to: number | 'maxvalue';
}

/** In a database for tests, one partition takes all ids. */
export const wholeRange: Range = { from: 'minvalue', to: 'maxvalue' };

/**
 * Makes missing partitions, some weeks ahead. The first one takes everything before the present four weeks. Existing
 * partitions can be used meanwhile. Call it in a transaction in which no other node changes the schema.
 */
export async function attachMissing(connection: Pick<PostgresConnection, 'send'>, now: Instant): Promise<void> {
  const text = `select pg_get_expr(relpartbound, oid) from pg_class join pg_inherits on inhrelid = oid
    where inhparent = 'message'::regclass`;
  const [found = []] = await connection.send([{ text }]);
  const bounds = found.map(([bound]) => endOf(String(bound)));
  const ranges = missingRanges(bounds.length === 0 ? 'minvalue' : Math.max(...bounds), now);
  await connection.send(ranges.flatMap(partitionSql).map((sql) => ({ text: sql })));
}

/** The upper bound in a text such as `FOR VALUES FROM ('1') TO ('2')`. */
function endOf(bound: string): number {
  const end = / TO \('?(\w+)'?\)$/.exec(bound)?.[1];
  return end === 'MAXVALUE' ? Number.POSITIVE_INFINITY : Number(end);
}

/** The first range, whatever its length, ends at the beginning of the present period. */
function missingRanges(start: Range['from'], now: Instant): Range[] {
  const ranges: Range[] = [];
  let from = start;
  let at = periodOf(now);
  while (at <= now + aheadMs) {
    const to = firstIdAt(at);
    at += periodMs;
    if (from !== 'minvalue' && to <= from) continue;
    ranges.push({ from, to });
    from = to;
  }
  return ranges;
}

function periodOf(at: Instant): Instant {
  return firstPeriod + Math.floor((at - firstPeriod) / periodMs) * periodMs;
}

/** A new table is made and then attached, so that no other partition is locked. */
export function partitionSql({ from, to }: Range): string[] {
  return partitionedTables.flatMap((table) => {
    const name = `${table}_from_${from === 'minvalue' ? 'first' : from}`;
    return [
      `create table ${name} (like ${table} including defaults including constraints)`,
      `alter table ${table} attach partition ${name} for values from (${from}) to (${to})`,
    ];
  });
}
