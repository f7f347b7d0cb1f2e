/* What is learned of a carrier from its receipts: the rule of its ids, and whether it marks receipts. */

import { carrierIdKey, ruleTaughtBy, type KnownRule } from '../../../core/message/carrier-id.ts';
import { namesReceiver, type Numbers } from '../../../core/message/receipt.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { kindOf } from '@morsel/api/admin/routing/carrier-kinds.ts';
import type { Reads } from '../../rows/reads.ts';
import {
  evidenceFor,
  evidenceTable,
  learningOfCarrier,
  learningTable,
  newLearning,
  type Evidence,
  type EvidenceRow,
  type LearningRow,
} from '../../tables/learning.ts';
import type { AttemptRow, MessageRow } from '../../tables/message.ts';
import { hasUnmatched, unmatchedReceiptTable } from '../../tables/receipt.ts';
import { carrierById, type CarrierRow } from '../../tables/route.ts';
import { touch, type Rows } from '../../rows/rows.ts';

/** How many matched messages in a row for the same id rule are needed to learn it. Fewer could be chance. */
export const learnedAfter = 3;

/** How many matched messages in a row for another id rule replace the learned rule. */
export const relearnedAfter = 5;

/** The fields of a matched receipt from which an id rule can be learned. */
interface Matched extends Numbers {
  readonly carrierId: string;
  readonly carrierIdKey: string;
}

/** Rows to ask: those that a command reads, while it names them and while it is decided. */
type Asked = Pick<Reads, 'one'>;

/** What is known of a carrier's ids and unmatched receipts. */
export function readLearning(read: Reads, carrier: number): void {
  const { rows } = read;
  const hasEvidence = (['rule', 'run'] as const).every((countsFor) => rows.isLoaded(evidenceFor, [carrier, countsFor]));
  const of = [carrier];
  if (hasEvidence && rows.isLoaded(learningOfCarrier, of) && rows.isLoaded(hasUnmatched, of)) return;
  read.one(carrierById, carrier);
  read.one(learningOfCarrier, carrier);
  read.all(evidenceFor, carrier, 'rule');
  read.all(evidenceFor, carrier, 'run');
  read.values(hasUnmatched, carrier);
}

/** The operator's settings for a carrier; undefined if it was removed. */
function settingsOf(asked: Asked, carrier: number): CarrierRow | undefined {
  const row = asked.one(carrierById, carrier);
  return row?.status === 'removed' ? undefined : row;
}

export function isRemoved(asked: Asked, carrier: number): boolean {
  return settingsOf(asked, carrier) === undefined;
}

/** The id rule of a carrier; null while no rule is set or learned. */
export function knownRuleOf(asked: Asked, carrier: number): KnownRule | null {
  const rule = settingsOf(asked, carrier)?.idRule ?? 'same';
  return rule === 'auto' ? (asked.one(learningOfCarrier, carrier)?.learned ?? null) : rule;
}

/** Whether the id rule was learned, so that the carrier may change it. */
export function isLearned(asked: Asked, carrier: number): boolean {
  return settingsOf(asked, carrier)?.idRule === 'auto' && knownRuleOf(asked, carrier) !== null;
}

/** Whether an unmarked text that looks like a receipt counts as one. Anybody can type such a text (O4). */
export function readsTexts(rows: Rows, carrier: number): boolean {
  const setting = textReceiptsOf(rows, carrier);
  const markedAt = rows.one(learningOfCarrier, carrier)?.markedAt ?? null;
  return setting === 'on' || (setting === 'auto' && markedAt === null);
}

/** Whether the carrier is known to send unmarked receipts: one was matched by its id, or the operator says so. */
export function sendsTextReceipts(asked: Asked, carrier: number): boolean {
  return hasSentTextReceipts(asked, carrier) || textReceiptsOf(asked, carrier) === 'on';
}

export function hasSentTextReceipts(asked: Asked, carrier: number): boolean {
  return asked.one(learningOfCarrier, carrier)?.hasTextReceipts === true;
}

/** The operator's setting for receipts that are marked by nothing but their text. */
export function textReceiptsOf(asked: Asked, carrier: number): 'auto' | 'on' | 'off' {
  const row = settingsOf(asked, carrier);
  return row ? kindOf(row.settings).textReceipts(row.settings) : 'auto';
}

/** Whether the carrier may have unmatched receipts, in the store or in this group. */
export function mayHaveUnmatched(rows: Rows, carrier: number): boolean {
  return rows.of(unmatchedReceiptTable).length > 0 || rows.values(hasUnmatched, carrier)[0]?.has === true;
}

