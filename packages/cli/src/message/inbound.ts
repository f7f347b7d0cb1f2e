import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { asking, call } from '../admin-client.ts';
import { usage } from '../command.ts';
import type { Command, Failure, Input, Option, Report, Shell } from '../command.ts';
import { card, column, numberColumn, stateColumn, table, timeColumn, toRow, toRows, word } from '../table.ts';
import type { Row } from '../table.ts';

const limitMax = 1_000;
const limitDefault = '50';

/** Which messages from phones are meant. */
export const filterOptions: readonly Option[] = [
  { flags: '--account <name>', summary: 'of this account' },
  { flags: '--unmatched', summary: "nobody's: their number had no account, nor they a keyword of it" },
  { flags: '--undelivered', summary: 'that nobody acknowledged (yet), or nobody was told of' },
  { flags: '--number <number>', summary: 'to this number or short code' },
  { flags: '--keyword <word>', summary: 'that this keyword led to their account' },
  { flags: '--sender <number>', summary: 'of this phone' },
  { flags: '--since <time>', summary: 'that came then or later: 2026-01-31 or 2026-01-31T12:00:00Z' },
  { flags: '--until <time>', summary: 'that came before then' },
];

export const inboundCommands: readonly Command[] = [
  {
    words: 'inbound list',
    summary: 'List messages from phones, the newest first, and whether their accounts were told',
    options: [
      ...filterOptions,
      { flags: '--before <id>', summary: 'older than this one: the next page' },
      { flags: '--limit <count>', summary: `at most so many, up to ${limitMax} (${limitDefault})` },
    ],
    examples: [
      ['inbound list --unmatched', 'what nobody gets'],
      ['inbound list --number +41791112233', 'the last messages to a number'],
      ['inbound list --account acme --undelivered --since 2026-01-31', 'what acme has not taken since that day'],
    ],
    run: list,
  },
  {
    words: 'inbound show',
    summary: 'Show one message from a phone, its text among it, and what became of it',
    arguments: [{ name: 'id', summary: 'its msgId' }],
    examples: [['inbound show 1021568371490816', 'what it says, who sent it, and who was told']],
    run: asking('inboundMessage', (value, { hasColour }) => showMessage(toRow(value), hasColour)),
  },
];

/** The fields of a filter, as the gateway takes them. */
export function filterOf({ values, flags }: Input): { readonly [field: string]: string } {
  const on = ['unmatched', 'undelivered'].filter((flag) => flags.has(flag)).map((flag) => [flag, 'true'] as const);
  return { ...values, ...Object.fromEntries(on) };
}

