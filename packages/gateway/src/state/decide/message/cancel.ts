/* Decides whether a client or the operator may still cancel a message. */

import { toMicros, zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import type { Reads } from '../../rows/reads.ts';
import type { MessageRow, PartRow } from '../../tables/message.ts';
import type { Rows } from '../../rows/rows.ts';
import type { JobStep, RowDone } from '../decision.ts';
import { addNote, withdrawPart } from './part.ts';

/** Cancels the parts of a message that were not sent. They are refunded by the account's policy. */
interface Cancel {
  readonly at: Instant;
  readonly message: MessageId;
  /** The account that must own the message; null for the operator, who may cancel any message. */
  readonly account: number | null;
}

/** Parts that this command canceled, and the refund: none if all were canceled before. */
interface Canceled {
  readonly parts: number;
  readonly refunded: Micros;
}

export const cancelCommand = {
  reads(read: Reads, { message }: Cancel): void {
    read.message(message);
  },
  decide: decideCancel,
};

/**
 * Cancels all parts that no carrier has, in one commit. A part is never both canceled and claimed, because commands are
 * decided one after the other. If no such part is left, the cancel is rejected. A second cancel of the same message
 * succeeds.
 */
function decideCancel(rows: Rows, command: Cancel): Result<Canceled, Rejection> {
  const message = rows.message(command.message);
  if (!message || (command.account !== null && message.account !== command.account)) {
    return refused({ code: 'message_not_found' });
  }
  const parts = message.parts.filter((part) => waits(part) && part.inDoubt === 0).length;
  if (parts === 0) {
    const nothing = { parts, refunded: zeroMicros };
    return message.event === 'canceled' ? ok(nothing) : refused({ code: 'too_late', event: message.event });
  }
  const refundedBefore = refundsOf(message);
  // This includes parts in doubt that wait to be sent again.
  for (const part of message.parts) if (waits(part)) withdrawPart(rows, part, command.at);
  const who = command.account === null ? 'operator' : 'client';
  const detail = `the ${who} canceled ${parts} of ${message.numParts} parts`;
  addNote(rows, { message: message.id, number: null }, { at: command.at, kind: 'canceled', detail });
  const refunds = refundsOf(message) - refundedBefore;
  return ok({ parts, refunded: toMicros(message.unitPrice * BigInt(refunds)) });
}

/** Cancels a message for a job. */
export function cancelRow(
  rows: Rows,
  { message: id }: { readonly message: MessageId },
  { at }: JobStep,
): RowDone<'canceled' | 'already sent or final'> {
  const canceled = decideCancel(rows, { at, message: id, account: null });
  const account = rows.message(id)?.account;
  if (!canceled.ok || canceled.value.parts === 0 || account === undefined) return { outcome: 'already sent or final' };
  return { outcome: 'canceled', refund: { account, amount: canceled.value.refunded } };
}

function refundsOf({ parts }: MessageRow): number {
  return parts.filter(({ refundEntry }) => refundEntry !== null).length;
}

function waits(part: PartRow): boolean {
  return part.state === 'scheduled' || part.state === 'queued';
}
