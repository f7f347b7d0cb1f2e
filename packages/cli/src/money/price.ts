import { csvOf } from '@morsel/api/admin/csv.ts';
import { described, optional } from '@morsel/api/fields/compose.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import type { Values } from '@morsel/api/fields/field.ts';
import { price } from '@morsel/api/admin/money/price.ts';
import { versionInput } from '@morsel/api/admin/money/price-fields.ts';
import type { GivenOf } from '@morsel/api/admin/resource.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import { everyNumber, type Prices } from '@morsel/api/values/price.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandOf, commandsOf } from '../bind.ts';
import type { Command, Failure, Report, Shell } from '../command.ts';
import { priceChangeCommands } from './price-change.ts';
import { comparePrices } from '@morsel/api/admin/money/price-diff.ts';
import { countsLine, differencesTable, timeText } from './price-diff.ts';
import { importOptions, importPrices } from './price-import.ts';
import { askPrices } from '@morsel/api/admin/money/price-lists.ts';

/* The commands of price lists: the declared commands, and commands that make several calls. */

const diffInput = {
  list: versionInput.list,
  other: optional(described(versionInput.list, { summary: 'another list' })),
  from: described(versionInput.version, { summary: 'version of the first list', defaultText: 'the version in effect' }),
  to: described(versionInput.version, {
    summary: 'version of the second list, or of the same list',
    defaultText: 'the newest version',
  }),
};

type Diff = Values<typeof diffInput>;

export const priceCommands: readonly Command[] = [
  ...priceChangeCommands,
  ...commandsOf(price, {
    export: { run: runExport },
    import: { run: importPrices, options: importOptions },
  }),
  commandOf({
    words: 'price diff',
    summary: 'Show the differences between two versions of a list, or two lists',
    input: diffInput,
    arguments: ['list', 'other'],
    examples: {
      'price diff default': 'shows how the newest version differs from the version in effect',
      'price diff default --from 3 --to 5': 'shows what changed from version 3 to version 5',
    },
    run: runDiff,
  }),
];

async function runExport(
  wanted: GivenOf<typeof price.operations.export>,
  shell: Shell,
): Promise<Result<Report, Failure>> {
  const found = await askPrices(gatewayCalls(shell), wanted);
  if (!found.ok) return found;
  const { prices: found_, effectiveAt, ...version } = found.value;
  const prices = [...found_].map(([prefix, each]) => ({ prefix, price: each }));
  const rows = prices.map((each) => [each.prefix || everyNumber, formatMicros(each.price)]);
  const since = effectiveAt === null ? null : timeText(effectiveAt);
  return ok({
    text: csvOf([['prefix', 'price'], ...rows]),
    json: shell.isJson ? writeJson({ ...version, effectiveAt: since, prices }) : '',
  });
}

async function runDiff(wanted: Diff, shell: Shell): Promise<Result<Report, Failure>> {
  const { list, from } = wanted;
  const first = await askPrices(gatewayCalls(shell), { list, version: from });
  if (!first.ok) return first;
  const before = sideOf(first.value);
  const second = await otherSide(wanted, first.value.currency, shell);
  if (!second.ok) return second;
  const after = second.value;
  const compared = comparePrices(before.prices, after.prices);
  const { differences, counts } = compared;
  return ok({
    text: [
      `from ${before.name} to ${after.name}`,
      countsLine(counts),
      differencesTable(differences, differences.length, shell),
    ].join('\n'),
    json: writeJson({ before: before.name, after: after.name, ...counts, differences }),
  });
}

interface Side {
  readonly name: string;
  readonly prices: Prices;
}

function sideOf({ list, version, prices }: { list: string; version: number | null; prices: Prices }): Side {
  return { name: version === null ? `${list}, which has no version in effect` : `${list} version ${version}`, prices };
}

async function otherSide(wanted: Diff, currency: string, shell: Shell): Promise<Result<Side, Failure>> {
  const { list, other = list, to } = wanted;
  const known = await gatewayCalls(shell).price.versions({ list: other });
  if (!known.ok) return known;
  if (known.value.currency !== currency) {
    const detail = `price list ${list} is in ${currency}, and ${other} in ${known.value.currency}: their prices cannot be compared`;
    return refused({ kind: 'refused', detail });
  }
  const found = await askPrices(gatewayCalls(shell), { list: other, version: to ?? (known.value.newest || undefined) });
  return found.ok ? ok(sideOf(found.value)) : found;
}
