import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { keptOctetsMax } from '@morsel/gateway/edge/carrier/unreadable.ts';
import { asking, call } from '../admin-client.ts';
import { usage } from '../command.ts';
import type { Command, Failure, Input, Report, Shell } from '../command.ts';
import { octetLines } from '../octets.ts';
import { card, column, table, timeColumn, toRow, toRows, word } from '../table.ts';
import type { Row } from '../table.ts';

/** Receipts that one listing shows at most; one question of the gateway is answered with at most a page of them. */
const listedMax = 100_000;
const listedDefault = '50';
const pageMax = 1_000;

export const receiptCommands: readonly Command[] = [
  {
    words: 'receipt unmatched',
    summary: 'List receipts that match no message, the newest first',
    options: [
      { flags: '--carrier <name>', summary: 'from this carrier' },
      {
        flags: '--why <reason>',
        summary: 'kept for this reason',
        choices: ['unknown', 'undecided', 'unreadable'],
      },
      { flags: '--older-than <time>', summary: 'received so long ago: 90s, 15m, 2h, 3d' },
      { flags: '--limit <count>', summary: `at most so many (${listedDefault})` },
    ],
    examples: [
      ['receipt unmatched --carrier alpha --older-than 15m', 'what no answer of alpha will explain any more'],
      ['receipt unmatched --why unreadable', 'what nobody could make sense of'],
    ],
    run: list,
  },
  {
    words: 'receipt show',
    summary: 'Show one unmatched receipt',
    arguments: [{ name: 'id', summary: 'its number in receipt unmatched' }],
    examples: [['receipt show 42', 'all that is kept of it']],
    run: asking('unmatchedReceipt', showReceipt),
  },
];

/** Asks page after page until there are enough or no more. */
async function list(input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const { limit = listedDefault, ...wanted } = input.values;
  if (!/^\d{1,6}$/.test(limit) || Number(limit) < 1 || Number(limit) > listedMax) {
    return refused(usage(`--limit takes a whole number from 1 to ${listedMax}`));
  }
  const found: Row[] = [];
  let before = {};
  for (;;) {
    const page = await call(shell, 'unmatchedReceipts', {
      ...wanted,
      ...before,
      limit: Math.min(pageMax, Number(limit) - found.length),
    });
    if (!page.ok) return page;
    const answer = toRow(page.value.value);
    found.push(...toRows(answer['receipts']));
    const next = word(answer, 'next');
    if (next === '' || found.length >= Number(limit)) break;
    before = { before: next };
  }
  return ok({
    json: JSON.stringify(found),
    text: table({ columns, rows: found, whenEmpty: 'there are no unmatched receipts' }, shell.hasColour),
  });
}

const reasons: { readonly [why: string]: string } = {
  unknown: 'no answer has its id',
  undecided: 'its id may be that of several messages',
  unreadable: 'it does not say what became of a message: receipt show has its octets',
};

function reasonOf(receipt: Row): string {
  return reasons[word(receipt, 'why')] ?? word(receipt, 'why');
}

const columns = [
  column('RECEIPT', 'id'),
  timeColumn('RECEIVED', 'receivedAt'),
  column('CARRIER', 'carrier'),
  column('ID', 'carrierId'),
  column('STATE', 'state'),
  column('ERROR', 'errorCode'),
  column('SENDER', 'sender'),
  column('RECEIVER', 'receiver'),
  { title: 'WHY', of: reasonOf },
];

function showReceipt(value: unknown): string {
  const receipt = toRow(value);
  const octets = word(receipt, 'octets');
  const kept = card([
    ['receipt', word(receipt, 'id')],
    ['received', word(receipt, 'receivedAt')],
    ['carrier', word(receipt, 'carrier')],
    ['its id', word(receipt, 'carrierId')],
    ['state', word(receipt, 'state')],
    ['error', word(receipt, 'errorCode')],
    ['sender', word(receipt, 'sender')],
    ['receiver', word(receipt, 'receiver')],
    ['unmatched because', reasonOf(receipt)],
  ]);
  return octets === ''
    ? kept
    : `${kept}\n\nas it came, its first ${keptOctetsMax} octets at most:\n${octetLines(octets)}`;
}
