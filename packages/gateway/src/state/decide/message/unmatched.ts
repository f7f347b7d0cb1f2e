/*
 * Unmatched receipts: they are kept until an answer brings their id, an id rule is set, or a part in doubt takes
 * them.
 */

import { count } from '../../rows/totals.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { minuteMs, type Instant } from '@morsel/api/values/time.ts';
import { firstIdAt } from '../../../core/base/message-id.ts';
import { seal } from '../../rows/keys.ts';
import { effect, query, search } from '../../tables/lookup.ts';
import type { Reads } from '../../rows/reads.ts';
import { learningOfCarrier, learningTable } from '../../tables/learning.ts';
import { pick, shape } from '../../tables/table.ts';
import { hasUnmatched, unmatchedCount, unmatchedReceiptTable, type UnmatchedReceiptRow } from '../../tables/receipt.ts';
import type { AttemptRow, PartRow } from '../../tables/message.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { isRemoved, learningRow, lookAgainFrom, readLearning } from '../routing/learning.ts';
import { attemptOfUnmatched, soleDoubt } from './match.ts';
import { readOfUnmatched, unmatchedBeside, unmatchedOf, type Addressed } from './receipt-rows.ts';
import { settleAll } from './settle.ts';
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
export const lookedBackMax = 2_000;

/** Stores an unmatched receipt. A later answer may match it. */
type NewUnmatched = Omit<UnmatchedReceiptRow, 'change' | 'id' | 'octets'> & { readonly octets: Uint8Array | null };

export function park(rows: Rows, receipt: NewUnmatched): void {
  const id = rows.nextId(unmatchedReceiptTable);
  const place = { account: null, column: 'unmatched_receipt.octets', id } as const;
  const octets = receipt.octets && seal(rows, place, receipt.octets);
  rows.add(unmatchedReceiptTable, { ...receipt, octets, id });
  count(rows, 'unmatched', '', 1);
  makeRoom(rows, receipt.carrier, receipt.receivedAt);
}

/** The oldest unmatched receipt of a carrier: an unknown one, or else another. */
const countOldest = effect<[node: number, carrier: number]>()('unmatched_receipt.count-oldest');
const deleteOldest = effect<[carrier: number]>()('unmatched_receipt.delete-oldest');

function makeRoom(rows: Rows, carrier: number, at: Instant): void {
  if (countUnmatched(rows, carrier, 1) <= unmatchedMax) return;
  countUnmatched(rows, carrier, -1);
  rows.run(countOldest, rows.node.id, carrier);
  rows.run(deleteOldest, carrier);
  const learning = learningRow(rows, carrier);
  if (!learning) return;
  learning.dropped += 1;
  learning.droppedAt = at;
  touch(learning);
}

/** Counts a receipt that comes or goes. Returns how many the carrier has then. */
function countUnmatched(rows: Rows, carrier: number, change: 1 | -1): number {
  const before = rows.unmatched.get(carrier) ?? rows.loaded(unmatchedCount, carrier)[0]?.receipts ?? 0;
  rows.unmatched.set(carrier, before + change);
  return before + change;
}

/** Applies receipts that came before this answer, in the order of their arrival (D1). */
export function settleUnmatched(rows: Rows, part: PartRow, attempt: AttemptRow, at: Instant): void {
  const { carrier, carrierIdKey } = attempt;
  // If one answer counts for several parts, this waits for the last part.
  if (carrierIdKey === null || part !== partsOf(rows, part, attempt).at(-1)) return;
  for (const unmatched of unmatchedOf(rows, carrier, carrierIdKey)) settleIfNamed(rows, unmatched, { part, at });
}

/**
 * Settles parts in doubt by unmatched receipts with the same sender and receiver, in the order of their arrival. Called
 * when the next such receipt comes, and before a part in doubt is sent again.
 */
export function settleDoubtsBetween(rows: Rows, sent: Addressed, at: Instant): void {
  for (const unmatched of unmatchedBeside(rows, sent)) {
    settleIfNamed(rows, unmatched, { at });
  }
}

/** The first of the newest unmatched receipts of a carrier, if it has older ones, too. */
const firstOfNewest = query<[carrier: number]>()(
  'unmatched_receipt.first-of-newest',
  shape(pick(unmatchedReceiptTable, 'id')),
);

/** What a part in doubt needs, so that the newest unmatched receipts are matched again. */
export function readNewestUnmatched(read: Reads, carrier: number): void {
  if (read.values(hasUnmatched, carrier)[0]?.has === true) read.values(firstOfNewest, carrier);
}

