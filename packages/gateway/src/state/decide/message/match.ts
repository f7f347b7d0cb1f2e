import { answerKeyOf, isLongKey } from '../../../core/message/carrier-id.ts';
import { isFinal } from '../../../core/base/message.ts';
import { namesNobody, namesReceiver, sameNumber, type Numbers } from '../../../core/message/receipt.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { attemptTable, type AttemptRow, type PartRow } from '../../tables/message.ts';
import { numbersOf, touch, type Rows } from '../../rows/rows.ts';
import type { UnmatchedReceiptRow } from '../../tables/receipt.ts';
import { numberOf } from '../number/inbound-route.ts';
import { isRuleSet, ruleOf } from '../routing/learning.ts';
import { addNote, endDoubt } from './part.ts';
import { partsOf } from './whole.ts';
import { attemptsOf, doubtsOf, inFlightTo, type Addressed } from './receipt-rows.ts';

/*
 * Finds the attempt that a receipt belongs to. The carrier's id rule says how ids in receipts differ from ids in answers.
 * A receipt with an unknown id may belong to the only message in doubt.
 */

/** The fields of a receipt that identify its message. */
export interface Naming extends Addressed {
  readonly carrierIdKey: string;
  /** When the receipt arrived. It cannot belong to a later claim. */
  readonly at: Instant;
  /** Set when the receipt is matched again later: the time of that. */
  readonly now?: Instant;
  /** Nothing but its text marks the receipt. Then sender and receiver must both match the message. */
  readonly isText: boolean;
}

/**
 * Finds the attempt that a receipt belongs to: the newest one with its id and receiver, or the newest with its id, because
 * some carriers omit or mask the number.
 */
export function attemptNamed(rows: Rows, receipt: Naming): AttemptRow | undefined {
  const named = attemptsNamed(rows, receipt);
  const toReceiver = named.filter((attempt) => isToReceiver(rows, attempt, receipt));
  if (toReceiver.length > 0 || receipt.isText) return newest(rows, toReceiver);
  // Until a rule is set, the id may be that of another message by another rule.
  const isSure = isRuleSet(rows, receipt.carrier);
  return newest(rows, isSure ? named : named.filter((attempt) => namesNobody(numbersOf(rows, attempt), receipt)));
}

/**
 * Finds the attempt of a stored unmatched receipt. The receipt must be newer than the claim and match the receiver,
 * because carriers reuse ids. A long id is enough if the receipt has no receiver.
 */
export function attemptOfUnmatched(rows: Rows, unmatched: UnmatchedReceiptRow, now: Instant): AttemptRow | undefined {
  const receipt = { ...unmatched, at: unmatched.receivedAt, now };
  const named = attemptsNamed(rows, receipt).filter((attempt) => mayBelongTo(receipt, attempt));
  const toReceiver = named.filter((attempt) => isToReceiver(rows, attempt, receipt));
  if (toReceiver.length > 0 || receipt.isText || !isLongKey(receipt.carrierIdKey)) return newest(rows, toReceiver);
  return newest(
    rows,
    named.filter((attempt) => namesNobody(numbersOf(rows, attempt), receipt)),
  );
}

/** The attempts with the id of the receipt by the carrier's rule, the oldest first. */
function attemptsNamed(rows: Rows, { carrier, carrierIdKey }: Naming): readonly AttemptRow[] {
  return carrierIdKey === '' ? [] : attemptsOf(rows, carrier, answerKeyOf(carrierIdKey, ruleOf(rows, carrier)));
}

/**
 * Whether the claim is older than the receipt. A claim later than now was made before the clock was set back, so its
 * time is ignored.
 */
function mayBelongTo({ at, now = at }: Pick<Naming, 'at' | 'now'>, claim: { claimedAt: Instant }): boolean {
  return claim.claimedAt <= at || claim.claimedAt > now;
}

function isToReceiver(rows: Rows, attempt: AttemptRow, receipt: Naming): boolean {
  const numbers = numbersOf(rows, attempt);
  return namesReceiver(numbers, receipt) && (!receipt.isText || isReply(rows, numbers, receipt));
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
