import { answerKeyOf, answerKeysOf } from '../../../core/message/carrier-id.ts';
import { isFinal } from '../../../core/base/message.ts';
import { namesNobody, namesReceiver, sameNumber, type Numbers } from '../../../core/message/receipt.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { attemptKey, attemptTable, type AttemptRow, type PartRow } from '../../tables/message.ts';
import { numbersOf, touch, type Rows } from '../../rows/rows.ts';
import type { UnmatchedReceiptRow } from '../../tables/receipt.ts';
import type { RecordInbound } from '../../tables/inbound.ts';
import { numberOf } from '../number/inbound-route.ts';
import { knownRuleOf, sendsTextReceipts } from '../routing/learning.ts';
import { addNote, endDoubt } from './part.ts';
import { partsOf } from './whole.ts';
import { attemptsOf, doubtsOf, inFlightTo, type Addressed } from './receipt-rows.ts';

/*
 * Finds the attempt that a receipt belongs to. The carrier's id rule says how ids in receipts differ from ids in answers;
 * while it is unknown, all rules are tried. A receipt with an unknown id may belong to the only message in doubt.
 */

/** The fields of a receipt that identify its message. */
export interface Naming extends Addressed {
  readonly carrierIdKey: string;
  /** When the receipt arrived. It cannot belong to a later claim. */
  readonly at: Instant;
  /** Set when the receipt is matched again later: the time of that. */
  readonly now?: Instant;
  /** Set if only the text looks like a receipt. Then sender and receiver must both match the message. */
  readonly orInbound?: Pick<RecordInbound, 'receiver'> | null | undefined;
}

/**
 * The attempt of a receipt. `undecided`: several attempts match, until the carrier's id rule is learned or a missing
 * submit_sm_resp arrives.
 */
export type Named = AttemptRow | 'undecided' | undefined;

/**
 * The length from which an id identifies a message without its phone numbers. Shorter ids repeat too often. Of two
 * longer ids that are equal in decimal and hexadecimal, a carrier does not use both at about the same time.
 */
const longKeyMin = 6;

/** Whether the id of a receipt is long enough to identify a message alone. */
export function isLong(receipt: Pick<Naming, 'carrierIdKey'>): boolean {
  return receipt.carrierIdKey.length >= longKeyMin;
}

/** Finds the attempt that a receipt belongs to. */
export function attemptNamed(rows: Rows, receipt: Naming): Named {
  if (receipt.carrierIdKey === '') return undefined;
  const rule = knownRuleOf(rows, receipt.carrier);
  if (rule === null) return underAnyRule(rows, receipt, answerKeysOf(receipt.carrierIdKey));
  const named = attemptsOf(rows, receipt.carrier, answerKeyOf(receipt.carrierIdKey, rule));
  return newestNamed(rows, receipt, named);
}

/**
 * The newest attempt with the receiver of the receipt, or the newest of all, because some carriers omit or mask the
 * number.
 */
function newestNamed(rows: Rows, receipt: Naming, named: readonly AttemptRow[]): AttemptRow | undefined {
  const toReceiver = named.filter((attempt) => isToReceiver(rows, attempt, receipt));
  return newest(rows, toReceiver.length > 0 || receipt.orInbound ? toReceiver : named);
}

/**
 * Finds the attempt of a stored unmatched receipt. The receipt must be newer than the claim and match the receiver,
 * because carriers reuse ids.
 */
export function attemptOfUnmatched(rows: Rows, unmatched: UnmatchedReceiptRow, now: Instant): Named {
  if (unmatched.carrierIdKey === '') return undefined;
  const receipt = { ...unmatched, at: unmatched.receivedAt, now };
  const rule = knownRuleOf(rows, unmatched.carrier);
  if (rule === null) return underAnyRule(rows, receipt, answerKeysOf(unmatched.carrierIdKey));
  const key = answerKeyOf(unmatched.carrierIdKey, rule);
  return newest(rows, candidatesOf(rows, receipt, key));
}

