/*
 * Records the outcome of an attempt. Its part is then sent, waits for the next try, goes to another carrier, or ends.
 */

import { carrierById, placesOfRoute } from '../../tables/route.ts';
import { isLongKey } from '../../../core/message/carrier-id.ts';
import { resendDelayMs, resendsMax } from '../../../core/routing/carrier.ts';
import { isFinal } from '../../../core/base/message.ts';
import { eligibleText, parseEligible } from '../../../core/routing/eligible.ts';
import { retryAt } from '../../../core/message/retry.ts';
import { kindOf } from '@morsel/api/admin/routing/carrier-kinds.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import { outcomeOf, type Answer } from '../../../core/message/outcome.ts';
import type { UnitCost } from '../../../core/routing/carrier-cost.ts';
import type { Reads } from '../../rows/reads.ts';
import {
  type QueuePlace,
  addNote,
  awaitReceipt,
  endDoubt,
  enqueuePart,
  isOfNoUse,
  leaveQueue,
  leaveUnsent,
  messageOf,
  movePart,
  receiptDeadline,
  withdrawPart,
} from './part.ts';
import { attemptsOfMessage, attemptTable, doubtTable, type AttemptRow, type PartRow } from '../../tables/message.ts';
import { numbersOf, touch, type Rows, routeInUse } from '../../rows/rows.ts';
import { freeWithIt, nextFailOverAt, nextTryAt } from './fail-over.ts';
import { lookAtUnmatched, readNewestUnmatched, settleUnmatched } from './unmatched.ts';
import { readUnmatchedOf } from './receipt-rows.ts';
import { isRuleKnown, mayHaveUnmatched, readLearning } from '../routing/learning.ts';
import { attemptsWith } from './whole.ts';

/** After this many answers in a row that the receiver is busy, only the part waits, and no longer the whole queue. */
const receiverBusyMax = 3;

export interface RecordOutcome extends Pick<Answer, 'outcome' | 'scope' | 'code'> {
  readonly at: Instant;
  readonly message: MessageId;
  readonly part: number;
  readonly attempt: number;
  readonly carrier: number;
  readonly lease: number;
  readonly carrierId: string | null;
  readonly carrierIdKey: string | null;
  /** What the carrier charged for the part, if that is known. */
  readonly cost?: UnitCost | null;
}

export interface Recorded {
  /** The part waits again, from this instant on. */
  readonly due: Instant | null;
  /** Where it waits, if other carriers are eligible. */
  readonly place?: QueuePlace;
}

export const outcomeCommand = {
  reads(read: Reads, command: RecordOutcome): void {
    readLearning(read, command.carrier);
    const message = read.message(command.message);
    const attempt = read.attempt(command.message, command.part, command.attempt);
    if (attempt?.isWhole) read.attemptsWith(attempt);
    if (message && command.outcome !== 'accepted') {
      // Other carriers for what a carrier did not take. The other parts go along, unless they were there just now.
      read.values(placesOfRoute, message.route);
      if (message.numParts > 1) read.attempts(attemptsOfMessage, message.id);
    }
    // The part comes in doubt, or another part is, or a receipt waited for this answer.
    const isAnyInDoubt = message?.parts.some(({ state }) => state === 'in_doubt') === true;
    if (isAnyInDoubt || command.carrierIdKey === null || isWaitedFor(read, command))
      readNewestUnmatched(read, command.carrier);
    if (command.carrierIdKey !== null) readUnmatchedOf(read, command.carrier, command.carrierIdKey);
  },
  decide: decideOutcome,
};

const nothingDue: Recorded = { due: null };

/**
 * Records the outcome of an attempt and changes the state of its part. Each attempt has one outcome (S3), except that a
 * late answer may settle an attempt in doubt.
 */
function decideOutcome(rows: Rows, command: RecordOutcome): Result<Recorded, never> {
  const named = rows.attempt(command.message, command.part, command.attempt);
  if (!named) return ok(nothingDue);
  if (!named.isWhole) return ok(recordOne(rows, named, command));
  let recorded = nothingDue;
  for (const attempt of attemptsWith(rows, named)) {
    const one = recordOne(rows, attempt, command);
    if (attempt === named) recorded = one;
  }
  return ok(recorded);
}

function recordOne(rows: Rows, attempt: AttemptRow, command: RecordOutcome): Recorded {
  const part = rows.messages.get(attempt.message)?.parts[attempt.part - 1];
  const settlesDoubt = attempt.outcome === 'in_doubt' && command.outcome !== 'in_doubt';
  if (!part || attempt.lease !== command.lease || (attempt.outcome !== null && !settlesDoubt)) return nothingDue;
  attempt.outcome = outcomeOf(command);
  attempt.answeredAt = command.at;
  attempt.code = command.code;
  attempt.carrierId = command.carrierId;
  attempt.carrierIdKey = command.carrierIdKey;
  attempt.cost = command.cost ?? attempt.cost;
  touch(attempt);
  endClaim(part, attempt);
  if (settlesDoubt && command.outcome !== 'accepted') {
    // When a late answer comes, the part may have been sent again. Then only an acceptance counts.
    if (part.state !== 'in_doubt') return nothingDue;
    part.inDoubt -= 1;
    if (part.inDoubt === 0) endDoubt(rows, part);
  }
  const due = act(rows, part, attempt, command);
  if (isWaitedFor(rows, command) && mayHaveUnmatched(rows, command.carrier)) lookAtUnmatched(rows, command.carrier);
  const { route } = messageOf(rows, part);
  const hasOthers = due !== null && routeInUse(rows, route).carriers.length > 1;
  return hasOthers ? { due, place: { route, eligible: part.eligible } } : { due };
}