/** Asks page after page, since one question looks at a bounded stretch of messages, until there are enough or no more. */
async function list(input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const { limit: given = limitDefault, ...wanted } = filterOf(input);
  const limit = /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (limit < 1 || limit > limitMax) return refused(usage(`--limit takes a whole number from 1 to ${limitMax}`));
  const rows: Row[] = [];
  const texts: string[] = [];
  for (let place = {}; ;) {
    const page = await call(shell, 'inbound', { ...wanted, ...place, limit: limit - rows.length });
    if (!page.ok) return page;
    const answer = toRow(page.value.value);
    rows.push(...toRows(answer['messages']));
    texts.push(/^\{"messages":\[(.*)\],"next":/s.exec(page.value.text)?.[1] ?? '');
    const next = word(answer, 'next');
    if (next === '' || rows.length >= limit) return ok(reportPage({ rows, texts, next }, shell));
    place = { before: next };
  }
}

interface Page {
  readonly rows: readonly Row[];
  /** The messages as they stood in the answers. */
  readonly texts: readonly string[];
  readonly next: string;
}

function reportPage({ rows, texts, next }: Page, { hasColour }: Shell): Report {
  const lines = table({ columns, rows, whenEmpty: 'there are no such messages' }, hasColour);
  const messages = texts.filter((text) => text !== '').join(',');
  return {
    json: `{"messages":[${messages}],"next":${next === '' ? 'null' : JSON.stringify(next)}}`,
    text: next === '' ? lines : `${lines}\nfor older ones: --before ${next}`,
  };
}

const columns = [
  column('ID', 'msgId'),
  timeColumn('RECEIVED', 'receivedTime'),
  { title: 'ACCOUNT', of: (row: Row) => word(row, 'account') || '-' },
  { title: 'TOLD', of: deliveryOf, isState: true },
  column('SENDER', 'sender'),
  column('RECEIVER', 'receiver'),
  { title: 'KEYWORD', of: (row: Row) => word(row, 'keyword') || '-' },
  column('CARRIER', 'carrier'),
  column('DCS', 'dcs'),
  numberColumn('PARTS', 'numParts'),
  { title: 'COMPLETE', of: completeOf },
];

/** What became of its newest notification. */
function deliveryOf(row: Row): string {
  if (word(row, 'account') === '') return '-';
  return word(row, 'delivery') || 'no destination';
}

function completeOf(row: Row): string {
  const isComplete = word(row, 'complete') === 'true';
  return isComplete ? 'yes' : `no, ${word(row, 'partsReceived')} of ${word(row, 'numParts')}`;
}

function showMessage(message: Row, hasColour: boolean): string {
  const isBinary = word(message, 'dcs') === 'BIN';
  const port = word(message, 'destinationPort');
  const ports = port === '' ? [] : [['ports', `to ${port} from ${word(message, 'sourcePort')}`] as const];
  const what = card([
    ['message', word(message, 'msgId')],
    ['received', word(message, 'receivedTime')],
    ['account', whoseOf(message)],
    ['notified', notifiedOf(message)],
    ['from', word(message, 'sender')],
    ['to', word(message, 'receiver')],
    isBinary ? ['data', word(message, 'data')] : ['text', `"${word(message, 'text')}"`],
    ['encoding', `${word(message, 'dcs')} (data_coding ${word(message, 'dataCoding') || 'unknown'})`],
    ['parts', word(message, 'numParts')],
    ['complete', completeOf(message)],
    ...ports,
    ['carrier', word(message, 'carrier')],
  ]);
  const rows = toRows(message['notifications']);
  if (rows.length === 0) return what;
  const failures = rows.flatMap((row) => toRows(row['failures']).map((each) => ({ ...each, notification: row['id'] })));
  const notifications = table({ columns: notificationColumns, rows, whenEmpty: '' }, hasColour);
  const tries =
    failures.length === 0 ? [] : [table({ columns: failureColumns, rows: failures, whenEmpty: '' }, hasColour)];
  return [what, notifications, ...tries].join('\n\n');
}

/** Whose it is, and why. */
function whoseOf(message: Row): string {
  const account = word(message, 'account');
  if (account === '') return '- (nobody has its number, or its keyword)';
  const reasons: { readonly [matchedBy: string]: string } = {
    number: 'its number',
    keyword: `the keyword "${word(message, 'keyword')}"`,
    fallback: 'its number, and no keyword',
  };
  return `${account} (by ${reasons[word(message, 'matchedBy')] ?? 'its number'})`;
}

function notifiedOf(message: Row): string {
  if (word(message, 'account') === '') return 'nobody: give its number or keyword to an account, and replay it';
  if (toRows(message['notifications']).length === 0)
    return `nobody: ${word(message, 'account')} had no destination for it; once it has one, replay it`;
  return deliveryOf(message);
}

const notificationColumns = [
  column('NOTIFICATION', 'id'),
  { title: 'TO', of: destinationOf },
  stateColumn('STATE', 'state'),
  numberColumn('TRIES', 'tries'),
  timeColumn('MADE', 'createdAt'),
  timeColumn('NEXT', 'due'),
  timeColumn('ENDED', 'endedAt'),
  { title: 'BY', of: (row: Row) => word(row, 'triedBy') || '-' },
  { title: 'OUTCOME', of: (row: Row) => word(row, 'outcome') || '-' },
];
const failureColumns = [
  column('NOTIFICATION', 'notification'),
  timeColumn('FAILED', 'at'),
  column('BY', 'triedBy'),
  column('OUTCOME', 'outcome'),
];

function destinationOf(row: Row): string {
  const webhook = word(row, 'webhook');
  const destinations = [
    ...(word(row, 'bySession') === 'true' ? ['sessions'] : []),
    ...(webhook === '' ? [] : [`webhook ${webhook}`]),
  ];
  return `${word(row, 'account')}: ${destinations.join(' or ')}`;
}
