import type { IdRule } from '../../../core/routing/carrier.ts';
import { carrierIdKey, ruleTaughtBy } from '../../../core/message/carrier-id.ts';
import type { KnownRule } from '../../../core/message/carrier-id.ts';
import { namesReceiver } from '../../../core/message/receipt.ts';
import type { Numbers } from '../../../core/message/receipt.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { newLearning, ruleOf } from '../../tables/learning.ts';
import type { Evidence, LearningRow } from '../../tables/learning.ts';
import type { AttemptRow, MessageRow, Rows } from '../../tables/rows.ts';

/** Matches of this many messages in a row for one rule teach the rule: fewer may be chance. */
export const learnedAfter = 3;

/** This many matches in a row for another rule replace a learned one: the carrier has changed. */
export const relearnedAfter = 5;

/** A matched receipt, as far as a rule can be learned from it. */
interface Matched extends Numbers {
  readonly carrierId: string;
  readonly carrierIdKey: string;
}

export function learningOf(rows: Rows, carrier: number): LearningRow {
  return rows.learning.get(carrier) ?? newLearning(carrier, 'same');
}

/** The rule by which ids of a carrier are compared; null while none is set or learned. */
export function knownRuleOf(rows: Rows, carrier: number): KnownRule | null {
  return ruleOf(learningOf(rows, carrier));
}

/**
 * Takes a match as evidence for the one rule under which its two ids agree. It teaches nothing if several rules fit, if
 * the receipt names another receiver, or if the id of the attempt did not come from an answer.
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
 * The carrier sends receipts that only their text marks: one was matched. After the first, unmatched ones are looked at
 * again, because their numbers are now enough for a part in doubt.
 */
export function seeTextReceipt(rows: Rows, carrier: number): void {
  const row = rows.learning.get(carrier);
  if (!row || row.hasTextReceipts) return;
  row.hasTextReceipts = true;
  if (row.unmatched > 0) row.rematchFrom = 0;
  row.change = 'changed';
}

/**
 * The carrier has marked a receipt. After the first, unmarked texts that wait for a match are looked at again: they may
 * be inbound messages.
 */
export function seeMarkedReceipt(rows: Rows, carrier: number, at: Instant): void {
  const row = rows.learning.get(carrier);
  if (!row || row.markedAt !== null) return;
  row.markedAt = at;
  if (row.unmatched > 0) row.rematchFrom = 0;
  row.change = 'changed';
}

/** As above, for a receipt that the learned rule does not match: five in a row replace the rule. */
export function doubtLearned(rows: Rows, attempt: AttemptRow, given: { receipt: Matched; at: Instant }): void {
  const row = rows.learning.get(attempt.carrier);
  const evidence = evidenceOf(rows, attempt, given);
  if (row && evidence && evidence.rule !== row.learned) addToRun(row, evidence, given.at);
}

/**
 * The operator has set the id rule: what was learned no longer counts, and unmatched receipts are looked at under the
 * new rule. A change of a carrier's id rule must call this in the same commit.
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
