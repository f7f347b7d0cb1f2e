/* What is learned of a carrier from its receipts: the rule of its ids, and the form of its receipts. */

import type { KnownRule } from '../../core/message/carrier-id.ts';
import { flag, idOf, integer, json, messageId, nullable, personal, text, word } from './column.ts';
import { by, search } from './lookup.ts';
import { shape, table, type RowOf, type ShapeOf } from './table.ts';

export const learningTable = table('learning', {
  key: ['carrier'],
  fixed: { carrier: idOf('carrier') },
  moving: {
    /** Null until enough of its receipts agree. */
    learned: nullable(word<KnownRule>()),
    learnedAt: nullable(integer),
    /** Some of its receipts are marked by nothing but their text. */
    hasTextReceipts: flag,
    /** When the first marked receipt came; null before that. */
    markedAt: nullable(integer),
    /** Unmatched receipts from this id on must be looked at again under the present rule; null when all were. */
    rematchFrom: nullable(integer),
    /** How many unmatched receipts were deleted because of the limit, and when last. */
    dropped: integer,
    droppedAt: nullable(integer),
    /** A learned rule that is not logged yet. */
    news: nullable(json<{ readonly rule: KnownRule; readonly was: KnownRule | null; readonly matches: number }>()),
  },
});

export type LearningRow = RowOf<typeof learningTable>;
/** A carrier has no row before its first receipt. */
export const learningOfCarrier = by(learningTable, ['carrier']);

/** Two ids of one message, and the only rule under which they agree. */
const evidenceMembers = {
  rule: word<KnownRule>(),
  message: messageId,
  part: integer,
  /** As the carrier wrote them. */
  answerId: personal('row', text),
  receiptId: personal('row', text),
  at: integer,
};
export const evidenceShape = shape(evidenceMembers);
export type Evidence = ShapeOf<typeof evidenceShape>;

export const evidenceTable = table('learning_evidence', {
  key: ['carrier', 'counts_for', 'place'],
  fixed: { carrier: idOf('carrier'), countsFor: word<'rule' | 'run'>(), place: integer, ...evidenceMembers },
});
export type EvidenceRow = RowOf<typeof evidenceTable>;
/** The matches that taught the rule, or those in a row that fit another rule than the learned one. */
export const evidenceFor = search<[carrier: number, countsFor: 'rule' | 'run']>()(
  'learning_evidence.for',
  evidenceTable,
  ({ carrier, countsFor }) => [carrier, countsFor],
);

/** The form of a carrier's receipts: how often a property was seen, and the id of the last receipt that has it. */
export const dialectTable = table('dialect', {
  key: ['carrier', 'trait', 'value'],
  fixed: {
    carrier: idOf('carrier'),
    trait: text,
    value: text,
    seen: integer,
    firstAt: integer,
    lastAt: integer,
    example: personal('row', text),
  },
  sums: ['seen'],
  kept: ['firstAt'],
});

export function newLearning(carrier: number): Omit<LearningRow, 'change'> {
  return {
    carrier,
    learned: null,
    learnedAt: null,
    hasTextReceipts: false,
    markedAt: null,
    rematchFrom: null,
    dropped: 0,
    droppedAt: null,
    news: null,
  };
}
