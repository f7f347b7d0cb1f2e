/* Whether a receipt with an unknown id can only belong to one message in doubt. */

import { answerKeyOf } from '../../../core/message/carrier-id.ts';
import { isFinal } from '../../../core/base/message.ts';
import { sendsTextReceipts } from '../../tables/learning.ts';
import { carrierKey, numbersKey, touch } from '../../tables/rows.ts';
import type { AttemptRow, Rows } from '../../tables/rows.ts';
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
 * The attempt in doubt of this carrier with the receipt's numbers. If several parts of one message are in doubt, the
 * first receipt settles the first part, as nothing tells them apart. There is none if two messages fit. There is none,
 * too, if a part between these numbers is in flight: the receipt may be for that part, and have come before its answer.
 */
export function soleDoubt(rows: Rows, command: Nameless): AttemptRow | undefined {
  // Anybody can use these numbers. For an unmarked text they are not enough, unless the carrier is known to send such
  // receipts (O4).
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
    detail: `attempt ${attempt.number}, by its numbers`,
  });
  return attempt;
}

/**
 * The newest attempt of the first part. A part that was sent again and accepted will get its own receipt, so it is left
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

/** From now on the id is known, so the same receipt again is a duplicate. An answer without an id stays so. */
function keepItsId(rows: Rows, attempt: AttemptRow, command: Nameless): void {
  if (attempt.outcome !== 'accepted') attempt.carrierId = command.carrierId;
  const rule = knownRuleOf(rows, command.carrier) ?? 'same';
  attempt.carrierIdKey = answerKeyOf(command.carrierIdKey, rule) ?? command.carrierIdKey;
  touch(attempt);
  if (command.carrierIdKey !== '') {
    rows.attemptsByCarrierId.set(carrierKey(command.carrier, attempt.carrierIdKey), [attempt]);
  }
}
