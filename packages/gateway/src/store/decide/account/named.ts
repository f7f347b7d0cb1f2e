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

/* Which attempt a receipt's id names, under the carrier's rule or while none is known yet. */

/** What of a receipt says whose it is. */
export interface Naming extends Numbers {
  readonly carrier: number;
  readonly carrierIdKey: string;
  /** When it came: nothing that was claimed later can be meant. */
  readonly at: Instant;
  /** Set where only the text looks like a receipt: then both numbers must fit the message. */
  readonly orInbound?: RecordInbound | undefined;
}

/** `undecided`: several could be meant, and only the carrier's rule, or an answer that is still to come, will tell. */
export type Named = AttemptRow | 'undecided' | undefined;

/**
 * Shorter ids than this begin anew too often to be somebody's for certain by themselves. Longer ones that read as each other
 * in the two bases lie so far apart that a carrier does not give both at one time.
 */
const longKeyMin = 6;

/** Whether the id tells a message by itself, among those of about one time. */
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

/** Those to the receipt's receiver come first; a carrier may leave its number out, or mask it. */
function newestNamed(rows: Rows, receipt: Naming, named: readonly AttemptRow[]): AttemptRow | undefined {
  const toReceiver = named.filter((attempt) => isToReceiver(rows, attempt, receipt));
  return newest(rows, toReceiver.length > 0 || receipt.orInbound ? toReceiver : named);
}

/** The same of an unmatched receipt, which must have come after the claim and name the receiver: carriers begin their ids anew. */
export function attemptOfUnmatched(rows: Rows, unmatched: UnmatchedReceiptRow): Named {
  if (unmatched.carrierIdKey === '') return undefined;
  const receipt = { ...unmatched, at: unmatched.receivedAt };
  const rule = knownRuleOf(rows, unmatched.carrier);
  if (rule === null) return underAnyRule(rows, receipt, answerKeysOf(unmatched.carrierIdKey));
  const key = answerKeyOf(unmatched.carrierIdKey, rule);
  return newest(rows, candidatesOf(rows, receipt, key));
}

/** What a receipt that the learned rule does not find would name under the others. */
export function attemptUnderOtherRules(rows: Rows, receipt: Naming): AttemptRow | undefined {
  const named = underAnyRule(rows, receipt, answerKeysOf(receipt.carrierIdKey));
  return named === 'undecided' ? undefined : named;
}

/**
 * While no rule is known: an id that is the same under every rule names as ever. Any other has to name the receiver too,
 * under one rule alone, and where it is short, nothing may be on its way to that receiver whose id we have still to learn:
 * `16` is the answer `16` of one message as well as the answer `10`, still to come, of another.
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

/** Some carriers leave the numbers out of their receipts. An id that is long and exactly that of an answer is enough then. */
function withoutNumbers(rows: Rows, receipt: Naming, keys: readonly string[]): AttemptRow | undefined {
  if (!isLong(receipt) || receipt.orInbound) return undefined;
  const named = keys.flatMap((key) => attemptsOf(rows, receipt.carrier, key));
  const isSame = named.every((attempt) => attempt.carrierIdKey === receipt.carrierIdKey);
  return isSame && named.every((attempt) => namesNobody(numbersOf(rows, attempt), receipt))
    ? newest(rows, named)
    : undefined;
}

/** Whether another part to the same receiver was given to the carrier before the receipt came, and its id is not known. */
function mayBeAnothers(rows: Rows, receipt: Naming, named: AttemptRow): boolean {
  const key = numbersKey(receipt.carrier, receipt);
  const isOwn = (each: { message: number; part: number }) =>
    each.message === named.message && (named.isWhole || each.part === named.part);
  const isAnother = (each: { message: number; part: number; claimedAt: Instant }) =>
    !isOwn(each) && each.claimedAt <= receipt.at;
  const flying = (rows.inFlightTo.get(key) ?? []).filter(
    (each) => (rows.attempts.get(attemptKey(each.message, each.part, each.number))?.outcome ?? null) === null,
  );
  const doubted = (rows.inDoubtByNumbers.get(key) ?? []).filter((each) => !isFinal(partOf(rows, each).state));
  return flying.some(isAnother) || doubted.some(isAnother);
}

function attemptsOf(rows: Rows, carrier: number, key: string | null): readonly AttemptRow[] {
  return key === null ? [] : (rows.attemptsByCarrierId.get(carrierKey(carrier, key)) ?? []);
}

function candidatesOf(rows: Rows, receipt: Naming, key: string | null): readonly AttemptRow[] {
  return attemptsOf(rows, receipt.carrier, key).filter(
    (attempt) => attempt.claimedAt <= receipt.at && isToReceiver(rows, attempt, receipt),
  );
}

function isToReceiver(rows: Rows, attempt: AttemptRow, receipt: Naming): boolean {
  const numbers = numbersOf(rows, attempt);
  return namesReceiver(numbers, receipt) && (!receipt.orInbound || isReply(rows, numbers, receipt.orInbound));
}

/**
 * Whether an unmarked text went where a receipt of the message goes. A phone can write to a number of ours about a message
 * that had another sender; a carrier's own receipt goes back to the sender, or to an address that is no number of ours.
 */
function isReply(rows: Rows, sent: Numbers, { receiver }: RecordInbound): boolean {
  const isOfMessage = sameNumber(sent.sender, receiver) || sameNumber(sent.receiver, receiver);
  return isOfMessage || numberOf(rows, receiver) === undefined;
}

/** Carriers repeat their ids (smpp-in-the-wild, 17): the newest whose part is not final, then the newest. */
function newest(rows: Rows, attempts: readonly AttemptRow[]): AttemptRow | undefined {
  return attempts.findLast((attempt) => !isFinal(partOf(rows, attempt).state)) ?? attempts.at(-1);
}

export function partOf(rows: Rows, attempt: AttemptRow): PartRow {
  const part = rows.messages.get(attempt.message)?.parts[attempt.part - 1];
  if (!part) throw new Error('an attempt was loaded without its part');
  return part;
}