/**
 * While no id rule is known, receipts with short ids may wait for the answers to what is in flight to their receiver. After
 * a busy answer the part comes back, and they wait for its next answer.
 */
function isWaitedFor(asked: Pick<Reads, 'one'>, { carrier, outcome, carrierIdKey }: RecordOutcome): boolean {
  if (isRuleKnown(asked, carrier)) return false;
  return carrierIdKey === null ? outcome !== 'busy' && outcome !== 'unsent' : !isLongKey(carrierIdKey);
}

/** Ends the claim of a part whose attempt has an outcome. */
export function endClaim(part: PartRow, attempt: AttemptRow): void {
  if (part.claim === null || attempt.number !== part.attempts) return;
  part.claim = null;
  touch(part);
}

/** Changes the state of the part by the outcome. Returns when the part is due again, or null if it does not wait. */
function act(rows: Rows, part: PartRow, attempt: AttemptRow, answer: RecordOutcome): Instant | null {
  const { at, scope, code: errorCode } = answer;
  switch (answer.outcome) {
    case 'accepted':
      accepted(rows, part, attempt, at);
      return null;
    case 'busy':
    case 'unsent':
      return again(rows, part, busyUntil(rows, part, answer), at);
    case 'temporary':
      part.tries += 1;
      touch(part);
      return again(rows, part, nextTryAt(rows, part, { attempt, at }), at);
    case 'refused': {
      const senderAt = scope === 'sender' ? nextSenderAt(rows, part, { attempt, at }) : null;
      if (senderAt !== null) return senderAt;
      const failOverAt = scope === 'message' ? null : nextFailOverAt(rows, part, { attempt, at });
      if (failOverAt !== null) return again(rows, part, failOverAt, at);
      refuse(rows, part, { carrier: attempt.carrier, errorCode, at });
      return null;
    }
    case 'unsendable':
      refuse(rows, part, { carrier: null, errorCode, at });
      return null;
    case 'in_doubt':
      return doubt(rows, part, attempt);
  }
}

function accepted(rows: Rows, part: PartRow, attempt: AttemptRow, at: Instant): void {
  part.carrier = attempt.carrier;
  touch(part);
  movePart(rows, part, 'sent', { at, byReceipt: false, deadline: receiptDeadline(rows, messageOf(rows, part)) });
  if (attempt.carrierIdKey === null) {
    // Without an id, a receipt can be matched only by sender and receiver.
    if (!isFinal(part.state)) {
      keepDoubt(rows, attempt);
    }
    return;
  }
  rows.moved(attemptTable, attempt);
  settleUnmatched(rows, part, attempt, at);
  // While the attempt had no answer, receipts of other parts of the message may have stayed unmatched.
  const isAnyInDoubt = messageOf(rows, part).parts.some(({ state }) => state === 'in_doubt');
  if (isAnyInDoubt && mayHaveUnmatched(rows, attempt.carrier)) lookAtUnmatched(rows, attempt.carrier);
}

/**
 * When a part may be sent again after a busy answer: at once, at the head of its queue (S6). But if the carrier answers
 * again and again that the receiver of one part is busy, only this part waits.
 */
function busyUntil(rows: Rows, part: PartRow, { outcome, scope, at }: RecordOutcome): Instant {
  const busy = part.attempts - part.tries - part.inDoubt;
  const isReceiver = outcome === 'busy' && scope === 'message';
  if (!isReceiver || busy <= receiverBusyMax) return messageOf(rows, part).dueAt;
  return retryOf(rows, part, busy - receiverBusyMax, at);
}

function retryOf(rows: Rows, part: PartRow, tries: number, at: Instant): Instant {
  return retryAt({ message: part.message, tries }, { at, expiresAt: messageOf(rows, part).expiresAt });
}

/**
 * Puts the part back into the queue, unless its validity has ended or another part of its message was refused or
 * canceled.
 */
function again(rows: Rows, part: PartRow, due: Instant, at: Instant): Instant | null {
  const message = messageOf(rows, part);
  if (part.inDoubt === 0 && isOfNoUse(message)) {
    movePart(rows, part, 'canceled', { at, byReceipt: false, deadline: null });
    return null;
  }
  if (at >= message.expiresAt) {
    leaveUnsent(rows, part, 'expired', at);
    return null;
  }
  const senders = new Map(message.parts.flatMap(({ eligible }) => [...(parseEligible(eligible).senders ?? [])]));
  if (senders.size > 0) part.eligible = eligibleText({ ...parseEligible(part.eligible), senders });
  if (!enqueuePart(rows, part, due, at)) return null;
  freeWithIt(rows, part, at);
  return due;
}

