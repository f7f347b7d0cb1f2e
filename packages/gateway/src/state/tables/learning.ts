/* What is learned of a carrier from its receipts: the rule of its ids, and the form of its receipts. */

import type { KnownRule } from '../../core/message/carrier-id.ts';
import { idOf, integer, messageId, nullable, personal, text, word } from './column.ts';
import { by } from './lookup.ts';
import { shape, table, type RowOf, type ShapeOf } from './table.ts';

export const learningTable = table('learning', {
  key: ['carrier'],
  fixed: { carrier: idOf('carrier') },
  moving: {
    /** The rule that its receipts showed; null before that. */
    learned: nullable(word<KnownRule>()),
    learnedAt: nullable(integer),
    /** Unmatched receipts from this id on must be looked at again under the present rule; null when all were. */
    rematchFrom: nullable(integer),
    /** How many unmatched receipts were deleted because of the limit, and when last. */
    dropped: integer,
    droppedAt: nullable(integer),
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
  key: ['carrier', 'place'],
  fixed: { carrier: idOf('carrier'), place: integer, ...evidenceMembers },
});
/** The pairs that showed the rule, or that show until now that ids are the same. */
export const evidenceOfCarrier = by(evidenceTable, ['carrier']);

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
    rematchFrom: null,
    dropped: 0,
    droppedAt: null,
  };
}
