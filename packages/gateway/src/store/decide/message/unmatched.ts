import { receiptKeyOf, receiptKeysOf } from '../../../core/message/carrier-id.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { RecordReceipt, Rematch, Rematched } from '../../commands/receipt.ts';
import type { RecordInbound } from '../../tables/inbound.ts';
import { readsTexts } from '../../tables/learning.ts';
import { carrierKey, touch } from '../../tables/rows.ts';
import type { UnmatchedWhy } from '@morsel/api/values/message.ts';
import type { UnmatchedReceiptRow, RematchBatch } from '../../tables/receipt.ts';
import type { AttemptRow, PartRow } from '../../tables/message.ts';
import type { Rows } from '../../tables/rows.ts';
import { decideInbound } from './inbound.ts';
import { knownRuleOf, learnFrom, learningOf } from '../routing/learning.ts';
import { attemptOfUnmatched } from './attempt-named.ts';
import { settleAll } from './settle.ts';
import { soleDoubt } from './sole-doubt.ts';
import { partsOf } from './whole.ts';

/**
 * The most unmatched receipts that are stored for one carrier, so that they cannot fill the disk. Beyond this limit,
 * the oldest unknown receipts are deleted and counted; `carrier show` has the count.
 */
export const unmatchedMax = 200_000;

/**
 * How many of the newest unmatched receipts are matched again after a part came in doubt. They arrived shortly before
 * the connection ended.
 */
const lookedBackMax = 2_000;

/** Stores an unmatched receipt. A later answer may match it. */
export function park(rows: Rows, command: RecordReceipt, why: UnmatchedWhy): void {
  const row = {
    change: 'new' as const,
    id: rows.counters.unmatchedReceipt++,
    carrier: command.carrier,
    carrierIdKey: command.carrierIdKey,
    carrierId: command.carrierId,
    carrierState: command.state,
    errorCode: command.errorCode,
    sender: command.sender,
    receiver: command.receiver,
    receivedAt: command.at,
    why,
    octets: command.octets ?? null,
    orInbound: command.orInbound ?? null,
  };
  const key = carrierKey(command.carrier, command.carrierIdKey);
  const unmatched = rows.unmatchedReceipts.get(key);
  if (unmatched) unmatched.push(row);
  else rows.unmatchedReceipts.set(key, [row]);
  makeRoom(rows, command);
}

function makeRoom(rows: Rows, { carrier, at }: RecordReceipt): void {
  const learning = rows.learning.get(carrier);
  if (!learning) return;
  learning.unmatched += 1;
  if (learning.unmatched <= unmatchedMax) return;
  learning.unmatched -= 1;
  learning.dropped += 1;
  learning.droppedAt = at;
  touch(learning);
  rows.unmatchedDropped.set(carrier, (rows.unmatchedDropped.get(carrier) ?? 0) + 1);
}

/** Applies receipts that came before this answer, in the order of their arrival (D1). */
export function settleUnmatched(rows: Rows, part: PartRow, attempt: AttemptRow, at: Instant): void {
  if (attempt.carrierIdKey === null || rows.unmatchedReceipts.size === 0) return;
  // If one answer counts for several parts, this waits for the last part.
  if (part !== partsOf(rows, part, attempt).at(-1)) return;
  const rule = knownRuleOf(rows, attempt.carrier);
  const keys = rule === null ? receiptKeysOf(attempt.carrierIdKey) : [receiptKeyOf(attempt.carrierIdKey, rule)];
  for (const key of keys) {
    if (key === null) continue;
    for (const unmatched of rows.unmatchedReceipts.get(carrierKey(attempt.carrier, key)) ?? []) {
      if (isWaiting(unmatched)) settleIfNamed(rows, unmatched, { part, at });
    }
  }
}

const nothing: RematchBatch = { carrier: null, from: null, receipts: [], undecided: [] };