/** Finds the attempt by the other id rules, for a receipt that does not match by the learned rule. */
export function attemptUnderOtherRules(rows: Rows, receipt: Naming): AttemptRow | undefined {
  const named = underAnyRule(rows, receipt, answerKeysOf(receipt.carrierIdKey));
  return named === 'undecided' ? undefined : named;
}

/**
 * Finds the attempt while the id rule is unknown. An id that is the same by every rule identifies its attempt as usual.
 * Any other id must also match the receiver, and by one rule only. A short id must also wait while an answer for the
 * same receiver is outstanding. Example: the receipt id `16` matches the answer id `16`, but also the answer id `10`
 * (hexadecimal) of another message, which may still arrive.
 */
function underAnyRule(rows: Rows, receipt: Naming, keys: readonly string[]): Named {
  const [same = '', ...others] = keys;
  if (others.length === 0) {
    return newestNamed(rows, receipt, attemptsOf(rows, receipt.carrier, same));
  }
  const found = keys.flatMap((key) => newest(rows, candidatesOf(rows, receipt, key)) ?? []);
  const [attempt] = found;
  if (!attempt) return withoutNumbers(rows, receipt, keys);
  const owners = new Set(found.map((each) => (each.isWhole ? each.message : partOf(rows, each))));
  if (owners.size > 1) return 'undecided';
  return !isLong(receipt) && mayBeAnothers(rows, receipt, attempt) ? 'undecided' : attempt;
}

/**
 * Matches a receipt without phone numbers, which some carriers send. A long id that equals the id of an answer is then
 * enough.
 */
function withoutNumbers(rows: Rows, receipt: Naming, keys: readonly string[]): AttemptRow | undefined {
  if (!isLong(receipt) || receipt.orInbound) return undefined;
  const named = keys.flatMap((key) => attemptsOf(rows, receipt.carrier, key));
  const isSame = named.every((attempt) => attempt.carrierIdKey === receipt.carrierIdKey);
  return isSame && named.every((attempt) => namesNobody(numbersOf(rows, attempt), receipt))
    ? newest(rows, named)
    : undefined;
}

/**
 * Whether the receipt may belong to another part that the carrier has for the same receiver, with an id that is still
 * unknown.
 */
function mayBeAnothers(rows: Rows, receipt: Naming, named: AttemptRow): boolean {
  const flying = inFlightTo(rows, receipt);
  // An answer of this group brought the id in another way than it was looked for.
  if (!flying) return true;
  const isOwn = (each: { message: number; part: number }) =>
    each.message === named.message && (named.isWhole || each.part === named.part);
  const isAnother = (each: { message: number; part: number; claimedAt: Instant }) =>
    !isOwn(each) && mayBelongTo(receipt, each);
  const isOpen = (each: { message: MessageId; part: number; number: number }) =>
    (rows.attempts.get(attemptKey(each.message, each.part, each.number))?.outcome ?? null) === null;
  const doubted = doubtsOf(rows, receipt).filter((each) => !isFinal(partOf(rows, each).state));
  return flying.some((each) => isOpen(each) && isAnother(each)) || doubted.some(isAnother);
}

/**
 * Whether the claim is older than the receipt. A claim later than now was made before the clock was set back, so its
 * time is ignored.
 */
export function mayBelongTo({ at, now = at }: Pick<Naming, 'at' | 'now'>, claim: { claimedAt: Instant }): boolean {
  return claim.claimedAt <= at || claim.claimedAt > now;
}

function candidatesOf(rows: Rows, receipt: Naming, key: string | null): readonly AttemptRow[] {
  return attemptsOf(rows, receipt.carrier, key).filter(
    (attempt) => mayBelongTo(receipt, attempt) && isToReceiver(rows, attempt, receipt),
  );
}

function isToReceiver(rows: Rows, attempt: AttemptRow, receipt: Naming): boolean {
  const numbers = numbersOf(rows, attempt);
  return namesReceiver(numbers, receipt) && (!receipt.orInbound || isReply(rows, numbers, receipt.orInbound));
}