/** Unmatched receipts from this id on are to be matched again. */
export function lookAgainFrom(rows: Rows, carrier: number, id: number): void {
  const row = learningRow(rows, carrier);
  if (!row || (row.rematchFrom !== null && row.rematchFrom <= id)) return;
  row.rematchFrom = id;
  touch(row);
}

/** The row of a carrier, to be changed; undefined if the carrier was removed. */
export function learningRow(rows: Rows, carrier: number): LearningRow | undefined {
  if (!settingsOf(rows, carrier)) return undefined;
  return rows.one(learningOfCarrier, carrier) ?? rows.add(learningTable, newLearning(carrier));
}

/**
 * Counts a match as evidence for the id rule by which the two ids agree. A match does not count if several rules fit,
 * if the receipt has another receiver, or if the id of the attempt did not come from an answer.
 */
export function learnFrom(rows: Rows, attempt: AttemptRow, given: { receipt: Matched; at: Instant }): void {
  const { carrier } = attempt;
  if (settingsOf(rows, carrier)?.idRule !== 'auto') return;
  const learned = knownRuleOf(rows, carrier);
  const run = rows.all(evidenceFor, carrier, 'run');
  if (learned !== null && run.length === 0) return;
  const evidence = evidenceOf(rows, attempt, given);
  if (!evidence) return;
  if (evidence.rule === learned) forget(run);
  else addToRun(rows, carrier, evidence);
}

/**
 * Notes that a receipt was matched that is recognised only by its text. After the first, unmatched receipts are matched
 * again, because such texts can now settle parts in doubt by their numbers.
 */
export function seeTextReceipt(rows: Rows, carrier: number): void {
  const row = hasSentTextReceipts(rows, carrier) ? undefined : learningRow(rows, carrier);
  if (!row) return;
  row.hasTextReceipts = true;
  touch(row);
  if (mayHaveUnmatched(rows, carrier)) lookAgainFrom(rows, carrier, 0);
}

/**
 * Notes that the carrier marked a receipt in esm_class. After the first, unmatched texts are looked at again, because
 * they may be inbound messages.
 */
export function seeMarkedReceipt(rows: Rows, carrier: number, at: Instant): void {
  const row = learningRow(rows, carrier);
  if (!row || row.markedAt !== null) return;
  row.markedAt = at;
  touch(row);
  if (mayHaveUnmatched(rows, carrier)) lookAgainFrom(rows, carrier, 0);
}

/** Counts a match by another rule than the learned rule as evidence for that other rule. */
export function doubtLearned(rows: Rows, attempt: AttemptRow, given: { receipt: Matched; at: Instant }): void {
  const evidence = evidenceOf(rows, attempt, given);
  if (evidence && evidence.rule !== knownRuleOf(rows, attempt.carrier)) addToRun(rows, attempt.carrier, evidence);
}

/**
 * Forgets the learned id rule, because the operator set the rule, and makes unmatched receipts be matched again. Every
 * change of a carrier's id rule must call this in the same commit.
 */
export function forgetLearned(rows: Rows, carrier: number): void {
  const row = learningRow(rows, carrier);
  if (!row) return;
  row.learned = null;
  row.learnedAt = null;
  row.rematchFrom = 0;
  touch(row);
  forget(rows.all(evidenceFor, carrier, 'rule'));
  forget(rows.all(evidenceFor, carrier, 'run'));
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

function addToRun(rows: Rows, carrier: number, evidence: Evidence): void {
  const before = rows.all(evidenceFor, carrier, 'run');
  const goesOn = before[0]?.rule === evidence.rule;
  if (goesOn && before.some(({ message }) => message === evidence.message)) return;
  if (!goesOn) forget(before);
  rows.add(evidenceTable, { ...evidence, carrier, countsFor: 'run', place: goesOn ? before.length : 0 });
  const row = learningRow(rows, carrier);
  const run = rows.all(evidenceFor, carrier, 'run');
  if (!row || run.length < (row.learned === null ? learnedAfter : relearnedAfter)) return;
  row.news = { rule: evidence.rule, was: row.learned, matches: run.length };
  row.learned = evidence.rule;
  row.learnedAt = evidence.at;
  row.rematchFrom = 0;
  touch(row);
  forget(rows.all(evidenceFor, carrier, 'rule'));
  for (const each of run) rows.add(evidenceTable, { ...each, countsFor: 'rule', change: 'new' });
  forget(run);
}

function forget(evidence: readonly EvidenceRow[]): void {
  for (const row of evidence) row.change = 'gone';
}
