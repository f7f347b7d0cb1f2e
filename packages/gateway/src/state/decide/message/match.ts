import { answerKeyOf, isLongKey } from '../../../core/message/carrier-id.ts';
import { isFinal } from '../../../core/base/message.ts';
import { namesNobody, namesReceiver, sameNumber, type Numbers } from '../../../core/message/receipt.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { attemptTable, type AttemptRow, type PartRow } from '../../tables/message.ts';
import { numbersOf, touch, type Rows } from '../../rows/rows.ts';
import type { UnmatchedReceiptRow } from '../../tables/receipt.ts';
import { numberOf } from '../number/inbound-route.ts';
import { readingsOf, ruleOf } from '../routing/learning.ts';
import { addNote, endDoubt } from './part.ts';
import { partsOf } from './whole.ts';
import { attemptsOf, doubtsOf, inFlightTo, type Naming } from './receipt-rows.ts';

/*
 * Finds the attempt that a receipt belongs to. The carrier's id rule says how ids in receipts differ from ids in answers.
 * A receipt with an unknown id may belong to the only message in doubt.
 */

/** A receipt, with when it came and how it is marked. */
interface Dated extends Naming {
  /** When the receipt arrived. It cannot belong to a later claim. */
  readonly at: Instant;
  /** Set when the receipt is matched again later: the time of that. */
  readonly now?: Instant;
  /** Nothing but its text marks the receipt. Then sender and receiver must both match the message. */
  readonly isText?: boolean;
}

/**
 * Finds the attempt of a receipt that has just come. If no attempt has its receiver, an id that can only be read in one
 * way is enough, because some carriers omit or mask the number.
 */
export function attemptNamed(rows: Rows, receipt: Dated): AttemptRow | undefined {
  return attemptOf(rows, receipt, readingsOf(rows, receipt).length < 2);
}

/** Finds the attempt of a stored unmatched receipt, which must match the receiver, because carriers reuse ids. */
export function attemptOfUnmatched(rows: Rows, unmatched: UnmatchedReceiptRow, now: Instant): AttemptRow | undefined {
  return attemptOf(rows, { ...unmatched, at: unmatched.receivedAt, now }, false);
}

/** A long id is enough if the receipt has no receiver. */
function attemptOf(rows: Rows, receipt: Dated, isIdEnough: boolean): AttemptRow | undefined {
  const { carrier, carrierIdKey, isText } = receipt;
  if (carrierIdKey === '') return undefined;
  const key = answerKeyOf(carrierIdKey, ruleOf(rows, carrier));
  const named = attemptsOf(rows, carrier, key).filter((attempt) => mayBelongTo(receipt, attempt));
  const toReceiver = named.filter((each) => isToReceiver(rows, each, receipt));
  const attempt = newest(rows, toReceiver);
  if (attempt) return mayBeAnothers(rows, receipt, attempt) ? undefined : attempt;
  if (isText === true) return undefined;
  if (isIdEnough) return newest(rows, named);
  if (!isLongKey(carrierIdKey)) return undefined;
  const toNobody = named.filter((each) => namesNobody(numbersOf(rows, each), receipt));
  return newest(rows, toNobody);
}

/**
 * Whether a receipt may belong to another message of its receiver. Example: while no rule is set, a receipt for `16` may
 * be one for `10` (hexadecimal), whose answer has come or may still come. Of two long ids that are equal in decimal and
 * hexadecimal, a carrier does not use both at about the same time.
 */
function mayBeAnothers(rows: Rows, receipt: Dated, named: AttemptRow): boolean {
  const { carrierIdKey } = receipt;
  const others = readingsOf(rows, receipt).filter((key) => key !== carrierIdKey);
  if (others.length === 0 || isLongKey(carrierIdKey)) return false;
  const inFlight = inFlightTo(rows, receipt);
  // An answer of this group brought the id in another way than it was looked for.
  if (!inFlight) return true;
  return [...answeredTo(rows, receipt, others), ...doubtsOf(rows, receipt), ...inFlight].some(
    (each) => !isSameRequest(each, named) && mayBelongTo(receipt, each),
  );
}

/** The attempts to the receiver of a receipt that have one of several ids. */
function answeredTo(rows: Rows, receipt: Dated, keys: readonly string[]): readonly AttemptRow[] {
  const named = keys.flatMap((key) => attemptsOf(rows, receipt.carrier, key));
  return named.filter((attempt) => isToReceiver(rows, attempt, receipt));
}

function isSameRequest(each: Pick<AttemptRow, 'message' | 'part'>, { message, part, isWhole }: AttemptRow): boolean {
  return each.message === message && (isWhole || each.part === part);
}

/**
 * Whether the claim is older than the receipt. A claim later than now was made before the clock was set back, so its
 * time is ignored.
 */
function mayBelongTo({ at, now = at }: Pick<Dated, 'at' | 'now'>, claim: { claimedAt: Instant }): boolean {
  return claim.claimedAt <= at || claim.claimedAt > now;
}

function isToReceiver(rows: Rows, attempt: AttemptRow, receipt: Dated): boolean {
  const numbers = numbersOf(rows, attempt);
  return namesReceiver(numbers, receipt) && (receipt.isText !== true || isReply(rows, numbers, receipt));
}

/**
 * Whether a text that looks like a receipt came to the address where receipts of the message go. A carrier sends
 * receipts to the sender of the message, or to an address that is not one of our numbers. A text to another of our
 * numbers was written by a person.
 */
function isReply(rows: Rows, sent: Numbers, { sender: address }: Numbers): boolean {
  const isOfMessage = sameNumber(sent.sender, address) || sameNumber(sent.receiver, address);
  return isOfMessage || numberOf(rows, address) === undefined;
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
interface Nameless extends Dated {
  readonly carrierId: string;
}

/**
 * Finds the attempt in doubt with the sender and receiver of the receipt. If several parts of one message are in doubt,
 * the first receipt settles the first part, because nothing distinguishes them. Returns undefined if two messages
 * match. Also returns undefined if a part with these numbers is in flight, because the receipt may have come before the
 * answer for that part.
 */
export function soleDoubt(rows: Rows, command: Nameless): AttemptRow | undefined {
  // By a rule that is not set yet, its id may be known.
  if (answeredTo(rows, command, readingsOf(rows, command)).length > 0) return undefined;
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
  const rule = ruleOf(rows, command.carrier);
  attempt.carrierIdKey = answerKeyOf(command.carrierIdKey, rule) ?? command.carrierIdKey;
  touch(attempt);
  rows.moved(attemptTable, attempt);
}