/**
 * Whether a text that looks like a receipt came to the address where receipts of the message go. A carrier sends
 * receipts to the sender of the message, or to an address that is not one of our numbers. A text to another of our
 * numbers was written by a person.
 */
function isReply(rows: Rows, sent: Numbers, { receiver }: Pick<RecordInbound, 'receiver'>): boolean {
  const isOfMessage = sameNumber(sent.sender, receiver) || sameNumber(sent.receiver, receiver);
  return isOfMessage || numberOf(rows, receiver) === undefined;
}

/**
 * Carriers reuse ids, so this prefers the newest attempt whose part has no final state; otherwise it returns the newest
 * attempt.
 */
function newest(rows: Rows, attempts: readonly AttemptRow[]): AttemptRow | undefined {
  return attempts.findLast((attempt) => !isFinal(partOf(rows, attempt).state)) ?? attempts.at(-1);
}

export function partOf(rows: Rows, attempt: AttemptRow): PartRow {
  const part = rows.messages.get(attempt.message)?.parts[attempt.part - 1];
  if (!part) throw new Error('the part of an attempt is not loaded');
  return part;
}

/** A receipt with an unknown id. */
interface Nameless extends Naming {
  readonly carrierId: string;
}

/**
 * Finds the attempt in doubt with the sender and receiver of the receipt. If several parts of one message are in doubt,
 * the first receipt settles the first part, because nothing distinguishes them. Returns undefined if two messages
 * match. Also returns undefined if a part with these numbers is in flight, because the receipt may have come before the
 * answer for that part.
 */
export function soleDoubt(rows: Rows, command: Nameless): AttemptRow | undefined {
  // Anybody can send such a text between these numbers. So a text counts as a receipt here only if the carrier is known
  // to send receipts by text alone (O4).
  if (command.orInbound && !sendsTextReceipts(rows, command.carrier)) return undefined;
  const candidates = doubtsOf(rows, command).filter(
    (attempt) =>
      attempt.carrierIdKey === null && !isFinal(partOf(rows, attempt).state) && mayBelongTo(command, attempt),
  );
  const messages = new Set(candidates.map(({ message }) => message));
  const attempt = firstOf(rows, candidates);
  if (messages.size !== 1 || !attempt || inFlightTo(rows, command)?.length !== 0) return undefined;
  keepItsId(rows, attempt, command);
  const part = partOf(rows, attempt);
  for (const each of partsOf(rows, part, attempt)) {
    each.carrier = attempt.carrier;
    touch(each);
    endDoubt(rows, each);
  }
  addNote(rows, part, {
    at: command.at,
    kind: 'matched-in-doubt',
    detail: `attempt ${attempt.number} matched by its sender and receiver`,
  });
  return attempt;
}

/**
 * The newest attempt of the first part. A part that was sent again and accepted gets its own receipt, so it is left
 * out.
 */
function firstOf(rows: Rows, candidates: readonly AttemptRow[]): AttemptRow | undefined {
  const open = candidates.filter(
    (attempt) => attempt.outcome === 'accepted' || !['sent', 'buffered'].includes(partOf(rows, attempt).state),
  );
  const among = open.length > 0 ? open : candidates;
  const first = Math.min(...among.map(({ part }) => part));
  return among.findLast(({ part }) => part === first);
}

/**
 * Stores the receipt's id with the attempt, so that the same receipt is recognised as a duplicate. The answer of an
 * accepted attempt is not changed.
 */
function keepItsId(rows: Rows, attempt: AttemptRow, command: Nameless): void {
  if (attempt.outcome !== 'accepted') attempt.carrierId = command.carrierId;
  const rule = knownRuleOf(rows, command.carrier) ?? 'same';
  attempt.carrierIdKey = answerKeyOf(command.carrierIdKey, rule) ?? command.carrierIdKey;
  touch(attempt);
  rows.moved(attemptTable, attempt);
}
