/*
 * Tables of messages are divided by time, as their ids are times: old messages can be dropped as whole tables, and
 * vacuum looks at the newest only. Each partition makes statements dearer
 * (docs/decisions/0012-the-schema-of-postgresql.md), so one holds four weeks.
 */

import { firstIdAt } from '../../core/base/message-id.ts';
import { allTables } from '../../state/tables/all.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { PostgresConnection } from './wire/connection.ts';

/** All are divided at the same ids. */
const partitionedTables = allTables.filter(({ dividedBy }) => dividedBy !== undefined).map(({ name }) => name);

const weekMs = 7 * 24 * 60 * 60_000;
const periodMs = 4 * weekMs;
/** A Monday: periods begin at midnight in UTC. */
const firstPeriod = Date.UTC(2019, 0, 7);
/** There are partitions for this time ahead. */
const aheadMs = 2 * periodMs;

interface Range {
  readonly from: number | 'minvalue';
  readonly to: number | 'maxvalue';
}

/** In a database for tests, one partition takes all ids. */
export const wholeRange: Range = { from: 'minvalue', to: 'maxvalue' };

/**
 * Some weeks ahead. The first partition takes everything before the present four weeks; others can be used meanwhile.
 * Call it in a transaction in which no other node changes the schema.
 */
export async function attachMissing(connection: Pick<PostgresConnection, 'send'>, now: Instant): Promise<void> {
  const text = `select pg_get_expr(relpartbound, oid) from pg_class join pg_inherits on inhrelid = oid
    where inhparent = 'message'::regclass`;
  const [found = []] = await connection.send([{ text }]);
  const bounds = found.map(([bound]) => endOf(String(bound)));
  const ranges = missingRanges(bounds.length === 0 ? 'minvalue' : Math.max(...bounds), now);
  await connection.send(ranges.flatMap(partitionSql).map((sql) => ({ text: sql })));
}

/** The end of `FOR VALUES FROM ('1') TO ('2')`. */
function endOf(bound: string): number {
  const end = / TO \('?(\w+)'?\)$/.exec(bound)?.[1];
  return end === 'MAXVALUE' ? Number.POSITIVE_INFINITY : Number(end);
}

/** The first range ends where the present period begins, however long that is. */
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

/** A new table that is attached locks no other partition. */
export function partitionSql({ from, to }: Range): string[] {
  return partitionedTables.flatMap((table) => {
    const name = `${table}_from_${from === 'minvalue' ? 'first' : from}`;
    return [
      `create table ${name} (like ${table} including defaults including constraints)`,
      `alter table ${table} attach partition ${name} for values from (${from}) to (${to})`,
    ];
  });
}
