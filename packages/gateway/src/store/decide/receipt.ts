import { answerKeyOf } from '../../core/carrier-id.ts';
import { isFinal } from '../../core/message.ts';
import { ok } from '../../core/result.ts';
import type { Result } from '../../core/result.ts';
import type { ReceiptRecorded, RecordReceipt } from '../commands.ts';
import { carrierKey, numbersKey, touch } from '../rows.ts';
import type { AttemptRow, ParkedWhy, Rows } from '../rows.ts';
import { seeDialect } from './dialect.ts';
import { doubtLearned, knownRuleOf, learnFrom, learningOf } from './learning.ts';
import { attemptNamed, attemptUnderOtherRules, partOf } from './named.ts';
import type { Named } from './named.ts';
import { park } from './parked.ts';
import { addNote, settleAll } from './settle.ts';
import { partsOf } from './whole.ts';

/**
 * Matches a receipt to a part and moves it. One that names nothing we know settles the only part in doubt between its
 * two numbers, or is parked until the answer to submit_sm comes (D1). None is dropped.
 */
export function decideReceipt(rows: Rows, command: RecordReceipt): Result<ReceiptRecorded, never> {
  const { state } = command;
  if (state === null) return leave(rows, command, 'unreadable');
  const named = findAttempt(rows, command);
  if (named === undefined) return leave(rows, command, 'unknown');
  if (named === 'undecided') return leave(rows, command, named);
  const part = partOf(rows, named);
  const word = { state, errorCode: command.errorCode, at: command.at };
  const moved = settleAll(rows, partsOf(rows, part, named), word);
  if (command.dialect) seeDialect(rows, command, named);
  learnFrom(rows, named, { receipt: command, at: command.at });
  return ok({ became: moved ? 'matched' : 'duplicate' });
}

function leave(rows: Rows, command: RecordReceipt, why: ParkedWhy): Result<ReceiptRecorded, never> {
  if (command.dialect) seeDialect(rows, command, undefined);
  park(rows, command, why);
  return ok({ became: 'parked' });
}

function findAttempt(rows: Rows, command: RecordReceipt): Named {
  const named = attemptNamed(rows, command) ?? namedByAnotherRule(rows, command);
  return named ?? soleDoubt(rows, command);
}

/** A carrier that changed its ways: what its learned rule does not find, another one may, until that one is learned. */
function namedByAnotherRule(rows: Rows, command: RecordReceipt): Named {
  const learning = learningOf(rows, command.carrier);
  if (learning.rule !== 'auto' || learning.learned === null) return undefined;
  const attempt = attemptUnderOtherRules(rows, command);
  if (!attempt) return undefined;
  doubtLearned(rows, attempt, { receipt: command, at: command.at });
  return attemptNamed(rows, command);
}

/**
 * The one part in doubt of this carrier that has the receipt's numbers; none if there are several, or if one between these
 * numbers is in flight, whose receipt it may be, come before its answer.
 */
function soleDoubt(rows: Rows, command: RecordReceipt): AttemptRow | undefined {
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
function keepItsId(rows: Rows, attempt: AttemptRow, command: RecordReceipt): void {
  if (attempt.outcome !== 'accepted') attempt.carrierId = command.carrierId;
  const rule = knownRuleOf(rows, command.carrier) ?? 'same';
  attempt.carrierIdKey = answerKeyOf(command.carrierIdKey, rule) ?? command.carrierIdKey;
  touch(attempt);
  if (command.carrierIdKey !== '') {
    rows.attemptsByCarrierId.set(carrierKey(command.carrier, attempt.carrierIdKey), [attempt]);
  }
}