/** Makes the newest unmatched receipts be matched again, because the receipt of a part in doubt may be among them. */
export function lookAtUnmatched(rows: Rows, carrier: number): void {
  lookAgainFrom(rows, carrier, rows.loaded(firstOfNewest, carrier)[0]?.id ?? 0);
}

/** Settles an unmatched receipt if it matches a part. If `part` is given, the receipt must match this part. */
function settleIfNamed(rows: Rows, unmatched: UnmatchedReceiptRow, given: { part?: PartRow; at: Instant }): void {
  const { carrierState: state, errorCode, isText } = unmatched;
  // An earlier command of the same commit may have matched it.
  if (state === null || unmatched.change === 'gone') return;
  // A receipt is matched to the only part in doubt only when unmatched receipts are tried again, not when an answer
  // comes.
  const named =
    attemptOfUnmatched(rows, unmatched, given.at) ??
    (given.part ? undefined : soleDoubt(rows, { ...unmatched, at: unmatched.receivedAt, now: given.at }));
  if (!named) return;
  const part = rows.messages.get(named.message)?.parts[named.part - 1];
  if (!part) return;
  const parts = partsOf(rows, part, named);
  if (given.part && !parts.includes(given.part)) return;
  leaves(rows, unmatched);
  settleAll(rows, parts, { state, errorCode, at: given.at, isText });
}

function leaves(rows: Rows, unmatched: UnmatchedReceiptRow): void {
  count(rows, 'unmatched', '', -1);
  unmatched.change = 'gone';
  countUnmatched(rows, unmatched.carrier, -1);
}

/**
 * Looks again at unmatched receipts: at most `max` of a carrier whose id rule is new, and at most `max` new ones.
 */
interface Rematch {
  readonly at: Instant;
  readonly max: number;
  /** The new receipt that was looked at last, if there were more. */
  readonly newAfter?: number | undefined;
}

interface Rematched {
  /** There are more that were not looked at. */
  readonly isMore: boolean;
  /** Set if there are more new receipts, which are looked at in turn. */
  readonly newAfter?: number;
}

/** Carriers with unmatched receipts to look at again, and from which id on. */
export const toLookAt = query<[]>()('learning.to-look-at', shape(pick(learningTable, 'carrier', 'rematchFrom')));

const unknownFrom = search<[carrier: number, from: number | null, max: number]>()(
  'unmatched_receipt.unknown-from',
  unmatchedReceiptTable,
);

/**
 * While one node stored a receipt, another node may have stored the answer with its id. Neither saw the other one's
 * commit. The answer is stored within a minute, because a node does not act for longer without the database.
 */
const newForMs = minuteMs;

/** Receipts of several nodes have ids of the clock. In SQLite, where one node stores all receipts, this finds none. */
export const newUnknown = search<[after: number, max: number]>()(
  'unmatched_receipt.new-unknown',
  unmatchedReceiptTable,
);

export function newUnknownOf({ at, max, newAfter = 0 }: Rematch): readonly [number, number] {
  return [Math.max(newAfter, firstIdAt(at - newForMs)), max];
}

export const rematchCommand = {
  reads(read: Reads, command: Rematch): void {
    const { max } = command;
    const carriers = read.values(toLookAt);
    for (const { carrier } of carriers) readLearning(read, carrier);
    for (const { carrier, rematchFrom } of carriers.slice(0, 1)) {
      for (const unmatched of read.all(unknownFrom, carrier, rematchFrom, max)) readOfUnmatched(read, unmatched);
    }
    for (const unmatched of read.all(newUnknown, ...newUnknownOf(command))) readOfUnmatched(read, unmatched);
  },
  decide(rows: Rows, command: Rematch): Result<Rematched, never> {
    const { at, max } = command;
    for (const { carrier, rematchFrom: from } of rows.values(toLookAt).slice(0, 1)) {
      const receipts = rows.all(unknownFrom, carrier, from, max);
      for (const unmatched of receipts) settleIfNamed(rows, unmatched, { at });
      const learning = rows.one(learningOfCarrier, carrier);
      // An earlier command of the same commit may have started the matching again from the beginning.
      if (learning?.rematchFrom !== from) continue;
      const last = receipts.at(-1);
      learning.rematchFrom = last && receipts.length === max ? last.id + 1 : null;
      touch(learning);
    }
    const recent = rows.all(newUnknown, ...newUnknownOf(command));
    for (const unmatched of recent) settleIfNamed(rows, unmatched, { at });
    const lastNew = recent.length === max ? recent.at(-1) : undefined;
    const isMore = rows.of(learningTable).some((row) => row.rematchFrom !== null && !isRemoved(rows, row.carrier));
    return ok({ isMore, ...(lastNew && { newAfter: lastNew.id }) });
  },
};
