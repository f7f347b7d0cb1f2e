/* The stored rows that a receipt or an answer may belong to: names them as reads, and finds them for a decision. */

import { answerKeyOf, isLongKey, receiptKeyOf } from '../../../core/message/carrier-id.ts';
import { namesReceiver, type Numbers } from '../../../core/message/receipt.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import { query, search } from '../../tables/lookup.ts';
import type { Reads } from '../../rows/reads.ts';
import { attemptsOfId, attemptTable, doubtTable, mayDoubt, sameIdMax, type AttemptRow } from '../../tables/message.ts';
import { hasUnmatched, unmatchedOfId, unmatchedReceiptTable, type UnmatchedReceiptRow } from '../../tables/receipt.ts';
import { carrierKey, numbersOf, type Rows } from '../../rows/rows.ts';
import { pick, shape, type RowOf } from '../../tables/table.ts';
import { readRoute } from '../number/inbound-route.ts';
import { readingsOf, readLearning, ruleOf } from '../routing/learning.ts';

/** The numbers of a receipt, and the carrier that sent it. */
export interface Addressed extends Numbers {
  readonly carrier: number;
}

/** The fields of a receipt that identify its message. */
export interface Naming extends Addressed {
  readonly carrierIdKey: string;
}

/** Attempts in doubt of one message: 255 parts (3GPP TS 23.040, 9.2.3.24.1), each sent three times (`resendsMax`). */
export const doubtsMax = 3 * 255;

/** The values of the lookups between two numbers, in either order. */
const between = ({ carrier, sender, receiver }: Addressed) => [carrier, receiver, sender, sender, receiver] as const;
type Between = ReturnType<typeof between>;

const doubtsBetween = search<Between>()('doubt.between', doubtTable);

const numbersInDoubt = query<[message: MessageId, part: number]>()(
  'doubt.numbers',
  shape(pick(doubtTable, 'carrier', 'sender', 'receiver')),
);

/** The newest unmatched receipts between two numbers. */
const unmatchedBetween = search<Between>()('unmatched_receipt.between', unmatchedReceiptTable);

/** Parts that a carrier has in flight to one of two numbers: their receipts may come before their answers. */
const inFlight = query<[carrier: number, receiver: string, sender: string]>()(
  'part.in-flight',
  shape(pick(attemptTable, 'message', 'part', 'number', 'claimedAt')),
);

/** Attempts with the id of a receipt, or else what the receipt may belong to without it. Returns whether there are any. */
export function readNamed(read: Reads, receipt: Naming): boolean {
  if (isNamed(read, receipt)) return true;
  readDoubtsOf(read, receipt);
  readUnmatchedBeside(read, receipt);
  return false;
}

/** The unmatched receipts with the id of an answer. A carrier without unmatched receipts needs no query. */
export function readUnmatchedOf(read: Reads, carrier: number, answerKey: string): void {
  readLearning(read, carrier);
  if (read.values(hasUnmatched, carrier)[0]?.has !== true) return;
  const key = receiptKeyOf(answerKey, ruleOf(read, carrier));
  if (key === null) return;
  for (const unmatched of read.all(unmatchedOfId, carrier, key)) readOfUnmatched(read, unmatched);
}

/** Unmatched receipts between a part's numbers, which may end its doubt. */
export function readDoubt(read: Reads, message: MessageId, part: number): void {
  for (const sent of read.values(numbersInDoubt, message, part)) {
    readLearning(read, sent.carrier);
    readDoubts(read, sent);
    readUnmatchedBeside(read, sent);
  }
}

/** What an unmatched receipt names, or what is in doubt between its numbers. */
export function readOfUnmatched(read: Reads, unmatched: UnmatchedReceiptRow): void {
  const { carrier, isText, sender } = unmatched;
  readLearning(read, carrier);
  if (isText) readRoute(read, sender);
  if (!isNamed(read, unmatched)) readDoubtsOf(read, unmatched);
}

/** Parts in flight to the receiver of a receipt. */
function readInFlight(read: Reads, { carrier, receiver, sender }: Addressed): void {
  read.values(inFlight, carrier, receiver, sender);
}

