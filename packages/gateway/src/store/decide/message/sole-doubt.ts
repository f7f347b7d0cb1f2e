/* Matches a receipt with an unknown id to the only message in doubt that it can belong to. */

import { answerKeyOf } from '../../../core/message/carrier-id.ts';
import { isFinal } from '../../../core/base/message.ts';
import { sendsTextReceipts } from '../../tables/learning.ts';
import { carrierKey, numbersKey, touch } from '../../tables/rows.ts';
import type { AttemptRow } from '../../tables/message.ts';
import type { Rows } from '../../tables/rows.ts';
import { knownRuleOf, learningOf } from '../routing/learning.ts';
import { mayBelongTo, partOf } from './attempt-named.ts';
import type { Naming } from './attempt-named.ts';
import { addNote } from './settle.ts';
import { partsOf } from './whole.ts';

/** A receipt with an unknown id. */
interface Nameless extends Naming {
  readonly carrierId: string;
}

/**
 * Finds the attempt in doubt with the sender and receiver of the receipt. If several parts of one message are in doubt,
 * the first receipt settles the first part, because nothing distinguishes them. Returns undefined if two messages
 * match. Also returns undefined if a part with these numbers is in flight, because the receipt may have come before the
 * answer for that part.
 */
export function soleDoubt(rows: Rows, command: Nameless): AttemptRow | undefined {
  // Anybody can send such a text between these numbers. So a text counts as a receipt here only if the carrier is known
  // to send receipts by text alone (O4).
  if (command.orInbound && !sendsTextReceipts(learningOf(rows, command.carrier))) return undefined;
  if (rows.inFlightByNumbers.has(numbersKey(command.carrier, command))) return undefined;
  const candidates = (rows.inDoubtByNumbers.get(numbersKey(command.carrier, command)) ?? []).filter(
    (attempt) =>
      attempt.carrierIdKey === null && !isFinal(partOf(rows, attempt).state) && mayBelongTo(command, attempt),
  );
  const messages = new Set(candidates.map(({ message }) => message));
  const attempt = firstOf(rows, candidates);
  if (messages.size !== 1 || !attempt) return undefined;
  keepItsId(rows, attempt, command);
  const part = partOf(rows, attempt);
  for (const each of partsOf(rows, part, attempt)) {
    each.carrier = attempt.carrier;
    touch(each);
    rows.doubtsEnded.push(each);
  }
  addNote(rows, part, {
    at: command.at,
    kind: 'matched-in-doubt',
    detail: `attempt ${attempt.number} matched by its sender and receiver`,
  });
  return attempt;
}

/**
 * The newest attempt of the first part. A part that was sent again and accepted gets its own receipt, so it is left
 * out.
 */
function firstOf(rows: Rows, candidates: readonly AttemptRow[]): AttemptRow | undefined {
  const open = candidates.filter(
    (attempt) => attempt.outcome === 'accepted' || !['sent', 'buffered'].includes(partOf(rows, attempt).state),
  );
  const among = open.length > 0 ? open : candidates;
  const first = Math.min(...among.map(({ part }) => part));
  return among.findLast(({ part }) => part === first);
}

/**
 * Stores the receipt's id with the attempt, so that the same receipt is recognised as a duplicate. The answer of an
 * accepted attempt is not changed.
 */
function keepItsId(rows: Rows, attempt: AttemptRow, command: Nameless): void {
  if (attempt.outcome !== 'accepted') attempt.carrierId = command.carrierId;
  const rule = knownRuleOf(rows, command.carrier) ?? 'same';
  attempt.carrierIdKey = answerKeyOf(command.carrierIdKey, rule) ?? command.carrierIdKey;
  touch(attempt);
  if (command.carrierIdKey !== '') {
    rows.attemptsByCarrierId.set(carrierKey(command.carrier, attempt.carrierIdKey), [attempt]);
  }
}
