/* Changes the state of a part, and updates the queue, the event of its message, refunds, notifications and CDRs. */

import { count } from '../../rows/totals.ts';
import { accountById, type AccountRow } from '../../tables/account.ts';
import { advanceEvent, isFinal, mayMove, type FinalEvent, type PartState } from '../../../core/base/message.ts';
import type { CarrierState } from '../../../core/message/receipt.ts';
import { isRefunded } from '../../../core/money/ledger.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { effect } from '../../tables/lookup.ts';
import { rewrite, touch, type Rows } from '../../rows/rows.ts';
import { cdrTable, noteTable, type MessageRow, type NoteRow, type PartRow } from '../../tables/message.ts';
import { nextMessageId, type MessageId } from '../../../core/base/message-id.ts';
import { post } from '../money/entry.ts';
import { notifyOfReceipt } from '../notification/notification.ts';

/** The route and eligible carriers of waiting parts, in the form of core/routing/eligible.ts. */
export interface QueuePlace {
  readonly route: number;
  readonly eligible: string;
}

/** A change of a part's state, without the new state itself. */
export interface Move {
  readonly at: Instant;
  /** True if a receipt from the carrier causes the change. Only a receipt may correct a final state. */
  readonly byReceipt: boolean;
  readonly deadline: Instant | null;
  /**
   * True if nothing but its text marks the receipt. Anybody can type that, so it never causes a refund, and a marked
   * receipt may correct it.
   */
  readonly isText?: boolean;
  /** What the receipt says. */
  readonly reported?: { readonly state: CarrierState; readonly errorCode: string | null };
}

/**
 * Changes the state of a part and the event of its message. Returns false, without a change, if this change of state is
 * not allowed. A part with a new final state is refunded once if the account's policy says so (M3).
 */
export function movePart(rows: Rows, part: PartRow, state: PartState, move: Move): boolean {
  const message = messageOf(rows, part);
  const correctsText = part.endedByText && move.byReceipt && move.isText !== true;
  const isLegal = correctsText ? isFinal(state) : mayMove(part.state, state);
  if (!isLegal || (isFinal(part.state) && !correctsText && !mayCorrect(part, move))) return false;
  const { state: before, refundEntry } = part;
  leaveQueue(rows, message, part);
  count(rows, 'parts', before, -1);
  count(rows, 'parts', state, 1);
  part.state = state;
  part.changedAt = move.at;
  part.deadline = isFinal(state) ? null : move.deadline;
  part.endedByText = isFinal(state) && move.isText === true;
  touch(part);
  if (move.reported) {
    // Before the event, so that its notification has the code, too.
    part.carrierState = move.reported.state;
    part.errorCode = move.reported.errorCode;
    message.errorCode = move.reported.errorCode ?? message.errorCode;
    touch(message);
  }
  if (isFinal(state)) {
    if (move.isText !== true) refund(rows, message, part, state, move);
    if (part.inDoubt > 0) endDoubt(rows, part);
    const isRefund = part.refundEntry !== refundEntry;
    if (before !== state || isRefund)
      rows.ended.set(part, { isRefund: isRefund || rows.ended.get(part)?.isRefund === true });
  }
  const endsText = correctsText && !message.parts.some(({ endedByText }) => endedByText);
  recordEvent(rows, message, { ...move, endsText });
  if (!message.storeText && !message.parts.some(needsText)) forgetText(message);
  return true;
}

/** A carrier may still get the part. */
function needsText({ state }: PartRow): boolean {
  return state === 'scheduled' || state === 'queued' || state === 'claimed' || state === 'in_doubt';
}

/** Deletes the text of a message that the client does not want kept. */
function forgetText(message: MessageRow): void {
  if (message.content !== null || message.extras !== null) rewrite(message, { content: null, extras: null });
}

/**
 * Makes the CDRs of the parts that ended, or whose end was corrected, in this group. It runs behind all commands of the
 * group, so that a record has everything that its end brought.
 */
export function recordEnds(rows: Rows): void {
  for (const [part, { isRefund }] of rows.ended) {
    if (!isFinal(part.state)) throw new Error('a part has a CDR, but no final state');
    const { node } = rows;
    node.lastCdr = nextMessageId(node.lastCdr, part.changedAt, node.id);
    touch(node);
    rows.add(cdrTable, {
      id: node.lastCdr,
      account: messageOf(rows, part).account,
      message: part.message,
      part: part.number,
      endedAt: part.changedAt,
      event: part.state,
      errorCode: part.errorCode,
      carrier: part.carrier,
      refundEntry: isRefund ? part.refundEntry : null,
      corrects: part.cdr,
    });
    part.cdr = node.lastCdr;
    touch(part);
  }
}

const deleteDoubt = effect<[message: MessageId, part: number]>()('doubt.delete');

/** From now on no receipt is matched to the part by its numbers alone. */
export function endDoubt(rows: Rows, { message, number }: PartRow): void {
  rows.run(deleteDoubt, message, number);
}

