import type { Rejection } from '../../core/rejection.ts';
import { ok, refused } from '../../core/result.ts';
import type { Result } from '../../core/result.ts';
import type { Cancel, Results } from '../commands.ts';
import type { PartRow, Rows } from '../rows.ts';
import { withdrawPart } from './part.ts';

/**
 * Cancels the parts that nobody has yet, all in one commit; against a claim exactly one of the two wins, as one comes first.
 * Refused, and nothing changes, when there is no such part any more; once more for a message that is canceled is no harm.
 */
export function decideCancel(rows: Rows, command: Cancel): Result<Results['cancel'], Rejection> {
  const message = rows.messages.get(command.message);
  if (!message || (command.account !== null && message.account !== command.account)) {
    return refused({ code: 'message_not_found' });
  }
  const parts = message.parts.filter((part) => waits(part) && part.inDoubt === 0).length;
  if (parts === 0) {
    return message.event === 'canceled' ? ok({ parts }) : refused({ code: 'too_late', event: message.event });
  }
  // What waits to be sent again after a doubt is withdrawn as well: of what use would it be?
  for (const part of message.parts) if (waits(part)) withdrawPart(rows, part, command.at);
  rows.notes.push({
    message: message.id,
    at: command.at,
    part: null,
    kind: 'canceled',
    detail: `by the ${command.account === null ? 'operator' : 'client'}, ${parts} of ${message.numParts} parts`,
  });
  return ok({ parts });
}

function waits(part: PartRow): boolean {
  return part.state === 'scheduled' || part.state === 'queued';
}
