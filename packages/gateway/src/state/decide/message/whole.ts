import type { AttemptRow, PartRow } from '../../tables/message.ts';
import type { Rows } from '../../rows/rows.ts';
import { messageOf } from './part.ts';

/*
 * A long message that is sent in one request gets one answer and one receipt. The store still has all
 * its parts, each with an attempt. The attempts of one request are made, answered and settled together.
 */

/** All attempts of the same request, in the order of their parts. */
export function attemptsWith(rows: Rows, attempt: AttemptRow): readonly AttemptRow[] {
  if (!attempt.isWhole) return [attempt];
  const message = rows.messages.get(attempt.message);
  return (message?.parts ?? []).flatMap((part) => part.loaded.filter((other) => isWith(other, attempt)));
}

function isWith(other: AttemptRow, attempt: AttemptRow): boolean {
  return (
    other.isWhole &&
    other.claimedAt === attempt.claimedAt &&
    other.carrier === attempt.carrier &&
    other.link === attempt.link &&
    other.lease === attempt.lease
  );
}

/** The parts that the request of an attempt contained. */
export function partsOf(rows: Rows, part: PartRow, attempt: AttemptRow): readonly PartRow[] {
  return attempt.isWhole ? messageOf(rows, part).parts : [part];
}

/** Whether all parts of the message wait, so that one request can send them. */
export function waitsWhole(rows: Rows, part: PartRow): boolean {
  const { parts } = messageOf(rows, part);
  return parts.length > 1 && parts.every(({ state }) => state === 'queued');
}
