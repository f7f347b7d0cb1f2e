/* Deletes rows that no message can need any more. */

import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { effect, search } from '../tables/lookup.ts';
import { limitCountTable } from '../tables/account.ts';
import { idempotencyKeyTable } from '../tables/message.ts';
import type { Rows } from '../rows/rows.ts';
import type { Decided } from './decided.ts';
import { rehearsed } from './rehearsal.ts';

/** Deletes rows that no message can need any more: at most `max` of each kind, last used before `before`. */
interface Sweep {
  readonly at: Instant;
  readonly before: Instant;
  readonly max: number;
}

const oldKeys = search<[before: Instant, max: number]>()('idempotency_key.old', idempotencyKeyTable);
const expiredCounts = search<[at: Instant, max: number]>()('limit_count.expired', limitCountTable);
/** Deletes old concatenation references, operators' idempotency keys, and rows by which repeats are recognized. */
const deleteOld = effect<[before: Instant, max: number]>()('sweep.delete-old');
const countOldReceipts = effect<[node: number, max: number, before: Instant]>()('unmatched_receipt.count-old');
const deleteOldReceipts = effect<[max: number, before: Instant]>()('unmatched_receipt.delete-old');

export const sweepCommand = rehearsed(
  (rows: Rows, { at, before, max }: Sweep): Decided<{ readonly isMore: boolean }> => {
    const keys = rows.all(oldKeys, before, max);
    // An earlier command of the same commit may have used an expired row again.
    for (const row of keys) if (row.createdAt < before) row.change = 'gone';
    const counts = rows.all(expiredCounts, at, max);
    for (const row of counts) if (row.expiresAt < at) row.change = 'gone';
    rows.run(deleteOld, before, max);
    rows.run(countOldReceipts, rows.node.id, max, before);
    rows.run(deleteOldReceipts, max, before);
    return ok({ isMore: keys.length === max || counts.length === max });
  },
);
