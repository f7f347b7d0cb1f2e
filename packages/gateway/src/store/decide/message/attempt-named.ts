import { answerKeyOf, answerKeysOf } from '../../../core/message/carrier-id.ts';
import { isFinal } from '../../../core/base/message.ts';
import { namesNobody, namesReceiver, sameNumber } from '../../../core/message/receipt.ts';
import type { Numbers } from '../../../core/message/receipt.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { attemptKey, carrierKey, numbersKey, numbersOf } from '../../tables/rows.ts';
import type { UnmatchedReceiptRow } from '../../tables/receipt.ts';
import type { RecordInbound } from '../../commands/inbound.ts';
import type { AttemptRow, PartRow, Rows } from '../../tables/rows.ts';
import { numberOf } from '../number/inbound-route.ts';
import { knownRuleOf } from '../routing/learning.ts';

/* Finds the attempt that a receipt's id names, by the carrier's id rule, or by all rules while none is known. */

/** What of a receipt identifies its message. */
export interface Naming extends Numbers {
  readonly carrier: number;
  readonly carrierIdKey: string;
  /** When it arrived. The receipt cannot belong to a later claim. */
  readonly at: Instant;
  /** When it is looked at again, if that is later. */
  readonly now?: Instant;
  /** Set where only the text looks like a receipt: then both numbers must fit the message. */
  readonly orInbound?: RecordInbound | undefined;
}

/** `undecided`: several attempts fit. The carrier's id rule, or a submit_sm_resp that is still to come, will decide. */
export type Named = AttemptRow | 'undecided' | undefined;

/**
 * Shorter ids repeat too often to name a message without its numbers. Longer ids that are equal in the two bases lie so
 * far apart that a carrier does not use both at one time.
 */
const longKeyMin = 6;

/** Whether the id alone identifies a message among those of about the same time. */
export function isLong(receipt: Pick<Naming, 'carrierIdKey'>): boolean {
  return receipt.carrierIdKey.length >= longKeyMin;
}

/** The attempt that a receipt names. */
export function attemptNamed(rows: Rows, receipt: Naming): Named {
  if (receipt.carrierIdKey === '') return undefined;
  const rule = knownRuleOf(rows, receipt.carrier);
  if (rule === null) return underAnyRule(rows, receipt, answerKeysOf(receipt.carrierIdKey));
  const named = attemptsOf(rows, receipt.carrier, answerKeyOf(receipt.carrierIdKey, rule));
  return newestNamed(rows, receipt, named);
}

/** Attempts with the receipt's receiver come first. A carrier may leave the number out, or mask it. */
function newestNamed(rows: Rows, receipt: Naming, named: readonly AttemptRow[]): AttemptRow | undefined {
  const toReceiver = named.filter((attempt) => isToReceiver(rows, attempt, receipt));
  return newest(rows, toReceiver.length > 0 || receipt.orInbound ? toReceiver : named);
}

/**
 * As above, for an unmatched receipt. It must be newer than the claim and match the receiver, because carriers reuse
 * ids.
 */
export function attemptOfUnmatched(rows: Rows, unmatched: UnmatchedReceiptRow, now: Instant): Named {
  if (unmatched.carrierIdKey === '') return undefined;
  const receipt = { ...unmatched, at: unmatched.receivedAt, now };
  const rule = knownRuleOf(rows, unmatched.carrier);
  if (rule === null) return underAnyRule(rows, receipt, answerKeysOf(unmatched.carrierIdKey));
  const key = answerKeyOf(unmatched.carrierIdKey, rule);
  return newest(rows, candidatesOf(rows, receipt, key));
}

/** The attempt under the other id rules, for a receipt that the learned rule does not match. */
export function attemptUnderOtherRules(rows: Rows, receipt: Naming): AttemptRow | undefined {
  const named = underAnyRule(rows, receipt, answerKeysOf(receipt.carrierIdKey));
  return named === 'undecided' ? undefined : named;
}

/**
 * While no rule is known: an id that reads the same under every rule names its attempt as usual. Any other id must
 * match the receiver too, under one rule only. A short one must also wait while an answer with an unknown id is due for
 * that receiver. Example: `16` fits the answer `16` of one message, and also the answer `10`, still to come, of
 * another.
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

/** Some carriers leave the numbers out of their receipts. Then a long id that equals the id of an answer is enough. */
function withoutNumbers(rows: Rows, receipt: Naming, keys: readonly string[]): AttemptRow | undefined {
  if (!isLong(receipt) || receipt.orInbound) return undefined;
  const named = keys.flatMap((key) => attemptsOf(rows, receipt.carrier, key));
  const isSame = named.every((attempt) => attempt.carrierIdKey === receipt.carrierIdKey);
  return isSame && named.every((attempt) => namesNobody(numbersOf(rows, attempt), receipt))
    ? newest(rows, named)
    : undefined;
}

/**
 * Whether the carrier had another part to the same receiver before the receipt arrived, with an id that is not known.
 */
function mayBeAnothers(rows: Rows, receipt: Naming, named: AttemptRow): boolean {
  const key = numbersKey(receipt.carrier, receipt);
  const isOwn = (each: { message: number; part: number }) =>
    each.message === named.message && (named.isWhole || each.part === named.part);
  const isAnother = (each: { message: number; part: number; claimedAt: Instant }) =>
    !isOwn(each) && mayBelongTo(receipt, each);
  const flying = (rows.inFlightTo.get(key) ?? []).filter(
    (each) => (rows.attempts.get(attemptKey(each.message, each.part, each.number))?.outcome ?? null) === null,
  );
  const doubted = (rows.inDoubtByNumbers.get(key) ?? []).filter((each) => !isFinal(partOf(rows, each).state));
  return flying.some(isAnother) || doubted.some(isAnother);
}

function attemptsOf(rows: Rows, carrier: number, key: string | null): readonly AttemptRow[] {
  return key === null ? [] : (rows.attemptsByCarrierId.get(carrierKey(carrier, key)) ?? []);
}

/**
 * Whether the claim was there when the receipt arrived. A claim that is later than now was made before the clock was set
 * back: its time says nothing.
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
 * Whether an unmarked text went to the address that a receipt of the message goes to. A person may write to our number
 * about a message with another sender. A carrier's receipt goes to the sender of the message, or to an address that is
 * not one of our numbers.
 */
function isReply(rows: Rows, sent: Numbers, { receiver }: RecordInbound): boolean {
  const isOfMessage = sameNumber(sent.sender, receiver) || sameNumber(sent.receiver, receiver);
  return isOfMessage || numberOf(rows, receiver) === undefined;
}

/**
 * Carriers reuse their ids. The newest attempt whose part is not final counts, then the newest.
 */
function newest(rows: Rows, attempts: readonly AttemptRow[]): AttemptRow | undefined {
  return attempts.findLast((attempt) => !isFinal(partOf(rows, attempt).state)) ?? attempts.at(-1);
}

export function partOf(rows: Rows, attempt: AttemptRow): PartRow {
  const part = rows.messages.get(attempt.message)?.parts[attempt.part - 1];
  if (!part) throw new Error('an attempt was loaded without its part');
  return part;
}