/** Whether a receipt surely names an attempt. If it may be left, reads what it may belong to besides. */
function isNamed(read: Reads, receipt: Naming): boolean {
  const { carrier, carrierIdKey } = receipt;
  const key = answerKeyOf(carrierIdKey, ruleOf(read, carrier));
  if (key === null || key === '') return false;
  const isFound = read.named(receipt, key);
  if (readingsOf(read, receipt).length < 2) return isFound;
  if (!isFound && !read.rows.answered.has(carrierKey(carrier, key))) return false;
  // An answer of this group, which is not loaded, has the receiver.
  const loaded = attemptsOf(read.rows, carrier, key);
  const isToReceiver = loaded.length === 0 || loaded.some((each) => namesReceiver(numbersOf(read.rows, each), receipt));
  if (isToReceiver && isLongKey(carrierIdKey)) return true;
  readReadings(read, receipt);
  readInFlight(read, receipt);
  return false;
}

function readReadings(read: Reads, receipt: Naming): void {
  for (const key of readingsOf(read, receipt)) read.named(receipt, key);
}

/** Attempts in doubt between the numbers of a receipt, and those that its id may name instead. */
function readDoubtsOf(read: Reads, receipt: Naming): void {
  readDoubts(read, receipt);
  if (doubtsOf(read.rows, receipt).length > 0) readReadings(read, receipt);
}

/** Attempts in doubt between the receipt's numbers, and what is in flight between them. */
function readDoubts(read: Reads, receipt: Addressed): void {
  if (read.values(mayDoubt, receipt.carrier)[0]?.may !== true) return;
  const found = read.all(doubtsBetween, ...between(receipt));
  if (found.length === 0 || isHopeless(found)) return;
  for (const { message, part, attempt } of found) read.attempt(message, part, attempt);
  readInFlight(read, receipt);
}

/** Unmatched receipts with the numbers of a part in doubt: each may settle it before this receipt does. */
function readUnmatchedBeside(read: Reads, receipt: Addressed): void {
  if (doubtsOf(read.rows, receipt).length === 0 || read.values(hasUnmatched, receipt.carrier)[0]?.has !== true) return;
  for (const unmatched of read.all(unmatchedBetween, ...between(receipt))) readOfUnmatched(read, unmatched);
}

/** With so many, no single message is meant, whatever this group does. The receipt is looked at again later. */
function isHopeless(found: readonly RowOf<typeof doubtTable>[]): boolean {
  return found.length > doubtsMax || new Set(found.map(({ message }) => message)).size > sameIdMax;
}

/** The attempts with an id, the oldest first. */
export function attemptsOf(rows: Rows, carrier: number, key: string | null): readonly AttemptRow[] {
  if (key === null) return [];
  const found = rows.loaded(attemptsOfId, carrier, key);
  return found.length < 2
    ? found
    : found.toSorted((a, b) => a.message - b.message || a.part - b.part || a.number - b.number);
}

/** Attempts in doubt between the numbers of a receipt, the oldest first. */
export function doubtsOf(rows: Rows, receipt: Addressed): readonly AttemptRow[] {
  const found = rows.loaded(doubtsBetween, ...between(receipt));
  if (isHopeless(found)) return [];
  return found.flatMap(({ message, part, attempt }) => rows.attempt(message, part, attempt) ?? []);
}

/** The unmatched receipts with the id of an answer, in the order of their arrival: stored ones, and those of the group. */
export function unmatchedOf(rows: Rows, carrier: number, answerKey: string): readonly UnmatchedReceiptRow[] {
  const ofGroup = rows.of(unmatchedReceiptTable);
  if (ofGroup.length === 0) return ofGroup;
  const key = receiptKeyOf(answerKey, ruleOf(rows, carrier));
  return ofGroup.filter((row) => row.carrier === carrier && row.carrierIdKey === key);
}

/** Unmatched receipts between the numbers of a part in doubt, the oldest first. */
export function unmatchedBeside(rows: Rows, receipt: Addressed): readonly UnmatchedReceiptRow[] {
  return rows.loaded(unmatchedBetween, ...between(receipt)).toReversed();
}

/** Parts in flight to the receiver of a receipt, which may still get any id; undefined if nobody asked. */
export function inFlightTo(rows: Rows, { carrier, receiver, sender }: Addressed) {
  if (!rows.isLoaded(inFlight, [carrier, receiver, sender])) return undefined;
  // They were in flight before this group, whose answers end that.
  return rows.values(inFlight, carrier, receiver, sender).filter(({ message, part, number }) => {
    const { outcome = null, carrierIdKey = null } = rows.attempt(message, part, number) ?? {};
    return carrierIdKey === null && (outcome === null || outcome === 'accepted' || outcome === 'in_doubt');
  });
}
