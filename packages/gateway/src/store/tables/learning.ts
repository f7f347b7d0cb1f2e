/* What is learned of a carrier from its receipts: the rule of its ids, and the form of its receipts. */

import type { IdRule } from '../../core/routing/carrier.ts';
import type { TextReceipts } from '../../core/routing/carrier-profile.ts';
import type { KnownRule } from '../../core/message/carrier-id.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** Two ids of one message, and the only rule under which they agree. */
export interface Evidence {
  readonly rule: KnownRule;
  readonly message: MessageId;
  readonly part: number;
  /** As the carrier wrote them. */
  readonly answerId: string;
  readonly receiptId: string;
  readonly at: Instant;
}

/** What is known of a carrier's ids and unmatched receipts. The store keeps one row for each carrier in memory. */
export interface LearningRow {
  change: 'none' | 'changed';
  readonly carrier: number;
  /** The operator's setting. */
  rule: IdRule;
  learned: KnownRule | null;
  learnedAt: Instant | null;
  /** The matches that taught the rule. */
  taught: readonly Evidence[];
  /** Matches in a row that fit another rule than the learned one. */
  run: readonly Evidence[];
  /** Some of its receipts are marked by nothing but their text. */
  hasTextReceipts: boolean;
  /** The operator's setting for such texts. */
  textReceipts: TextReceipts;
  /** When the first receipt marked by esm_class or TLVs came; null before that. */
  markedAt: Instant | null;
  /** Unmatched receipts from this id on must be looked at again under the present rule. */
  rematchFrom: number | null;
  /** Number of its unmatched receipts in the store. */
  unmatched: number;
  /** Whether it may have a part in doubt. While it has none, unknown receipts need no query for doubts. */
  mayDoubt: boolean;
  /** How many were deleted because of the limit, and when last. */
  dropped: number;
  droppedAt: Instant | null;
  /** A learned rule that is not logged yet; not stored. */
  news: { readonly rule: KnownRule; readonly was: KnownRule | null; readonly matches: number } | null;
}

/** The rule by which a carrier's ids are compared now; null while none is set or learned. */
export function ruleOf(row: LearningRow): KnownRule | null {
  return row.rule === 'auto' ? row.learned : row.rule;
}

/** Whether an unmarked text that looks like a receipt counts as one. Anybody can type such a text (O4). */
export function readsTexts(row: Pick<LearningRow, 'textReceipts' | 'markedAt'>): boolean {
  return row.textReceipts === 'on' || (row.textReceipts === 'auto' && row.markedAt === null);
}

/** Whether the carrier is known to send unmarked receipts: one was matched by its id, or the operator says so. */
export function sendsTextReceipts(row: Pick<LearningRow, 'textReceipts' | 'hasTextReceipts'>): boolean {
  return row.hasTextReceipts || row.textReceipts === 'on';
}

export function newLearning(carrier: number, rule: IdRule): LearningRow {
  return {
    change: 'none',
    carrier,
    rule,
    learned: null,
    learnedAt: null,
    taught: [],
    run: [],
    hasTextReceipts: false,
    textReceipts: 'auto',
    markedAt: null,
    rematchFrom: null,
    unmatched: 0,
    mayDoubt: false,
    dropped: 0,
    droppedAt: null,
    news: null,
  };
}

/** One property of the form of a carrier's receipts, with the id of a receipt that has it. */
export interface TraitSeen {
  readonly carrier: number;
  readonly trait: string;
  readonly value: string;
  readonly at: Instant;
  readonly example: string;
}
