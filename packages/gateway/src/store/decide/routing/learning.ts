import type { IdRule } from '../../../core/routing/carrier.ts';
import { carrierIdKey, ruleTaughtBy } from '../../../core/message/carrier-id.ts';
import type { KnownRule } from '../../../core/message/carrier-id.ts';
import { namesReceiver } from '../../../core/message/receipt.ts';
import type { Numbers } from '../../../core/message/receipt.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { newLearning, ruleOf } from '../../tables/learning.ts';
import type { Evidence, LearningRow } from '../../tables/learning.ts';
import type { AttemptRow, MessageRow, Rows } from '../../tables/rows.ts';

/** Matches of as many messages, with none between that speaks for another rule, teach a rule: fewer may be chance. */
export const learnedAfter = 3;

/** As many in a row that only another rule explains put a learned rule aside: the carrier has changed, and no chance does that. */
export const relearnedAfter = 5;

/** A receipt that was matched, as far as it teaches something. */
interface Matched extends Numbers {
  readonly carrierId: string;
  readonly carrierIdKey: string;
}

export function learningOf(rows: Rows, carrier: number): LearningRow {
  return rows.learning.get(carrier) ?? newLearning(carrier, 'same');
}

/** By which rule ids of a carrier compare now; null while it is still to be learned. */
export function knownRuleOf(rows: Rows, carrier: number): KnownRule | null {
  return ruleOf(learningOf(rows, carrier));
}

/**
 * Takes a match as evidence for the one rule under which its two ids agree. It teaches nothing where several do, where the
 * receipt names another receiver, or where the id of the attempt is not from an answer.
 */
export function learnFrom(rows: Rows, attempt: AttemptRow, given: { receipt: Matched; at: Instant }): void {
  const row = rows.learning.get(attempt.carrier);
  if (!row || row.rule !== 'auto' || (row.learned !== null && row.run.length === 0)) return;
  const evidence = evidenceOf(rows, attempt, given);
  if (!evidence) return;
  if (evidence.rule === row.learned) endRun(row);
  else addToRun(row, evidence, given.at);
}

/**
 * The carrier sends receipts that nothing but their text marks: one of them was matched. If it is the first, those that are
 * unmatched are looked at again: from now on their numbers are enough for a part in doubt.
 */
export function seeTextReceipt(rows: Rows, carrier: number): void {
  const row = rows.learning.get(carrier);
  if (!row || row.hasTextReceipts) return;
  row.hasTextReceipts = true;
  if (row.unmatched > 0) row.rematchFrom = 0;
  row.change = 'changed';
}

/**
 * The carrier has marked a receipt. If it is the first, unmarked texts are looked at again: those that wait for a match may
 * be inbound messages.
 */
export function seeMarkedReceipt(rows: Rows, carrier: number, at: Instant): void {
  const row = rows.learning.get(carrier);
  if (!row || row.markedAt !== null) return;
  row.markedAt = at;
  if (row.unmatched > 0) row.rematchFrom = 0;
  row.change = 'changed';
}

/** The same of a receipt that the learned rule does not find: five in a row put it aside. */
export function doubtLearned(rows: Rows, attempt: AttemptRow, given: { receipt: Matched; at: Instant }): void {
  const row = rows.learning.get(attempt.carrier);
  const evidence = evidenceOf(rows, attempt, given);
  if (row && evidence && evidence.rule !== row.learned) addToRun(row, evidence, given.at);
}

/**
 * The operator's word: what was learned before no longer counts, and unmatched receipts are looked at under the new rule.
 * Whoever changes a carrier's id rule calls this in the same commit.
 */
export function forgetLearned(rows: Rows, carrier: number, rule: IdRule): void {
  const row = rows.learning.get(carrier);
  if (!row) return;
  row.rule = rule;
  row.learned = null;
  row.learnedAt = null;
  row.taught = [];
  row.run = [];
  row.rematchFrom = 0;
  row.change = 'changed';
}

function evidenceOf(
  rows: Rows,
  attempt: AttemptRow,
  { receipt, at }: { receipt: Matched; at: Instant },
): Evidence | undefined {
  const message: MessageRow | undefined = rows.messages.get(attempt.message);
  if (attempt.outcome !== 'accepted' || attempt.carrierId === null || !message) return undefined;
  if (!namesReceiver(message, receipt)) return undefined;
  const rule = ruleTaughtBy(carrierIdKey(attempt.carrierId), receipt.carrierIdKey);
  if (rule === null) return undefined;
  return {
    rule,
    message: attempt.message,
    part: attempt.part,
    answerId: attempt.carrierId,
    receiptId: receipt.carrierId,
    at,
  };
}

function addToRun(row: LearningRow, evidence: Evidence, at: Instant): void {
  const goesOn = row.run[0]?.rule === evidence.rule;
  if (goesOn && row.run.some(({ message }) => message === evidence.message)) return;
  row.run = goesOn ? [...row.run, evidence] : [evidence];
  row.change = 'changed';
  if (row.run.length < (row.learned === null ? learnedAfter : relearnedAfter)) return;
  row.news = { rule: evidence.rule, was: row.learned, matches: row.run.length };
  row.learned = evidence.rule;
  row.learnedAt = at;
  row.taught = row.run;
  row.run = [];
  row.rematchFrom = 0;
}

function endRun(row: LearningRow): void {
  row.run = [];
  row.change = 'changed';
}
