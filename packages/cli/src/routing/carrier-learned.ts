import { evidenceFields, traitFields, type carrier } from '@morsel/api/admin/routing/carrier.ts';
import { text } from '@morsel/api/admin/fields.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Shell } from '../command.ts';
import { counted } from '../counted.ts';
import { tableOf, type Shown } from '../show.ts';
import { card } from '../table.ts';

/* Formats what the gateway has learned from the receipts of a carrier. */

type Learned = AnswerOf<typeof carrier.operations.learned>;

export function showLearned(learned: Learned, { hasColour }: Pick<Shell, 'hasColour'>): string {
  const { unmatched } = learned;
  const about = card([
    ['carrier', learned.carrier],
    ['id rule', ruleOf(learned)],
    ['text receipts', textReceiptsOf(learned)],
    [
      'unmatched receipts',
      `${unmatched.unknown} unknown, ${unmatched.undecided} undecided, ${unmatched.unreadable} unreadable`,
    ],
    ['given up', String(unmatched.dropped)],
  ]);
  // The evidence for the learned rule, followed by newer evidence for a different rule.
  const pairs = [
    ...learned.evidence.map((row) => ({ ...row, counts: 'taught the rule' })),
    ...learned.run.map((row) => ({ ...row, counts: 'not enough yet' })),
  ];
  const ids = tableOf(shownPairs, pairs, { hasColour, whenEmpty: 'there is no evidence for an id rule yet' });
  const dialect = tableOf(shownTraits, learned.dialect, {
    hasColour,
    whenEmpty: 'no receipt has been examined yet',
  });
  return `${about}\n\n${ids}\n\n${dialect}`;
}

function ruleOf({ idRule, learnedRule, learnedAt, evidence }: Learned): string {
  if (idRule !== 'auto') return `${idRule}, as set`;
  if (learnedRule === null) return 'auto: no rule is learned yet';
  return `auto: ${learnedRule}, learned from ${counted(evidence.length, 'message')} at ${isoOf(learnedAt)}`;
}

function textReceiptsOf({ textReceipts, markedAt }: Learned): string {
  if (textReceipts === 'on') return 'on: the text of a receipt is enough; a receipt needs no mark as a receipt';
  if (textReceipts === 'off') return 'off: without a mark as a receipt, a text is an inbound message';
  return markedAt === null
    ? 'auto: the text of a receipt is enough, because this carrier has not marked any receipt yet'
    : `auto: without a mark as a receipt, a text is an inbound message, because this carrier has marked receipts since ${isoOf(markedAt)}`;
}

function isoOf(instant: Instant | null): string {
  return instant === null ? '' : new Date(instant).toISOString();
}

const counts = text({ summary: 'whether the pair of ids taught the rule' });

const shownPairs: Shown<typeof evidenceFields & { readonly counts: typeof counts }> = {
  answer: { ...evidenceFields, counts },
  columns: ['rule', 'answerId', 'receiptId', 'msgId', 'part', 'at', 'counts'],
};

const traits: { readonly [trait: string]: string } = {
  idIn: 'place of the id',
  stateIn: 'place of the state',
  markedBy: 'mark as a receipt',
  dates: 'digits of dates',
  error: 'form of errors',
  command: 'PDU of the receipt',
  addresses: 'source and destination',
};

const shownTraits: Shown<typeof traitFields> = {
  answer: traitFields,
  columns: [
    { title: 'RECEIPT', of: ({ trait }) => traits[trait] ?? trait },
    'value',
    'seen',
    'firstAt',
    'lastAt',
    'example',
  ],
};