/** Puts a part that no carrier has into the queue. It can be claimed from `due` on. */
export function enqueuePart(rows: Rows, part: PartRow, due: Instant, at: Instant): boolean {
  const message = messageOf(rows, part);
  const moved =
    part.state === 'queued' || movePart(rows, part, 'queued', { at, byReceipt: false, deadline: message.expiresAt });
  if (!moved) return false;
  part.due = due;
  if (part.roundEnds !== null) part.deadline = Math.min(message.expiresAt, part.roundEnds);
  touch(part);
  rows.enqueued.push(queueRowOf(message, part, due));
  return true;
}

/** Cancels a waiting part. */
export function withdrawPart(rows: Rows, part: PartRow, at: Instant): void {
  leaveUnsent(rows, part, 'canceled', at);
}

/**
 * Ends a part that waits. But if the part was ever in doubt, a carrier may have delivered it, so it waits for a receipt
 * instead.
 */
export function leaveUnsent(rows: Rows, part: PartRow, end: 'canceled' | 'expired', at: Instant): void {
  if (part.inDoubt === 0) movePart(rows, part, end, { at, byReceipt: false, deadline: null });
  else
    movePart(rows, part, 'in_doubt', { at, byReceipt: false, deadline: receiptDeadline(rows, messageOf(rows, part)) });
}

export function leaveQueue(rows: Rows, message: MessageRow, part: PartRow): void {
  if (part.due === null) return;
  rows.dequeued.push(queueRowOf(message, part, part.due));
  part.due = null;
  touch(part);
}

function queueRowOf(message: MessageRow, part: PartRow, due: Instant) {
  return {
    route: message.route,
    priority: message.priority,
    account: message.account,
    due,
    message: message.id,
    part: part.number,
    eligible: part.eligible,
  };
}

/** Adds a note to the history of a message, about one of its parts or about all (null). */
export function addNote(
  rows: Rows,
  { message, number: part }: { readonly message: MessageId; readonly number: number | null },
  note: Pick<NoteRow, 'at' | 'kind' | 'detail'>,
): void {
  count(rows, 'notes', note.kind, 1);
  rows.add(noteTable, { id: rows.nextId(noteTable), message, part, ...note });
}

export function messageOf(rows: Rows, part: PartRow): MessageRow {
  const message = rows.messages.get(part.message);
  if (!message) throw new Error('the message of a part is not loaded');
  return message;
}

export function accountOf(rows: Rows, id: number): AccountRow {
  const account = rows.one(accountById, id);
  if (!account) throw new Error('the account of a message is not loaded');
  return account;
}

/**
 * When the gateway stops waiting for a receipt: at the end of the message's validity plus the account's waiting time
 * (A3).
 */
export function receiptDeadline(rows: Rows, message: MessageRow): Instant {
  return message.expiresAt + accountOf(rows, message.account).receiptWaitMs;
}

/** A receipt may correct only two final states: `unknown`, and `expired` if the gateway set it. */
function mayCorrect(part: PartRow, move: Move): boolean {
  return move.byReceipt && (part.state === 'unknown' || (part.state === 'expired' && part.carrierState !== 'EXPIRED'));
}

const deleteScheduled = effect<[dueAt: Instant, message: MessageId]>()('scheduled.delete');

function recordEvent(rows: Rows, message: MessageRow, move: Move & { endsText: boolean }): void {
  const next = advanceEvent(
    message,
    message.parts.map((part) => part.state),
    { now: move.at, byReceipt: move.byReceipt, endsText: move.endsText },
  );
  if (next === message) return;
  if (message.event === 'scheduled') {
    rows.run(deleteScheduled, message.dueAt, message.id);
  }
  count(rows, 'messages', message.event, -1);
  count(rows, 'messages', next.event, 1);
  message.event = next.event;
  message.eventAt = next.eventAt;
  message.corrected = next.corrected;
  message.ownEnd = next.ownEnd;
  touch(message);
  if (isFinal(next.event) || message.callback) notifyOfReceipt(rows, message, move.at);
}

function refund(rows: Rows, message: MessageRow, part: PartRow, state: FinalEvent, { at, byReceipt }: Move): void {
  const account = accountOf(rows, message.account);
  const wasRefused = state === 'rejected' && !byReceipt;
  const end = { state, reachedCarrier: part.carrier !== null, wasRefused, everInDoubt: part.inDoubt > 0 };
  if (part.refundEntry !== null || message.unitPrice === 0n || !isRefunded(end, account.refundPolicy)) return;
  const refunds = { message: message.id, part: part.number };
  const posting = { kind: 'refund', amount: message.unitPrice, reason: state, actor: 'morsel', at, refunds } as const;
  count(rows, 'refunded', '', 1, message.unitPrice);
  part.refundEntry = post(rows, account, posting).id;
}

/** Whether the message is incomplete for good, because one of its parts was refused or canceled. */
export function isOfNoUse(message: MessageRow): boolean {
  return message.parts.some(({ state }) => state === 'rejected' || state === 'canceled');
}

/** Makes a part wait for a receipt, which can still tell its result. */
export function awaitReceipt(rows: Rows, part: PartRow): void {
  part.deadline = receiptDeadline(rows, messageOf(rows, part));
  touch(part);
}
