/* Handles parts whose deadline has passed: a part is tried again, ends, or waits for a receipt. */

import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { query } from '../../tables/lookup.ts';
import { pick, shape } from '../../tables/table.ts';
import type { Reads } from '../../rows/reads.ts';
import { partTable, type PartRow } from '../../tables/message.ts';
import { numbersOf, type Rows } from '../../rows/rows.ts';
import { readDoubt } from './receipt-rows.ts';
import {
  awaitReceipt,
  endDoubt,
  enqueuePart,
  isOfNoUse,
  leaveUnsent,
  messageOf,
  movePart,
  receiptDeadline,
} from './part.ts';
import { startRound } from './fail-over.ts';
import { settleDoubtsBetween } from './unmatched.ts';

/** Handles up to `max` parts whose deadline has passed. */
interface Expire {
  readonly at: Instant;
  readonly max: number;
}

export const overdueParts = query<[at: Instant, max: number]>()(
  'part.overdue',
  shape(pick(partTable, 'message', 'number', 'state')),
);

export const expireCommand = {
  reads(read: Reads, { at, max }: Expire): void {
    for (const { message, number, state } of read.values(overdueParts, at, max)) {
      read.message(message);
      if (state === 'in_doubt') readDoubt(read, message, number);
    }
  },
  decide(rows: Rows, { at, max }: Expire) {
    const overdue = rows.values(overdueParts, at, max);
    let requeued = 0;
    for (const { message, number } of overdue) {
      const part = rows.messages.get(message)?.parts[number - 1];
      // An earlier command of the same commit may have changed the part.
      if (!part || part.deadline === null || part.deadline > at) continue;
      if (passDeadline(rows, part, at)) requeued += 1;
    }
    return ok({ looked: overdue.length, requeued });
  },
};

/** Handles one part whose deadline has passed. Returns whether the part waits in the queue again. */
export function passDeadline(rows: Rows, part: PartRow, at: Instant): boolean {
  const message = messageOf(rows, part);
  if (part.state === 'in_doubt' && settlesByUnmatched(rows, part, at)) return false;
  if (part.state === 'queued' && at < message.expiresAt && startRound(rows, part)) return true;
  if (part.state === 'queued' || part.state === 'scheduled') {
    leaveUnsent(rows, part, 'expired', at);
    return false;
  }
  if (part.state === 'in_doubt' && at < message.expiresAt && !isOfNoUse(message)) {
    return enqueuePart(rows, part, at, at);
  }
  if (part.state === 'in_doubt' && at < receiptDeadline(rows, message)) {
    awaitReceipt(rows, part);
    return false;
  }
  movePart(rows, part, 'unknown', { at, byReceipt: false, deadline: null });
  endDoubt(rows, part);
  return false;
}

/** Looks for the receipt of a part in doubt among the unmatched receipts. Returns whether one settled the part. */
function settlesByUnmatched(rows: Rows, part: PartRow, at: Instant): boolean {
  for (const attempt of part.loaded) {
    settleDoubtsBetween(rows, { carrier: attempt.carrier, ...numbersOf(rows, attempt) }, at);
  }
  return part.state !== 'in_doubt';
}
