import { evidenceFields, traitFields } from '@morsel/api/admin/routing/carrier.ts';
import type { carrier } from '@morsel/api/admin/routing/carrier.ts';
import { text } from '@morsel/api/admin/fields.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Shell } from '../command.ts';
import { counted } from '../counted.ts';
import { tableOf } from '../show.ts';
import type { Shown } from '../show.ts';
import { card } from '../table.ts';

/* What was learned from the receipts of a carrier, as text. */

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
  // The evidence for the rule, and below it the evidence for another one since.
  const pairs = [
    ...learned.evidence.map((row) => ({ ...row, counts: 'taught the rule' })),
    ...learned.run.map((row) => ({ ...row, counts: 'not enough yet' })),
  ];
  const ids = tableOf(shownPairs, pairs, { hasColour, whenEmpty: 'no pair of ids has taught anything yet' });
  const dialect = tableOf(shownTraits, learned.dialect, {
    hasColour,
    whenEmpty: 'no receipt has been looked at yet',
  });
  return `${about}\n\n${ids}\n\n${dialect}`;
}

function ruleOf({ idRule, learnedRule, learnedAt, evidence }: Learned): string {
  if (idRule !== 'auto') return `${idRule}, as set`;
  if (learnedRule === null) return 'auto: not learned yet';
  return `auto: ${learnedRule}, learned from ${counted(evidence.length, 'message')} at ${isoOf(learnedAt)}`;
}

function textReceiptsOf({ textReceipts, markedAt }: Learned): string {
  if (textReceipts === 'on') return 'on: an unmarked text is read as a receipt';
  if (textReceipts === 'off') return 'off: an unmarked text is an inbound message';
  return markedAt === null
    ? 'auto: read as receipts, as the carrier has marked none yet'
    : `auto: an unmarked text is an inbound message, as the carrier has marked receipts since ${isoOf(markedAt)}`;
}

function isoOf(instant: Instant | null): string {
  return instant === null ? '' : new Date(instant).toISOString();
}

const counts = text({ summary: 'whether it taught the rule' });

const shownPairs: Shown<typeof evidenceFields & { readonly counts: typeof counts }> = {
  answer: { ...evidenceFields, counts },
  columns: ['rule', 'answerId', 'receiptId', 'msgId', 'part', 'at', 'counts'],
};

const traits: { readonly [trait: string]: string } = {
  idIn: 'the id is in',
  stateIn: 'the state is in',
  markedBy: 'marked as a receipt by',
  dates: 'digits of its dates',
  error: 'errors are',
  command: 'it comes as',
  addresses: 'source and destination are',
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
