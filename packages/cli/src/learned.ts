import { asking } from './admin-client.ts';
import type { Command, Shell } from './command.ts';
import { counted } from './counted.ts';
import { card, column, numberColumn, table, timeColumn, toRow, toRows, word } from './table.ts';
import type { Row } from './table.ts';

export const learnedCommands: readonly Command[] = [
  {
    words: 'carrier learned',
    summary: 'Show what was learned from the receipts of a carrier, and from which',
    arguments: [{ name: 'carrier', summary: 'the name of the carrier' }],
    examples: [['carrier learned alpha', 'how its ids compare, and how it writes its receipts']],
    run: asking('learned', showLearned),
  },
];

function showLearned(value: unknown, { hasColour }: Shell): string {
  const learned = toRow(value);
  const unmatched = toRow(learned['unmatched']);
  const about = card([
    ['carrier', word(learned, 'carrier')],
    ['id rule', ruleOf(learned)],
    ['text receipts', textReceiptsOf(learned)],
    [
      'unmatched receipts',
      `${word(unmatched, 'unknown')} unknown, ${word(unmatched, 'undecided')} undecided, ${word(unmatched, 'unreadable')} unreadable`,
    ],
    ['given up', word(unmatched, 'dropped')],
  ]);
  const ids = table(
    { columns: evidenceColumns, rows: evidenceOf(learned), whenEmpty: 'no pair of ids has taught anything yet' },
    hasColour,
  );
  const dialect = table(
    { columns: dialectColumns, rows: toRows(learned['dialect']), whenEmpty: 'no receipt has been looked at yet' },
    hasColour,
  );
  return `${about}\n\n${ids}\n\n${dialect}`;
}

function ruleOf(learned: Row): string {
  const set = word(learned, 'idRule');
  if (set !== 'auto') return `${set}, as set`;
  const rule = word(learned, 'learnedRule');
  const since = word(learned, 'learnedAt');
  return rule === ''
    ? 'auto: not learned yet'
    : `auto: ${rule}, learned from ${counted(toRows(learned['evidence']).length, 'message')} at ${since}`;
}

function textReceiptsOf(learned: Row): string {
  const set = word(learned, 'textReceipts');
  if (set === 'on') return 'on: an unmarked text is read as a receipt';
  if (set === 'off') return 'off: an unmarked text is an inbound message';
  const since = word(learned, 'markedAt');
  return since === ''
    ? 'auto: read as receipts, as the carrier has marked none yet'
    : `auto: an unmarked text is an inbound message, as the carrier has marked receipts since ${since}`;
}

/** What taught the rule, and below it what speaks for another since. */
function evidenceOf(learned: Row): readonly Row[] {
  const taught = toRows(learned['evidence']).map((row) => ({ ...row, counts: 'taught the rule' }));
  const run = toRows(learned['run']).map((row) => ({ ...row, counts: 'not enough yet' }));
  return [...taught, ...run];
}

const evidenceColumns = [
  column('RULE', 'rule'),
  column('ID IN THE ANSWER', 'answerId'),
  column('ID IN THE RECEIPT', 'receiptId'),
  column('MESSAGE', 'msgId'),
  numberColumn('PART', 'part'),
  timeColumn('AT', 'at'),
  column('COUNTS', 'counts'),
];

const traits: { readonly [trait: string]: string } = {
  idIn: 'the id is in',
  stateIn: 'the state is in',
  markedBy: 'told to be a receipt by',
  dates: 'digits of its dates',
  error: 'errors are',
  command: 'it comes as',
  addresses: 'source and destination are',
};

const dialectColumns = [
  { title: 'RECEIPT', of: (row: Row) => traits[word(row, 'trait')] ?? word(row, 'trait') },
  column('WHAT', 'value'),
  numberColumn('SEEN', 'seen'),
  timeColumn('FIRST', 'firstAt'),
  timeColumn('LAST', 'lastAt'),
  column('EXAMPLE', 'example'),
];
