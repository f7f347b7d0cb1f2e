import type { IdRule } from '../../../core/routing/carrier.ts';
import { carrierIdKey, ruleTaughtBy } from '../../../core/message/carrier-id.ts';
import type { KnownRule } from '../../../core/message/carrier-id.ts';
import { namesReceiver } from '../../../core/message/receipt.ts';
import type { Numbers } from '../../../core/message/receipt.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { newLearning, ruleOf } from '../../tables/learning.ts';
import type { Evidence, LearningRow } from '../../tables/learning.ts';
import type { AttemptRow, MessageRow } from '../../tables/message.ts';
import { touch } from '../../tables/rows.ts';
import type { Rows } from '../../tables/rows.ts';

/** How many matched messages in a row for the same id rule are needed to learn it. Fewer could be chance. */
export const learnedAfter = 3;

/** How many matched messages in a row for another id rule replace the learned rule. */
export const relearnedAfter = 5;

/** The fields of a matched receipt from which an id rule can be learned. */
interface Matched extends Numbers {
  readonly carrierId: string;
  readonly carrierIdKey: string;
}

export function learningOf(rows: Rows, carrier: number): LearningRow {
  return rows.learning.get(carrier) ?? newLearning(carrier, 'same');
}

/** The id rule of a carrier; null while no rule is set or learned. */
export function knownRuleOf(rows: Rows, carrier: number): KnownRule | null {
  return ruleOf(learningOf(rows, carrier));
}

/**
 * Counts a match as evidence for the id rule by which the two ids agree. A match does not count if several rules fit,
 * if the receipt has another receiver, or if the id of the attempt did not come from an answer.
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
 * Notes that a receipt was matched that is recognised only by its text. After the first, unmatched receipts are matched
 * again, because such texts can now settle parts in doubt by their numbers.
 */
export function seeTextReceipt(rows: Rows, carrier: number): void {
  const row = rows.learning.get(carrier);
  if (!row || row.hasTextReceipts) return;
  row.hasTextReceipts = true;
  if (row.unmatched > 0) row.rematchFrom = 0;
  touch(row);
}

/**
 * Notes that the carrier marked a receipt in esm_class. After the first, unmatched texts are looked at again, because
 * they may be inbound messages.
 */
export function seeMarkedReceipt(rows: Rows, carrier: number, at: Instant): void {
  const row = rows.learning.get(carrier);
  if (!row || row.markedAt !== null) return;
  row.markedAt = at;
  if (row.unmatched > 0) row.rematchFrom = 0;
  touch(row);
}

/** Counts a match by another rule than the learned rule as evidence for that other rule. */
export function doubtLearned(rows: Rows, attempt: AttemptRow, given: { receipt: Matched; at: Instant }): void {
  const row = rows.learning.get(attempt.carrier);
  const evidence = evidenceOf(rows, attempt, given);
  if (row && evidence && evidence.rule !== row.learned) addToRun(row, evidence, given.at);
}

/**
 * Forgets the learned id rule, because the operator set the rule, and makes unmatched receipts be matched again. Every
 * change of a carrier's id rule must call this in the same commit.
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
  touch(row);
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
  touch(row);
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
  touch(row);
}
