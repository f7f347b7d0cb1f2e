import { doubtSettlements } from '../core/outcome.ts';
import { ok, refused } from '../core/result.ts';
import type { Result } from '../core/result.ts';
import { asking, call } from './admin-client.ts';
import { usage } from './command.ts';
import type { Command, Failure, Input, Report, Shell } from './command.ts';
import { manyMessageCommands } from './message-many.ts';
import { column, numberColumn, stateColumn, table, timeColumn, toRow, toRows, word } from './table.ts';
import type { Row } from './table.ts';
import { errorOf, showTimeLine } from './time-line.ts';

/** Messages that one listing shows at most; one question of the gateway is answered with at most a page of them. */
const foundMax = 100_000;
const foundDefault = '50';
const pageMax = 1_000;

export const messageCommands: readonly Command[] = [
  {
    words: 'message show',
    summary: 'Show the time line of one message, its text among it',
    arguments: [{ name: 'id', summary: 'its msgId' }],
    examples: [['message show 1021568371490816', 'all that happened to it']],
    run: asking('message', showTimeLine),
  },
  ...manyMessageCommands,
  {
    words: 'message in-doubt',
    summary: 'List the parts that were given to a carrier and whose answer never came, the oldest first',
    options: [
      { flags: '--carrier <name>', summary: 'of this carrier' },
      { flags: '--limit <count>', summary: 'at most so many (50)' },
    ],
    examples: [['message in-doubt --carrier alpha', 'what one carrier has, or has not']],
    run: asking('inDoubt', (value, { hasColour }) =>
      table({ columns: inDoubtColumns, rows: toRows(value), whenEmpty: 'nothing is in doubt' }, hasColour),
    ),
  },
  {
    words: 'message settle',
    summary: 'Say what becomes of the parts of a message that are in doubt',
    arguments: [{ name: 'id', summary: 'its msgId' }],
    options: [
      { flags: '--as <word>', summary: 'what you know of them', choices: doubtSettlements, isRequired: true },
      { flags: '--part <number>', summary: 'this part alone' },
    ],
    examples: [
      ['message settle 1021568371490816 --as resend', 'the carrier says it has nothing: send it now'],
      ['message settle 1021568371490816 --as sent', 'the carrier has it: wait for its receipt'],
      ['message settle 1021568371490816 --as unknown', 'nobody will ever know: that is its end'],
    ],
    run: asking('settleDoubt', showTimeLine),
  },
  {
    words: 'message find',
    summary: 'Find messages, the newest first',
    options: [
      { flags: '--account <name>', summary: 'of this account' },
      { flags: '--sender <sender>', summary: 'from this sender' },
      { flags: '--receiver <number>', summary: 'to this number' },
      { flags: '--client-ref <text>', summary: 'with this reference of the client' },
      { flags: '--event <event>', summary: 'whose event is this now, such as delivered' },
      { flags: '--since <time>', summary: 'accepted then or later: 2026-01-31 or 2026-01-31T12:00:00Z' },
      { flags: '--until <time>', summary: 'accepted before then' },
      { flags: '--limit <count>', summary: `at most so many (${foundDefault})` },
    ],
    examples: [
      ['message find --receiver +41791112233', 'the last messages to a number'],
      ['message find --account acme --event undelivered --since 2026-01-31', 'what went wrong since that day'],
    ],
    run: find,
  },
];

/** Asks page after page, since one question looks at a bounded stretch of time, until there are enough or no more. */
async function find(input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const { limit = foundDefault, ...wanted } = input.values;
  if (!/^\d{1,6}$/.test(limit) || Number(limit) < 1 || Number(limit) > foundMax) {
    return refused(usage(`--limit takes a whole number from 1 to ${foundMax}`));
  }
  const found: Row[] = [];
  const texts: string[] = [];
  let before = {};
  for (;;) {
    const page = await call(shell, 'messages', {
      ...wanted,
      ...before,
      limit: Math.min(pageMax, Number(limit) - found.length),
    });
    if (!page.ok) return page;
    const answer = toRow(page.value.value);
    found.push(...toRows(answer['messages']));
    texts.push(messagesIn(page.value.text));
    const next = word(answer, 'next');
    if (next === '' || found.length >= Number(limit)) break;
    before = { before: next };
  }
  return ok({
    json: `[${texts.filter((text) => text !== '').join(',')}]`,
    text: table({ columns, rows: found, whenEmpty: 'there are no such messages' }, shell.hasColour),
  });
}

/** The members of the list as they stand in the answer, so that amounts keep their digits. */
function messagesIn(page: string): string {
  return /^\{"messages":\[(.*)\],"next":(?:null|"\d+")\}$/s.exec(page)?.[1] ?? '';
}

const inDoubtColumns = [
  column('ID', 'msgId'),
  { title: 'PART', of: (row: Row) => `${word(row, 'part')}/${word(row, 'numParts')}` },
  column('ACCOUNT', 'account'),
  column('RECEIVER', 'receiver'),
  column('CARRIER', 'carrier'),
  timeColumn('SINCE', 'since'),
  numberColumn('TIMES', 'times'),
  timeColumn('UNTIL', 'until'),
];

const columns = [
  column('ID', 'msgId'),
  timeColumn('ACCEPTED', 'acceptedAt'),
  column('ACCOUNT', 'account'),
  column('SENDER', 'sender'),
  column('RECEIVER', 'receiver'),
  numberColumn('PARTS', 'numParts'),
  { title: 'COST', of: (row: Row) => `${word(row, 'totalCost')} ${word(row, 'currency')}`, isNumber: true },
  stateColumn('EVENT', 'event'),
  timeColumn('SINCE', 'eventAt'),
  { title: 'ERROR', of: errorOf },
  column('CLIENT REF', 'clientRef'),
];
