import type { AttemptRow, PartRow, Rows } from '../../tables/rows.ts';
import { messageOf } from './part.ts';

/*
 * A long message in one request (message_payload) has one answer and one receipt. In the store it still has all its
 * parts, with an attempt each. The attempts of one request are made, answered and settled together.
 */

/** All attempts of the request that this attempt was part of, by their parts. */
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

/** The parts that an attempt stands for. */
export function partsOf(rows: Rows, part: PartRow, attempt: AttemptRow): readonly PartRow[] {
  return attempt.isWhole ? messageOf(rows, part).parts : [part];
}

/** Whether every part of its message waits, so that one request can carry it. */
export function waitsWhole(rows: Rows, part: PartRow): boolean {
  const { parts } = messageOf(rows, part);
  return parts.length > 1 && parts.every(({ state }) => state === 'queued');
}
