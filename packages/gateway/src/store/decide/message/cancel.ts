import { toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Cancel, WaitingResults } from '../../commands/waiting.ts';
import type { MessageRow, PartRow } from '../../tables/message.ts';
import type { Rows } from '../../tables/rows.ts';
import { withdrawPart } from './part.ts';

/**
 * Cancels all parts that no carrier has, in one commit. A part is never both canceled and claimed, because commands are
 * decided one after the other. If no such part is left, the cancel is rejected. A second cancel of the same message
 * succeeds.
 */
export function decideCancel(rows: Rows, command: Cancel): Result<WaitingResults['cancel'], Rejection> {
  const message = rows.messages.get(command.message);
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
  rows.notes.push({
    message: message.id,
    at: command.at,
    part: null,
    kind: 'canceled',
    detail: `the ${command.account === null ? 'operator' : 'client'} canceled ${parts} of ${message.numParts} parts`,
  });
  const refunds = refundsOf(message) - refundedBefore;
  return ok({ parts, refunded: toMicros(message.unitPrice * BigInt(refunds)) });
}

function refundsOf({ parts }: MessageRow): number {
  return parts.filter(({ refundEntry }) => refundEntry !== null).length;
}

function waits(part: PartRow): boolean {
  return part.state === 'scheduled' || part.state === 'queued';
}
