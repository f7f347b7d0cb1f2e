import { printable } from '@morsel/api/fields/shown.ts';
import { changes, pick } from '@morsel/api/fields/compose.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { jsonOf, type Values } from '@morsel/api/fields/field.ts';
import { text } from '@morsel/api/fields/fields.ts';
import { chargedFields, entryFields, posting } from '@morsel/api/admin/money/posting.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { echoNames } from '@morsel/api/values/message.ts';
import { showMicros, type Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { gatewayCalls } from '../admin-client.ts';
import { usage, type Command, type Input, type Shell } from '../command.ts';
import { csvOf, csvRow } from '@morsel/api/admin/csv.ts';

/* Prints the statement of an account page by page, because a statement may have a million entries. */

type Statement = AnswerOf<typeof posting.operations.statement>;
type Entry = Values<typeof entryFields>;

/** A form of output: the text before the entries, the text of each page of entries, and the text after them. */
interface Form {
  readonly head: (first: Statement) => string;
  readonly entries: (page: Statement, isFirst: boolean) => string;
  readonly tail: (first: Statement) => string;
}

export async function printStatement(
  given: { readonly [field: string]: string },
  shell: Shell,
  { flags }: Input,
): ReturnType<Command['run']> {
  const isCsv = flags.has('csv');
  if (isCsv && shell.isJson) return refused(usage('give --json or --csv, not both'));
  const form = shell.isJson ? json : isCsv ? csvForm() : lines;
  const print = (lined: string) => lined !== '' && shell.report({ json: lined, text: lined });
  const { statement } = gatewayCalls(shell).posting;
  const wanted = { ...given, account: given['account'] ?? '' };
  const first = await statement(wanted);
  if (!first.ok) return first;
  print(form.head(first.value));
  print(form.entries(first.value, true));
  for (let { next } = first.value; next !== null;) {
    const page = await statement({ ...wanted, after: next });
    if (!page.ok) return page;
    print(form.entries(page.value, false));
    ({ next } = page.value);
  }
  print(form.tail(first.value));
  return ok(undefined);
}

const { entries: _entries, next: _next, ...headFields } = posting.operations.statement.answer;

/** The form with `--json`: one JSON value over many lines. */
const json: Form = {
  head: (first) => `${writeJson(jsonOf(headFields, first)).slice(0, -1)},"entries":[`,
  entries: ({ entries }, isFirst) => {
    const written = entries.map((entry) => writeJson(jsonOf(entryFields, entry))).join(',');
    return isFirst || written === '' ? written : `,${written}`;
  },
  tail: () => ']}',
};

const csvColumns = changes({
  time: entryFields.at,
  entry: entryFields.entry,
  kind: text({ summary: 'kind of row' }),
  ...pick(entryFields, 'amount', 'balance', 'messages', 'parts', 'msgId', 'part'),
  ...pick(chargedFields, 'receiver', 'unitPrice', 'cost'),
  ...pick(entryFields, 'reason', 'actor', 'key'),
  ...pick(chargedFields, ...echoNames),
});

function cellsOf(row: Values<typeof csvColumns>): readonly string[] {
  return csvRow(csvColumns, row);
}

/**
 * The form with `--csv`. The amounts of all rows add up to the change of the balance, so the rows of the messages of a
 * charge have a cost, but no amount.
 */
function csvForm(): Form {
  return {
    head: ({ from, opening: balance }) => {
      const opening = { time: from ?? undefined, kind: 'opening', balance };
      return csvOf([Object.keys(csvColumns), cellsOf(opening)]);
    },
    entries: ({ entries }) =>
      csvOf(
        entries.flatMap(({ charged = [], ...entry }) => {
          const messages = charged.map((each) => ({ ...each, time: entry.at, entry: entry.entry, kind: 'message' }));
          return [{ ...entry, time: entry.at }, ...messages].map(cellsOf);
        }),
      ),
    tail: ({ to: time, closing: balance }) => csvOf([cellsOf({ time, kind: 'closing', balance })]),
  };
}

const timeOf = (at: Instant) => entryFields.at.cell(at);

/**
 * The form for people. Columns have fixed widths, because rows are printed before later pages arrive. Decimal points
 * are aligned.
 */
const lines: Form = {
  head: ({ account, currency, from, to, opening }) => {
    const begin = from === null ? 'its beginning' : timeOf(from);
    return [
      `account ${account} in ${currency}, from ${begin} up to ${timeOf(to)} (exclusive)`,
      line(['TIME', 'ENTRY', 'KIND', 'AMOUNT  ', 'BALANCE  ', 'MESSAGES', 'PARTS', 'REASON']),
      line(['', '', 'opening', '', inLine(opening, currency)]),
    ].join('\n');
  },
  entries: ({ entries, currency }) => entries.flatMap((entry) => linesOf(entry, currency)).join('\n'),
  tail: ({ to, closing, currency }) => line([timeOf(to), '', 'closing', '', inLine(closing, currency)]),
};

function linesOf({ charged = [], ...entry }: Entry, currency: string): string[] {
  const { at, amount, balance, messages, parts } = entry;
  return [
    line([
      timeOf(at),
      String(entry.entry),
      entry.kind,
      inLine(amount, currency),
      inLine(balance, currency),
      messages === 0 ? '' : String(messages),
      parts === 0 ? '' : String(parts),
      printable(reasonOf(entry)),
    ]),
    ...charged.map(({ msgId, receiver, ...message }) => {
      const price = `${message.parts} x ${showMicros(message.unitPrice, currency)}`;
      const cost = showMicros(message.cost, currency);
      const echo = echoNames.flatMap((name) => message[name] ?? []);
      const given = echo.length === 0 ? '' : ` (${printable(echo.join(', '))})`;
      return `${' '.repeat(timeWidth)}  ${msgId} to ${printable(receiver)}: ${price} = ${cost}${given}`;
    }),
  ];
}

function reasonOf({ kind, reason, part, msgId, actor, key }: Entry): string {
  if (kind === 'refund') return `${reason}: part ${part} of ${msgId}`;
  return kind === 'charge' ? reason : `${reason} (by ${actor}${key === null ? '' : `, key ${key}`})`;
}

const timeWidth = '2026-01-31T12:00:00Z'.length;
const wholeWidth = 11;
const fractionWidth = '.000001'.length;
const amountWidth = wholeWidth + fractionWidth;
/** The width of an entry's id. In PostgreSQL it is as long as the id of a message. */
const entryWidth = 16;
const widths = [timeWidth, entryWidth, 10, amountWidth, amountWidth, 8, 6, 0];
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

/** An amount whose decimal point is aligned. */
function inLine(amount: Micros, currency: string): string {
  const [whole = '', fraction] = showMicros(amount, currency).split('.');
  return whole.padStart(wholeWidth) + (fraction === undefined ? '' : `.${fraction}`).padEnd(fractionWidth);
}
