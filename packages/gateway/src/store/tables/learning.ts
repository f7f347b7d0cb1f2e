/* What is learned of a carrier from its receipts: the rule of its ids, and the form of its receipts. */

import type { IdRule } from '../../core/routing/carrier.ts';
import type { TextReceipts } from '../../core/routing/carrier-profile.ts';
import type { KnownRule } from '../../core/message/carrier-id.ts';
import { flag, integer, messageId, nullable, text, word } from './column.ts';
import { shape, table } from './table.ts';
import type { RowOf, ShapeOf } from './table.ts';

export const learningTable = table('learning', {
  key: ['carrier'],
  fixed: { carrier: integer },
  moving: {
    /** Null until enough of its receipts agree. */
    learned: nullable(word<KnownRule>()),
    learnedAt: nullable(integer),
    /** Some of its receipts are marked by nothing but their text. */
    hasTextReceipts: flag,
    /** When the first receipt marked by esm_class or TLVs came; null before that. */
    markedAt: nullable(integer),
    /** Unmatched receipts from this id on must be looked at again under the present rule; null when all were. */
    rematchFrom: nullable(integer),
    /** How many unmatched receipts were deleted because of the limit, and when last. */
    dropped: integer,
    droppedAt: nullable(integer),
  },
});

/** What is known of a carrier's ids and unmatched receipts. The store keeps one row for each carrier in memory. */
export interface LearningRow extends RowOf<typeof learningTable> {
  /** The operator's setting. */
  rule: IdRule;
  /** The matches that taught the rule. */
  taught: readonly Evidence[];
  /** Matches in a row that fit another rule than the learned one. */
  run: readonly Evidence[];
  /** The operator's setting for receipts that are marked by nothing but their text. */
  textReceipts: TextReceipts;
  /** Number of its unmatched receipts in the store. */
  unmatched: number;
  /** Whether it may have a part in doubt. While it has none, unknown receipts need no query for doubts. */
  mayDoubt: boolean;
  /** A learned rule that is not logged yet. */
  news: { readonly rule: KnownRule; readonly was: KnownRule | null; readonly matches: number } | null;
}

/** Two ids of one message, and the only rule under which they agree. */
const evidenceMembers = {
  rule: word<KnownRule>(),
  message: messageId,
  part: integer,
  /** As the carrier wrote them. */
  answerId: text,
  receiptId: text,
  at: integer,
};
export const evidenceShape = shape(evidenceMembers);
export type Evidence = ShapeOf<typeof evidenceShape>;

export const evidenceTable = table('learning_evidence', {
  key: ['carrier', 'counts_for', 'place'],
  fixed: { carrier: integer, countsFor: word<'rule' | 'run'>(), place: integer, ...evidenceMembers },
});

/** The form of a carrier's receipts: how often a property was seen, and the id of the last receipt that has it. */
export const dialectTable = table('dialect', {
  key: ['carrier', 'trait', 'value'],
  fixed: {
    carrier: integer,
    trait: text,
    value: text,
    seen: integer,
    firstAt: integer,
    lastAt: integer,
    example: text,
  },
  sums: ['seen'],
  kept: ['firstAt'],
});
export type DialectRow = Omit<RowOf<typeof dialectTable>, 'change'>;

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
