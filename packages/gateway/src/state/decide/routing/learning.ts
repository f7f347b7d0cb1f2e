/* What is known of how a carrier writes ids: the rule that is set, and the rule that its unmatched receipts show. */

import { answerKeysOf, carrierIdKey, type KnownRule } from '../../../core/message/carrier-id.ts';
import type { IdRule } from '../../../core/routing/carrier.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Reads } from '../../rows/reads.ts';
import {
  evidenceOfCarrier,
  evidenceTable,
  learningOfCarrier,
  learningTable,
  newLearning,
  type Evidence,
  type LearningRow,
} from '../../tables/learning.ts';
import { hasUnmatched, unmatchedReceiptTable } from '../../tables/receipt.ts';
import type { AttemptRow } from '../../tables/message.ts';
import { carrierById, type CarrierRow } from '../../tables/route.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import type { Decided } from '../decided.ts';

/** Rows to ask: those that a command reads, while it names them and while it is decided. */
type Asked = Pick<Reads, 'one'>;

/** What is known of a carrier's ids and unmatched receipts. */
export function readLearning(read: Reads, carrier: number): void {
  read.one(carrierById, carrier);
  read.one(learningOfCarrier, carrier);
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

/** The id rule in force. Until one is set, ids are the same in answers and receipts. */
export function ruleOf(asked: Asked, carrier: number): KnownRule {
  const rule = settingsOf(asked, carrier)?.idRule ?? 'same';
  return rule === 'auto' ? 'same' : rule;
}

/** Whether ids can be read in one way only: a rule is set, or receipts have shown that ids are the same. */
export function isRuleKnown(asked: Asked, carrier: number): boolean {
  return settingsOf(asked, carrier)?.idRule !== 'auto' || asked.one(learningOfCarrier, carrier)?.learned === 'same';
}

/** While no id rule is known: the keys that the id of a receipt may have in the answer. */
export function readingsOf(asked: Asked, { carrier, carrierIdKey: key }: IdOfReceipt): readonly string[] {
  return isRuleKnown(asked, carrier) ? [] : answerKeysOf(key);
}

interface IdOfReceipt {
  readonly carrier: number;
  readonly carrierIdKey: string;
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

/** How many receipts of different messages show an id rule. Fewer could be chance. */
export const shownAfter = 5;

/** What `seeSame` needs. */
export function readSame(read: Reads, receipt: IdOfReceipt): void {
  if (readingsOf(read, receipt).length > 1) read.all(evidenceOfCarrier, receipt.carrier);
}

/**
 * A receipt that surely belongs to an attempt, and whose id could be read in other ways, shows that the carrier's ids
 * are the same in answers and receipts. Once enough receipts have shown it, no receipt is compared by other rules.
 */
export function seeSame(
  rows: Rows,
  receipt: IdOfReceipt & { readonly carrierId: string; readonly at: Instant; readonly isText?: boolean },
  { message, part, outcome, carrierId: answerId }: AttemptRow,
): void {
  const { carrier, carrierId: receiptId, at, isText = false } = receipt;
  // Anybody can write a text that looks like a receipt.
  if (isText || readingsOf(rows, receipt).length < 2 || rows.one(learningOfCarrier, carrier)?.learned) return;
  // An attempt in doubt has the id of a receipt. It shows nothing.
  if (outcome !== 'accepted' || answerId === null || carrierIdKey(answerId) !== receipt.carrierIdKey) return;
  const seen = rows.all(evidenceOfCarrier, carrier);
  if (seen.some((pair) => pair.message === message)) return;
  const pair = { rule: 'same', message, part, answerId, receiptId, at } as const;
  rows.add(evidenceTable, { change: 'put', carrier, place: seen.length, ...pair });
  if (seen.length + 1 < shownAfter) return;
  const row = learningRow(rows, carrier);
  if (!row) return;
  row.learned = 'same';
  row.learnedAt = at;
  touch(row);
  lookAgainFrom(rows, carrier, 0);
}

/** Stores the rule that unmatched receipts of a carrier show. */
interface ShowRule {
  readonly at: Instant;
  readonly carrier: number;
  readonly rule: KnownRule;
  readonly pairs: readonly Omit<Evidence, 'rule'>[];
}

export const showRuleCommand = {
  reads(read: Reads, { carrier }: ShowRule): void {
    readLearning(read, carrier);
  },
  decide(rows: Rows, { at, carrier, rule, pairs }: ShowRule): Decided<null> {
    const row = learningRow(rows, carrier);
    if (!row) return ok(null);
    row.learned = rule;
    row.learnedAt = at;
    touch(row);
    for (const [place, pair] of pairs.slice(0, shownAfter).entries())
      rows.put(evidenceTable, { ...pair, carrier, place, rule });
    return ok(null);
  },
};

/**
 * Makes unmatched receipts be matched again by a rule that is set, and forgets what showed another one. Every change of
 * a carrier's id rule must call this in the same commit.
 */
export function followRule(rows: Rows, carrier: number, rule: IdRule): void {
  const row = learningRow(rows, carrier);
  if (!row) return;
  row.rematchFrom = 0;
  touch(row);
  if (row.learned === rule) return;
  row.learned = null;
  row.learnedAt = null;
  for (const pair of rows.all(evidenceOfCarrier, carrier)) pair.change = 'gone';
}