/**
 * If the carrier refused the sender and has a default sender, the part goes to the same carrier again with the default
 * sender. Returns when the part is due, or null. A carrier's default sender is tried once. A phone joins only parts
 * with the same sender. So the carrier must not have another part with the client's sender, and the waiting parts get
 * the default sender, too.
 */
function nextSenderAt(
  rows: Rows,
  part: PartRow,
  { attempt, at }: { attempt: AttemptRow; at: Instant },
): Instant | null {
  const message = messageOf(rows, part);
  const { carrier: id } = attempt;
  const carrier = rows.one(carrierById, id);
  const sender = carrier ? kindOf(carrier.settings).defaultSender(carrier.settings) : null;
  const hasSender = (each: PartRow) => parseEligible(each.eligible).senders?.has(id) === true;
  if (!carrier || sender === null || sender === message.sender) return null;
  if (part.state !== 'claimed' || part.inDoubt > 0 || hasSender(part)) return null;
  const isThere = message.parts.some((each) => (each.carrier !== null || each.inDoubt > 0) && !hasSender(each));
  if (isThere) return null;
  const detail = `carrier ${carrier.name} refused sender ${message.sender}: the part is sent with the carrier's default sender ${sender}`;
  addNote(rows, part, { at, kind: 'sender-replaced', detail });
  part.tries += 1;
  const due = again(rows, part, message.dueAt, at);
  for (const each of message.parts) {
    const { due: place } = each;
    if (place === null) continue;
    const eligible = parseEligible(each.eligible);
    leaveQueue(rows, message, each);
    each.eligible = eligibleText({ ...eligible, holder: id, senders: new Map(eligible.senders).set(id, sender) });
    enqueuePart(rows, each, place, each.changedAt);
  }
  return due;
}

/** Ends a part that was refused for good. The other parts of the message that still wait are canceled and refunded. */
function refuse(
  rows: Rows,
  part: PartRow,
  refusal: { carrier: number | null; errorCode: string | null; at: Instant },
): void {
  const message = messageOf(rows, part);
  const end = { at: refusal.at, byReceipt: false, deadline: null };
  // If an earlier attempt was accepted meanwhile, the outcome of this attempt no longer matters.
  if (part.state !== 'claimed' && part.state !== 'in_doubt') return;
  if (part.inDoubt > 0) {
    // The carrier may have accepted the first attempt and refused the second as a duplicate. A receipt can still settle
    // the part.
    movePart(rows, part, 'in_doubt', { ...end, deadline: receiptDeadline(rows, message) });
    awaitReceipt(rows, part);
    return;
  }
  part.carrier = refusal.carrier;
  part.errorCode = refusal.errorCode;
  message.errorCode = refusal.errorCode;
  touch(part);
  touch(message);
  movePart(rows, part, 'rejected', end);
  for (const other of message.parts) {
    if (other.state === 'queued') withdrawPart(rows, other, refusal.at);
  }
}

/** Handles a part in doubt, as the carrier's setting `inDoubt` says. */
export function doubt(rows: Rows, part: PartRow, attempt: AttemptRow): Instant | null {
  if (isFinal(part.state)) return null;
  const at = attempt.answeredAt ?? attempt.claimedAt;
  const policy = rows.one(carrierById, attempt.carrier)?.inDoubt ?? 'hold';
  part.inDoubt += 1;
  touch(part);
  const isResent = policy === 'resend' && part.inDoubt <= resendsMax;
  keepDoubt(rows, attempt);
  addNote(rows, part, {
    at,
    kind: 'in-doubt',
    detail: `attempt ${attempt.number} had no answer; the carrier's in-doubt setting is ${policy}${isResent ? ', so the part is sent again as a possible duplicate' : ''}`,
  });
  const deadline = isResent ? at + resendDelayMs(part.inDoubt) : receiptDeadline(rows, messageOf(rows, part));
  movePart(rows, part, 'in_doubt', { at, byReceipt: false, deadline });
  if (policy === 'fail') movePart(rows, part, 'unknown', { at, byReceipt: false, deadline: null });
  return null;
}

/**
 * Keeps an attempt without an id to be matched by its numbers, and makes unmatched receipts be matched again. Its
 * receipt may be stored as unmatched already (D1), or may come in the same commit.
 */
function keepDoubt(rows: Rows, attempt: AttemptRow): void {
  const { carrier, message, part, number } = attempt;
  const { sender, receiver } = numbersOf(rows, attempt);
  rows.add(doubtTable, { change: 'add', carrier, receiver, sender, message, part, attempt: number });
  lookAtUnmatched(rows, carrier);
}
