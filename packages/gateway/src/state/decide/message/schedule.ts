/* Queues messages whose planned time has come. */

import { allEligibleText } from '../../../core/routing/eligible.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import type { Reads } from '../../rows/reads.ts';
import { rewrite, touch, type Rows } from '../../rows/rows.ts';
import type { MessageRow } from '../../tables/message.ts';
import { enqueuePart } from './part.ts';

/** The error code in `/sms/dlr` for a message that is due but has no route. */
const noRoute = 'no_route';

/** Puts messages that became due into the queue of a route. Without a route to the receiver they stay scheduled. */
interface QueueDue {
  readonly at: Instant;
  /** Without `eligible`, every carrier of the route is. */
  readonly messages: readonly {
    readonly message: MessageId;
    readonly route: number | null;
    readonly eligible?: string;
  }[];
}

export const queueDueCommand = {
  reads(read: Reads, { messages }: QueueDue): void {
    for (const { message } of messages) read.message(message);
  },
  decide: decideQueueDue,
};

/**
 * Queues messages that are due, on the routes in the command. Messages without a route stay scheduled, with an error
 * code, until they get a route or their validity ends. Canceled or expired messages are not changed.
 */
function decideQueueDue(rows: Rows, command: QueueDue): Result<null, never> {
  for (const { message: id, route, eligible = allEligibleText } of command.messages) {
    const message = rows.messages.get(id);
    if (message?.event !== 'scheduled' || message.expiresAt <= command.at) continue;
    if (route === null) setErrorCode(message, noRoute);
    else queueDue(rows, message, { route, eligible, at: command.at });
  }
  return ok(null);
}

function queueDue(
  rows: Rows,
  message: MessageRow,
  { route, eligible, at }: { route: number; eligible: string; at: number },
): void {
  if (message.route !== route) rewrite(message, { route });
  setErrorCode(message, null);
  // The queue orders parts by their planned time, not by the time of the commit.
  for (const part of message.parts) {
    if (part.state !== 'scheduled') continue;
    part.eligible = eligible;
    enqueuePart(rows, part, message.dueAt, at);
  }
}

function setErrorCode(message: MessageRow, errorCode: string | null): void {
  if (message.errorCode === errorCode) return;
  message.errorCode = errorCode;
  touch(message);
}
