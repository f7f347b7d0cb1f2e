import { answerKeyOf } from '../../core/carrier-id.ts';
import { isFinal } from '../../core/message.ts';
import { carrierKey, numbersKey, touch } from '../rows.ts';
import type { AttemptRow, Rows } from '../rows.ts';
import { knownRuleOf } from './learning.ts';
import { partOf } from './named.ts';
import type { Naming } from './named.ts';
import { addNote } from './settle.ts';
import { partsOf } from './whole.ts';

/** A receipt whose id names nothing that we know. */
interface Nameless extends Naming {
  readonly carrierId: string;
}

/**
 * The one part in doubt of this carrier that has the receipt's numbers; none if there are several, or if one between these
 * numbers is in flight, whose receipt it may be, come before its answer.
 */
export function soleDoubt(rows: Rows, command: Nameless): AttemptRow | undefined {
  if (rows.inFlightByNumbers.has(numbersKey(command.carrier, command))) return undefined;
  const candidates = (rows.inDoubtByNumbers.get(numbersKey(command.carrier, command)) ?? []).filter(
    (attempt) => !isFinal(partOf(rows, attempt).state) && attempt.claimedAt <= command.at,
  );
  const owners = new Set(candidates.map((each) => (each.isWhole ? each.message : partOf(rows, each))));
  const attempt = candidates.at(-1);
  if (owners.size !== 1 || !attempt) return undefined;
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
