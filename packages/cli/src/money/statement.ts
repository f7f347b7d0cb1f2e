import { showMicros } from '@morsel/api/values/currency.ts';
import { parseMicros } from '@morsel/api/values/money.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { asking, call } from '../admin-client.ts';
import type { Reply } from '../admin-client.ts';
import { usage } from '../command.ts';
import type { Command, Failure, Input, Option, Report, Shell } from '../command.ts';
import { printable, toRow, toRows, toTheSecond, word } from '../table.ts';
import type { Row } from '../table.ts';

/* What was posted to an account. A statement is printed page by page as it comes: it may have a million entries. */

const account = { name: 'account', summary: 'the name of the account' };
const zone: Option = {
  flags: '--zone <name>',
  summary: 'where a day begins, such as UTC (where those of the account do)',
};

export const statementCommands: readonly Command[] = [
  {
    words: 'account statement',
    summary: 'Show what was posted to an account, with the balance before and after',
    arguments: [account],
    options: [
      { flags: '--from <time>', summary: 'from this time or day on, such as 2026-01-01 (its beginning)' },
      { flags: '--to <time>', summary: 'until before this time or day, such as 2026-02-01 (now)' },
      zone,
      { flags: '--messages', summary: 'with each message of each charge' },
      {
        flags: '--csv',
        summary:
          "print comma-separated values (RFC 4180) with exact amounts; text that begins like a formula gets a ' before it",
      },
    ],
    examples: [
      ['account statement acme --from 2026-01-01 --to 2026-02-01', 'all that was posted in January'],
      ['account statement acme --from 2026-01-31T12:00:00+01:00 --messages', 'since a minute, message by message'],
      ['account statement acme --zone Europe/Zurich --from 2026-01-01 --csv', 'for a spreadsheet'],
    ],
    run: printStatement,
  },
  {
    words: 'account balance',
    summary: 'Show the balance of an account, now or at a time of the past',
    arguments: [account],
    options: [{ flags: '--at <time>', summary: 'before what was posted at this time or day (now)' }, zone],
    examples: [
      ['account balance acme', 'what it is now'],
      ['account balance acme --at 2026-01-01 --zone Europe/Zurich', 'what it was when the year began in Zurich'],
    ],
    run: asking('balance', (value) => {
      const row = toRow(value);
      return `account ${word(row, 'account')} has ${moneyOf(row, 'balance')} ${word(row, 'currency')} at ${toTheSecond(word(row, 'at'))}`;
    }),
  },
];

/** How a statement is written: what stands before the first entry, for each page of entries, and behind the last. */
interface Form {
  readonly head: (first: Page) => string;
  readonly entries: (page: Page, isFirst: boolean) => string;
  readonly tail: (first: Page) => string;
}

/** As the gateway answered it. */
interface Page {
  readonly text: string;
  readonly row: Row;
}

async function printStatement(input: Input, shell: Shell): Promise<Result<Report | undefined, Failure>> {
  const isCsv = input.flags.has('csv');
  if (isCsv && shell.isJson) return refused(usage('account statement takes --csv or --json, not both'));
  const hasMessages = input.flags.has('messages');
  const form = shell.isJson ? json : isCsv ? await csvForm() : lines;
  const fields = hasMessages ? { ...input.values, messages: 'true' } : input.values;
  const reply = await call(shell, 'statement', fields);
  if (!reply.ok) return reply;
  const first = pageOf(reply.value);
  const print = (text: string) => text !== '' && shell.report({ json: text, text });
  print(form.head(first));
  print(form.entries(first, true));
  for (let { row } = first; word(row, 'after') !== '';) {
    const next = await call(shell, 'statement', {
      ...fields,
      after: word(row, 'after'),
      through: word(row, 'through'),
    });
    if (!next.ok) return next;
    const page = pageOf(next.value);
    print(form.entries(page, false));
    ({ row } = page);
  }
  print(form.tail(first));
  return ok(undefined);
}

function pageOf(reply: Reply): Page {
  return { text: reply.text, row: toRow(reply.value) };
}

const entriesMember = '"entries":[';

/** One JSON value over many lines. Entries are passed on as they came, so that every amount keeps its digits. */
const json: Form = {
  head: ({ text }) =>
    `${text.slice(0, text.indexOf(entriesMember)).replace(/"through":\d+,"after":(\d+|null),/, '')}${entriesMember}`,
  entries: ({ text }, isFirst) => {
    const entries = text.slice(text.indexOf(entriesMember) + entriesMember.length, -']}'.length);
    return isFirst || entries === '' ? entries : `,${entries}`;
  },
  tail: () => ']}',
};

const csvColumns = [
  'time',
  'entry',
  'kind',
  'amount',
  'balance',
  'messages',
  'parts',
  'msgId',
  'part',
  'receiver',
  'unitPrice',
  'cost',
  'reason',
  'actor',
  'key',
];

