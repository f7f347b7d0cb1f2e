/* Deletes what no message can need any more. */

import { countRemoved } from '../rows/totals.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { search } from '../tables/lookup.ts';
import type { Reads } from '../rows/reads.ts';
import { operatorRequestTable } from '../tables/access.ts';
import { joinedTable, repeatTable } from '../tables/inbound.ts';
import { idempotencyKeyTable, referenceTable } from '../tables/message.ts';
import type { Rows } from '../rows/rows.ts';
import type { Table } from '../tables/table.ts';
import type { Decided } from './decided.ts';

/** Deletes rows that no message can need any more: at most `max` of each kind, received or used before `before`. */
interface Sweep {
  readonly at: Instant;
  readonly before: Instant;
  readonly max: number;
}

const oldKeys = search<[before: Instant, max: number]>()(
  idempotencyKeyTable,
  'where created_at < ? order by created_at limit ?',
);

export const sweepCommand = {
  reads(read: Reads, { before, max }: Sweep): void {
    read.all(oldKeys, before, max);
  },
  decide(rows: Rows, { before, max }: Sweep): Decided<{ readonly isMore: boolean }> {
    const keys = rows.all(oldKeys, before, max);
    // An earlier command of the same commit may have used an expired key again.
    for (const row of keys) if (row.createdAt < before) row.change = 'gone';
    rows.run(deletionOf(referenceTable, 'where used_at < ? order by used_at limit ?'), before, max);
    rows.run(deletionOf(operatorRequestTable, 'where created_at < ? order by created_at limit ?'), before, max);
    rows.run(deletionOf(joinedTable, 'where joined_at < ? order by joined_at limit ?'), before, max);
    rows.run(deletionOf(repeatTable, 'where expected_at < ? order by expected_at limit ?'), before, max);
    const from =
      'unmatched_receipt where id in (select id from unmatched_receipt order by id limit ?) and received_at < ?';
    countRemoved(rows, 'unmatched', { from }, max, before);
    rows.run(`delete from ${from}`, max, before);
    return ok({ isMore: keys.length === max });
  },
};

/** A statement that deletes the rows which `tail` selects. */
function deletionOf({ name, key }: Pick<Table<unknown>, 'name' | 'key'>, tail: string): string {
  const columns = key.names.join(', ');
  return `delete from ${name} where (${columns}) in (select ${columns} from ${name} ${tail})`;
}
