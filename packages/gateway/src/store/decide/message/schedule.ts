import { allEligibleText } from '../../../core/routing/eligible.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { QueueDue } from '../../commands/waiting.ts';
import { touch } from '../../tables/rows.ts';
import type { MessageRow, Rows } from '../../tables/rows.ts';
import { enqueuePart } from './part.ts';

/** What /sms/dlr says of a message whose time has come and that no route leads to its receiver. */
const noRoute = 'no_route';

/**
 * Puts messages whose time has come into the queue of their route, which is fixed here. Those without a route stay
 * scheduled, and say why, until there is one or their validity ends. What was canceled or expired meanwhile is left alone.
 */
export function decideQueueDue(rows: Rows, command: QueueDue): Result<null, never> {
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
  if (message.route !== route) {
    message.route = route;
    rows.rerouted.push(message);
  }
  setErrorCode(message, null);
  // In the order in which they were planned, whatever the order of the commits.
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