/**
 * The amounts of all rows are what the balance moved by: messages, in rows behind the charge that they are of, have a cost
 * and no amount.
 */
async function csvForm(): Promise<Form> {
  const { csvOf } = await import('../csv-write.ts');
  return {
    head: ({ row }) => csvOf([csvColumns, boundary(row, 'opening', 'from')]),
    entries: ({ row }) => csvOf(toRows(row['entries']).flatMap(csvRowsOf)),
    tail: ({ row }) => csvOf([boundary(row, 'closing', 'to')]),
  };
}

function boundary(row: Row, kind: 'opening' | 'closing', at: string): readonly string[] {
  return cellsOf({ kind, time: word(row, at), balance: word(row, kind) });
}

function csvRowsOf(entry: Row): readonly (readonly string[])[] {
  const charged = toRows(entry['charged']).map((message) =>
    cellsOf({ ...message, entry: entry['entry'], time: entry['at'], kind: 'message' }),
  );
  return [cellsOf({ ...entry, time: entry['at'] }), ...charged];
}

function cellsOf(values: Row): readonly string[] {
  return csvColumns.map((column) => {
    const value = values[column];
    return typeof value === 'string' ? value : '';
  });
}

const timeWidth = '2026-01-31T12:00:00Z'.length;

/** Columns of widths that are known before the last page has come; amounts have their decimal points in line. */
const lines: Form = {
  head: ({ row }) => {
    const from = word(row, 'from') === '' ? 'its beginning' : toTheSecond(word(row, 'from'));
    const about = `account ${word(row, 'account')} in ${word(row, 'currency')}, from ${from} until before ${toTheSecond(word(row, 'to'))}`;
    const titles = line(['TIME', 'ENTRY', 'KIND', 'AMOUNT  ', 'BALANCE  ', 'MESSAGES', 'PARTS', 'REASON']);
    return [about, titles, line(['', '', 'opening', '', inLine(moneyOf(row, 'opening'))])].join('\n');
  },
  entries: ({ row }) => {
    const currency = word(row, 'currency');
    return toRows(row['entries'])
      .flatMap((entry) => linesOf({ ...entry, currency }))
      .join('\n');
  },
  tail: ({ row }) => line([toTheSecond(word(row, 'to')), '', 'closing', '', inLine(moneyOf(row, 'closing'))]),
};

function linesOf(entry: Row): string[] {
  const count = (member: string) => (word(entry, member) === '0' ? '' : word(entry, member));
  const cells = [
    toTheSecond(word(entry, 'at')),
    word(entry, 'entry'),
    word(entry, 'kind'),
    inLine(moneyOf(entry, 'amount')),
    inLine(moneyOf(entry, 'balance')),
    count('messages'),
    count('parts'),
    reasonOf(entry),
  ];
  return [
    line(cells),
    ...toRows(entry['charged']).map((message) => messageLine({ ...message, currency: entry['currency'] })),
  ];
}

function reasonOf(entry: Row): string {
  const part = `part ${word(entry, 'part')} of ${word(entry, 'msgId')}`;
  if (word(entry, 'kind') === 'refund') return `${word(entry, 'reason')}: ${part}`;
  if (word(entry, 'kind') === 'charge') return word(entry, 'reason');
  const key = word(entry, 'key');
  return `${word(entry, 'reason')} (by ${word(entry, 'actor')}${key === '' ? '' : `, key ${key}`})`;
}

function messageLine(message: Row): string {
  const price = `${word(message, 'parts')} x ${moneyOf(message, 'unitPrice')} = ${moneyOf(message, 'cost')}`;
  return `${' '.repeat(timeWidth)}  ${word(message, 'msgId')} to ${word(message, 'receiver')}: ${price}`;
}

const wholeWidth = 11;
const fractionWidth = '.000001'.length;
const amountWidth = wholeWidth + fractionWidth;
const widths = [timeWidth, 9, 10, amountWidth, amountWidth, 8, 6, 0];
const numbersFrom = 3;
const numbersTo = 6;

function line(cells: readonly string[]): string {
  return cells
    .map((cell, at) =>
      at === 1 || (at >= numbersFrom && at <= numbersTo)
        ? cell.padStart(widths[at] ?? 0)
        : cell.padEnd(widths[at] ?? 0),
    )
    .join('  ')
    .trimEnd();
}

function inLine(amount: string): string {
  const [whole = '', fraction] = amount.split('.');
  return whole.padStart(wholeWidth) + (fraction === undefined ? '' : `.${fraction}`).padEnd(fractionWidth);
}

/** An amount of a row in the form of its currency. */
function moneyOf(row: Row, member: string): string {
  const micros = parseMicros(word(row, member));
  return micros.ok ? showMicros(micros.value, word(row, 'currency')) : printable(word(row, member));
}
