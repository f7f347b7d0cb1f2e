import type { AttemptRow, PartRow, Rows } from '../../tables/rows.ts';
import { messageOf } from './part.ts';

/*
 * A carrier that takes a long message whole (message_payload) answers it once and sends one receipt. In the store the
 * message has its parts all the same, each with an attempt of its own; those of one request are made, answered and
 * settled together.
 */

/** The attempts that left in one request with this one, itself among them, by their parts. */
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

/** Whether every part of its message waits, so that it can go in one request. */
export function waitsWhole(rows: Rows, part: PartRow): boolean {
  const { parts } = messageOf(rows, part);
  return parts.length > 1 && parts.every(({ state }) => state === 'queued');
}
