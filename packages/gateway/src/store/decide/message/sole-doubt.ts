/* Whether a receipt of unknown id can only mean one message in doubt. */

import { answerKeyOf } from '../../../core/message/carrier-id.ts';
import { isFinal } from '../../../core/base/message.ts';
import { sendsTextReceipts } from '../../tables/learning.ts';
import { carrierKey, numbersKey, touch } from '../../tables/rows.ts';
import type { AttemptRow, Rows } from '../../tables/rows.ts';
import { knownRuleOf, learningOf } from '../routing/learning.ts';
import { partOf } from '../account/named.ts';
import type { Naming } from '../account/named.ts';
import { addNote } from './settle.ts';
import { partsOf } from './whole.ts';

/** A receipt whose id names nothing that we know. */
interface Nameless extends Naming {
  readonly carrierId: string;
}

/**
 * The attempt in doubt of this carrier that has the receipt's numbers. Where several parts of one message are in doubt, as
 * many receipts settle as many parts: the first to come settles the first part, as nothing tells them apart. None is taken
 * if two messages could be meant, or if a part between these numbers is in flight: the receipt may be its, before its answer.
 */
export function soleDoubt(rows: Rows, command: Nameless): AttemptRow | undefined {
  // Numbers alone are what every phone has: not enough for an unmarked text, unless the carrier is known to send such receipts (O4).
  if (command.orInbound && !sendsTextReceipts(learningOf(rows, command.carrier))) return undefined;
  if (rows.inFlightByNumbers.has(numbersKey(command.carrier, command))) return undefined;
  const candidates = (rows.inDoubtByNumbers.get(numbersKey(command.carrier, command)) ?? []).filter(
    (attempt) =>
      attempt.carrierIdKey === null && !isFinal(partOf(rows, attempt).state) && attempt.claimedAt <= command.at,
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

/** Of the first part, its newest attempt; a part that was sent again and accepted has a receipt of its own to come, and waits. */
function firstOf(rows: Rows, candidates: readonly AttemptRow[]): AttemptRow | undefined {
  const open = candidates.filter(
    (attempt) => attempt.outcome === 'accepted' || !['sent', 'buffered'].includes(partOf(rows, attempt).state),
  );
  const among = open.length > 0 ? open : candidates;
  const first = Math.min(...among.map(({ part }) => part));
  return among.findLast(({ part }) => part === first);
}

/** From now on it is known: the same receipt once more is a duplicate. An answer that had no id still had none. */
function keepItsId(rows: Rows, attempt: AttemptRow, command: Nameless): void {
  if (attempt.outcome !== 'accepted') attempt.carrierId = command.carrierId;
  const rule = knownRuleOf(rows, command.carrier) ?? 'same';
  attempt.carrierIdKey = answerKeyOf(command.carrierIdKey, rule) ?? command.carrierIdKey;
  touch(attempt);
  if (command.carrierIdKey !== '') {
    rows.attemptsByCarrierId.set(carrierKey(command.carrier, attempt.carrierIdKey), [attempt]);
  }
}