/** Matches unmatched receipts again, because the id rule has changed or an answer has come meanwhile. */
export function decideRematch(rows: Rows, command: Rematch): Result<Rematched, never> {
  const { carrier, from, receipts, undecided } = rows.rematch ?? nothing;
  for (const unmatched of [...receipts, ...undecided]) {
    if (isWaiting(unmatched)) settleIfNamed(rows, unmatched, { at: command.at });
  }
  const learning = carrier === null ? undefined : rows.learning.get(carrier);
  // An earlier command of the same commit may have started the matching again from the beginning.
  if (learning && learning.rematchFrom === from) {
    const last = receipts.at(-1);
    learning.rematchFrom = last && receipts.length === command.max ? last.id + 1 : null;
    touch(learning);
  }
  const all = [...rows.learning.values()];
  const learned = all.flatMap((row) => (row.news ? [{ carrier: row.carrier, ...row.news }] : []));
  for (const row of all) row.news = null;
  return ok({ isMore: all.some((row) => row.rematchFrom !== null), learned });
}

/**
 * Settles parts in doubt by unmatched receipts with the same sender and receiver, in the order of their arrival. Called
 * when the next such receipt comes, and before a part in doubt is sent again.
 */
export function settleDoubtsBetween(rows: Rows, key: string, at: Instant): void {
  for (const unmatched of rows.unmatchedByNumbers.get(key) ?? []) {
    if (isWaiting(unmatched) && unmatched.why === 'unknown') settleIfNamed(rows, unmatched, { at });
  }
}

/** Makes the newest unmatched receipts be matched again, because the receipt of a part in doubt may be among them. */
export function lookAtUnmatched(rows: Rows, carrier: number): void {
  const learning = rows.learning.get(carrier);
  if (!learning || learning.unmatched === 0) return;
  const from = Math.max(0, rows.counters.unmatchedReceipt - lookedBackMax);
  learning.rematchFrom = Math.min(learning.rematchFrom ?? from, from);
  touch(learning);
}

function isWaiting(unmatched: UnmatchedReceiptRow): boolean {
  return unmatched.isMatched !== true;
}

/** Settles an unmatched receipt if it matches a part. If `part` is given, the receipt must match this part. */
function settleIfNamed(rows: Rows, unmatched: UnmatchedReceiptRow, given: { part?: PartRow; at: Instant }): void {
  if (unmatched.carrierState === null) return;
  if (unmatched.orInbound && !readsTexts(learningOf(rows, unmatched.carrier))) {
    makeMessage(rows, unmatched, unmatched.orInbound);
    return;
  }
  // A receipt is matched to the only part in doubt only when unmatched receipts are tried again, not when an answer
  // comes.
  const named =
    attemptOfUnmatched(rows, unmatched, given.at) ??
    (given.part ? undefined : soleDoubt(rows, { ...unmatched, at: unmatched.receivedAt, now: given.at }));
  if (named === undefined || named === 'undecided') {
    hold(unmatched, named ?? 'unknown');
    return;
  }
  const part = rows.messages.get(named.message)?.parts[named.part - 1];
  if (!part) return;
  const parts = partsOf(rows, part, named);
  if (given.part && !parts.includes(given.part)) return;
  leaves(rows, unmatched);
  const { carrierState: state, errorCode, orInbound } = unmatched;
  settleAll(rows, parts, { state, errorCode, at: given.at, orInbound });
  learnFrom(rows, named, { receipt: unmatched, at: given.at });
}

/**
 * Turns an unmatched text into an inbound message, because the carrier marks its receipts in esm_class. If receipts of
 * this carrier were recognised by text before, the carrier has changed, and its old texts stay unmatched for the
 * operator.
 */
function makeMessage(rows: Rows, unmatched: UnmatchedReceiptRow, orInbound: RecordInbound): void {
  const { hasTextReceipts, textReceipts } = learningOf(rows, unmatched.carrier);
  if (hasTextReceipts || textReceipts !== 'auto') return;
  leaves(rows, unmatched);
  decideInbound(rows, orInbound);
}

function leaves(rows: Rows, unmatched: UnmatchedReceiptRow): void {
  unmatched.isMatched = true;
  unmatched.change = unmatched.change === 'new' ? 'none' : 'gone';
  learningOf(rows, unmatched.carrier).unmatched -= 1;
}

function hold(unmatched: UnmatchedReceiptRow, why: UnmatchedWhy): void {
  if (unmatched.why === why) return;
  unmatched.why = why;
  touch(unmatched);
}
