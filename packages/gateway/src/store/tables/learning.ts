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

/** What is known of a carrier's ids and of its unmatched receipts. The store keeps one a carrier in memory. */
export interface LearningRow {
  change: 'none' | 'changed';
  readonly carrier: number;
  /** What the operator set. */
  rule: IdRule;
  learned: KnownRule | null;
  learnedAt: Instant | null;
  /** What taught the rule. */
  taught: readonly Evidence[];
  /** Matches in a row that speak for one rule, which is not the learned one. */
  run: readonly Evidence[];
  /** Some of its receipts are marked by nothing but their text (smpp-in-the-wild, 20). */
  hasTextReceipts: boolean;
  /** What the operator set about such texts. */
  textReceipts: TextReceipts;
  /** When its first receipt came that esm_class or TLVs mark; null while none has. */
  markedAt: Instant | null;
  /** Unmatched receipts from this id on have to be looked at under the rule of today. */
  rematchFrom: number | null;
  /** Unmatched receipts of it in the store. */
  unmatched: number;
  /** Whether something of it may be in doubt: while nothing is, no receipt that nobody knows has to look for it. */
  mayDoubt: boolean;
  /** How many were given up because of the limit, and when last. */
  dropped: number;
  droppedAt: Instant | null;
  /** Learned and not yet told to anybody; not kept. */
  news: { readonly rule: KnownRule; readonly was: KnownRule | null; readonly matches: number } | null;
}

/** The rule by which a carrier's ids compare now; null while none is set or learned. */
export function ruleOf(row: LearningRow): KnownRule | null {
  return row.rule === 'auto' ? row.learned : row.rule;
}

/** Whether a text that nothing marks as a receipt is read as one. Anybody with a phone can type such a text (O4). */
export function readsTexts(row: Pick<LearningRow, 'textReceipts' | 'markedAt'>): boolean {
  return row.textReceipts === 'on' || (row.textReceipts === 'auto' && row.markedAt === null);
}

/** Whether it is known to send receipts that nothing but their text marks: one was matched by its id, or the operator says so. */
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

/** One thing about the form of a carrier's receipts, with the id of a receipt that has it. */
export interface TraitSeen {
  readonly carrier: number;
  readonly trait: string;
  readonly value: string;
  readonly at: Instant;
  readonly example: string;
}
