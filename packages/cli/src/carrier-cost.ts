import { compareCosts } from '@morsel/gateway/core/routing/carrier-cost.ts';
import { parseMicros, toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { readJson, writeJson } from '@morsel/api/admin/exact-json.ts';
import { call } from './admin-client.ts';
import type { Command, Failure, Input, Report, Shell } from './command.ts';
import { card, column, numberColumn, table, toRow, toRows, toTheSecond, word } from './table.ts';
import type { Row } from './table.ts';

export const carrierCostCommand: Command = {
  words: 'carrier cost',
  summary: 'Sum what a carrier takes for the parts that it accepted: what its invoice should say',
  arguments: [{ name: 'carrier', summary: 'the name of the carrier' }],
  options: [
    {
      flags: '--from <time>',
      summary: 'accepted then or later: 2026-01-01T12:00:00Z, or a day in UTC such as 2026-01-01',
      isRequired: true,
    },
    { flags: '--to <time>', summary: 'accepted before then; days are those of UTC (now)' },
  ],
  examples: [['carrier cost alpha --from 2026-01-01 --to 2026-02-01', 'a month, by what a part costs']],
  run: sum,
};

/** Parts at one cost; the empty currency is that of a cost that nobody knows. */
interface Line {
  readonly unitCost: Micros | null;
  readonly currency: string;
  parts: bigint;
}

/** Asks page after page, since one question looks at a bounded range of messages. */
async function sum({ values }: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const lines = new Map<string, Line>();
  let wanted: { readonly [field: string]: string } = values;
  for (;;) {
    const page = await call(shell, 'carrierCost', wanted);
    if (!page.ok) return page;
    const answer = toRow(page.value.value);
    for (const row of toRows(answer['costs'])) add(lines, row);
    // All pages are of one stretch, whenever they are asked for.
    wanted = { ...values, to: word(answer, 'to'), next: word(answer, 'next') };
    if (wanted['next'] === '') return ok(reportOn(answer, [...lines.values()], shell));
  }
}

function add(lines: Map<string, Line>, row: Row): void {
  const currency = word(row, 'currency');
  const key = `${currency} ${word(row, 'unitCost')}`;
  const parts = BigInt(word(row, 'parts'));
  const line = lines.get(key);
  if (line) line.parts += parts;
  else lines.set(key, { unitCost: currency === '' ? null : micros(word(row, 'unitCost')), currency, parts });
}

function reportOn(answer: Row, lines: readonly Line[], shell: Shell): Report {
  const costs = lines
    .toSorted((a, b) => compareCosts(a.unitCost, b.unitCost))
    .map(({ unitCost, currency, parts }) => ({
      unitCost,
      currency: currency === '' ? null : currency,
      parts: Number(parts),
      amount: unitCost === null ? null : toMicros(unitCost * parts),
    }));
  const currencies = [...new Set(lines.map(({ currency }) => currency))].filter((each) => each !== '').toSorted();
  const totals = currencies.map((currency) => {
    const amounts = costs.filter((each) => each.currency === currency).map(({ amount }) => amount ?? zeroMicros);
    return { currency, amount: toMicros(amounts.reduce((total, amount) => total + amount, 0n)) };
  });
  const [carrier, from, to] = ['carrier', 'from', 'to'].map((member) => word(answer, member));
  const json = writeJson({ carrier: carrier ?? '', from: from ?? '', to: to ?? '', costs, totals });
  // As they stand in the answer: amounts with all their digits.
  const shown = readJson(json);
  const totalTexts = toRows(toRow(shown)['totals']).map((each) => `${word(each, 'amount')} ${word(each, 'currency')}`);
  const head = card([
    ['carrier', carrier ?? ''],
    ['accepted', `from ${toTheSecond(from ?? '')} to ${toTheSecond(to ?? '')}`],
    ['takes', totalTexts.join(', ') || 'nothing'],
  ]);
  const body = table(
    { columns, rows: toRows(toRow(shown)['costs']), whenEmpty: 'it accepted nothing' },
    shell.hasColour,
  );
  return { json, text: `${head}\n\n${body}` };
}

const columns = [
  { title: 'A PART', of: (row: Row) => word(row, 'unitCost') || 'unknown', isNumber: true },
  column('CURRENCY', 'currency'),
  numberColumn('PARTS', 'parts'),
  numberColumn('AMOUNT', 'amount'),
];

function micros(text: string): Micros {
  const read = parseMicros(text);
  return read.ok ? read.value : zeroMicros;
}
