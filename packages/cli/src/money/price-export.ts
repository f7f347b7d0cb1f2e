import { comparePrices } from '@morsel/gateway/core/money/price-diff.ts';
import type { Prices } from '@morsel/gateway/core/money/price-diff.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { writeJson } from '@morsel/api/admin/exact-json.ts';
import { usage } from '../command.ts';
import type { Command, Failure, Input, Report, Shell } from '../command.ts';
import { versionOptions } from './price.ts';
import { everyNumber } from './price-file/cells.ts';
import { priceFormats } from './price-file/gathered.ts';
import { readPrices } from './price-import.ts';
import { askList, askPrices } from './price-lists.ts';
import { countsJson, countsLine, differencesJson, differencesTable } from './price-preview.ts';

const list = { name: 'list', summary: 'the name of the price list' };

export const exportCommands: readonly Command[] = [
  {
    words: 'price export',
    summary: 'Print the prices of a list, without those of its base, as price import reads them',
    arguments: [list],
    options: versionOptions,
    examples: [
      ['price export default > prices.csv', 'what holds now'],
      ['price export default --version 3 > prices.csv', 'what version 3 says'],
    ],
    run: runExport,
  },
  {
    words: 'price diff',
    summary: 'Show what differs between two versions of a list, two lists, or a list and a file',
    arguments: [list, { name: 'other', summary: 'another list', isOptional: true }],
    options: [
      { flags: '--from <version>', summary: 'of the first list (what holds now)' },
      { flags: '--to <version>', summary: 'of the other list, or of the same (its newest)' },
      { flags: '--file <file>', summary: 'compare with what this file says' },
      { flags: '--format <format>', summary: 'what the file is (as it looks)', choices: priceFormats },
      { flags: '--mapping <file>', summary: 'prefixes and their MCC-MNC, for files by network' },
    ],
    examples: [
      ['price diff default', 'what is to come'],
      ['price diff default --from 3 --to 5', 'what changed from version 3 to version 5'],
      ['price diff default --file prices.csv', 'what the file says otherwise'],
    ],
    run: runDiff,
  },
];

async function runExport({ values }: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const { list: name = '', version, at } = values;
  const found = await askPrices(shell, name, { version, at });
  if (!found.ok) return found;
  const prices = [...found.value.prices];
  const rows = prices.map(([prefix, price]) => [prefix === '' ? everyNumber : prefix, formatMicros(price)]);
  const { currency, effectiveAt } = found.value;
  const json = {
    list: name,
    currency,
    version: found.value.version === null ? null : Number(found.value.version),
    effectiveAt,
    prices: prices.map(([prefix, price]) => ({ prefix, price })),
  };
  const { csvOf } = await import('../csv-write.ts');
  return ok({ text: csvOf([['prefix', 'price'], ...rows]), json: shell.isJson ? writeJson(json) : '' });
}

interface Side {
  readonly name: string;
  readonly prices: Prices;
}

async function runDiff(input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const { list: name = '', from, other, to, file, format, mapping } = input.values;
  if (file !== undefined && (other !== undefined || to !== undefined)) {
    return refused(usage('price diff compares with another list or version, or with --file, not with both'));
  }
  if (file === undefined && (format !== undefined || mapping !== undefined)) {
    return refused(usage('--format and --mapping are about a file: name it with --file'));
  }
  const left = await askPrices(shell, name, { version: from });
  if (!left.ok) return left;
  const { version, currency, prices } = left.value;
  const before: Side = { name: sideName(name, version), prices };
  const after = await otherSide(input, shell, { name, currency });
  if (!after.ok) return after;
  const compared = comparePrices(before.prices, after.value.prices);
  const json = {
    before: before.name,
    after: after.value.name,
    ...countsJson(compared),
    differences: differencesJson(compared.differences),
  };
  const text = [
    `from ${before.name} to ${after.value.name}`,
    countsLine(compared),
    differencesTable(compared.differences, shell.hasColour),
  ];
  return ok({ text: text.join('\n'), json: writeJson(json) });
}

async function otherSide(
  input: Input,
  shell: Shell,
  first: { readonly name: string; readonly currency: string },
): Promise<Result<Side, Failure>> {
  const { other = first.name, to, file } = input.values;
  if (file !== undefined) {
    const flags = new Set([...input.flags, 'allowFree', 'allowEmpty']);
    const read = await readPrices(shell, { values: input.values, flags }, { currency: first.currency, at: Date.now() });
    return read.ok ? ok({ name: file, prices: read.value.prices }) : read;
  }
  const known = await askList(shell, other);
  if (!known.ok) return known;
  const { currency } = known.value ?? first;
  if (currency !== first.currency) {
    const detail = `price list ${first.name} is in ${first.currency}, and ${other} in ${currency}: their prices cannot be compared`;
    return refused({ kind: 'refused', detail });
  }
  const newest = known.value?.versions.at(-1)?.version.toString();
  const found = await askPrices(shell, other, { version: to ?? newest });
  return found.ok ? ok({ name: sideName(other, found.value.version), prices: found.value.prices }) : found;
}

function sideName(name: string, version: string | null): string {
  return version === null ? `${name}, which has no version that holds` : `${name} version ${version}`;
}
