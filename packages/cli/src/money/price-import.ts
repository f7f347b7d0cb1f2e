import { counted } from '@morsel/api/admin/shown.ts';
import { writeJson } from '@morsel/api/admin/exact-json.ts';
import { described, optional } from '@morsel/api/admin/compose.ts';
import type { Values } from '@morsel/api/admin/field.ts';
import { flag, name, text } from '@morsel/api/admin/fields.ts';
import { allowFree, newCurrency, newListName } from '@morsel/api/admin/money/price.ts';
import { effectiveAt } from '@morsel/api/admin/money/price-import.ts';
import { formatMicros, type Micros } from '@morsel/api/values/money.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandOf } from '../bind.ts';
import { usage, type Failure, type Report, type Shell } from '../command.ts';
import { dryRunText } from '../confirm.ts';
import { comparePrices, type PriceComparison } from '@morsel/api/admin/money/price-diff.ts';
import { countsLine, differencesTable, isOver, percent } from './price-diff.ts';
import { fileFields, leftOutLine, pricesIn } from './price-file/from-file.ts';
import type { FilePrices } from './price-file/read.ts';
import { applyChanges, askPrices, versionThen, type Applied } from '@morsel/api/admin/money/price-lists.ts';
import { askFitting, timeText } from './price-lists.ts';

/* The command `price import`: reads a file, shows the changes, and makes all as one version. */

/** The most differences in the JSON of a preview. The command `price diff` prints all of them. */
const previewMax = 1_000;

const input = {
  file: text({ summary: 'price file to read; - for standard input' }),
  list: newListName,
  currency: newCurrency,
  base: optional(name({ summary: 'base of the list, if the list is new' })),
  merge: optional(flag({ summary: 'keep the prices of prefixes that are not in the file (the default)' }), false),
  replace: optional(flag({ summary: 'remove the prices of prefixes that are not in the file' }), false),
  effectiveAt,
  ...fileFields,
  threshold: percent('list price changes of more than this separately'),
  maxRemoved: percent('with --replace, refuse to remove more of the prices than this'),
  allowFree: described(allowFree, { summary: 'allow prices of 0' }),
  allowEmpty: optional(flag({ summary: 'allow a file without prices' }), false),
  dryRun: optional(flag({ summary: 'change nothing, even with --yes' }), false),
  yes: optional(flag({ summary: 'change the list; without --yes, only a preview is shown' }), false),
};

type Wanted = Values<typeof input>;

const notes = `In the format csv, each line has a prefix and a price. A first line with the heading prefix,price is optional. The prefix *
means every number. Lines that begin with # are skipped. Commas, semicolons or tabs separate the cells. Three formats
have prices by network: mccmnc (MCCMNC, PriceSubmit, Currency, Effective), gatum (MCC, MNC, MWX, RATE) and carrierx
(JSON with mcc, mnc, price). For these formats, the file of --mapping has a prefix and an MCC-MNC on each line, such as
41791,22801.`;

export const priceImportCommand = commandOf({
  words: 'price import',
  summary: 'Read prices from a file, show the changes, and make them as one version of a price list',
  input,
  arguments: ['file'],
  isChange: true,
  examples: [
    ['price import prices.csv --list default', 'shows what the file would change'],
    ['price import prices.csv --list default --replace --yes', 'replaces the whole list by the file'],
    [
      'price import deck.csv --list eur --mapping networks.csv --effective 2030-07-01T00:00:00Z --yes',
      'imports a price file by network',
    ],
  ],
  notes: () => notes,
  run: runImport,
});

async function runImport(wanted: Wanted, shell: Shell): Promise<Result<Report, Failure>> {
  const { list, effectiveAt: then, replace: isWhole } = wanted;
  if (wanted.merge && isWhole) return refused(usage('give --merge or --replace, not both'));
  const known = await askFitting(shell, wanted);
  if (!known.ok) return known;
  const at = then ?? Date.now();
  const currency = known.value?.currency ?? wanted.currency ?? '';
  const file = await pricesIn(shell, { ...wanted, currency, at });
  if (!file.ok) return file;
  const from = known.value ? versionThen(known.value, at) : 0;
  const held =
    from === 0
      ? ok({ prices: new Map<string, Micros>() })
      : await askPrices(gatewayCalls(shell), { list, version: from });
  if (!held.ok) return held;
  const before = held.value.prices;
  const after = isWhole ? file.value.prices : new Map([...before, ...file.value.prices]);
  const compared = comparePrices(before, after);
  const heldBack = reasonToHoldBack(wanted, compared, before.size);
  const preview = { wanted, currency, isNew: !known.value, from, file: file.value, compared, heldBack };
  if (!wanted.yes || wanted.dryRun || compared.differences.length === 0) return ok(reportOf(preview, shell));
  if (heldBack !== undefined) {
    shell.report(reportOf(preview, shell));
    return refused({ kind: 'refused', detail: `nothing was changed: ${heldBack}` });
  }
  const changes = compared.differences.map((each) => ({ prefix: each.prefix, unitPrice: each.after }));
  const { base, allowFree: mayBeFree } = wanted;
  const terms = { list, currency: wanted.currency, base, from, effectiveAt: then };
  const applied = await applyChanges(gatewayCalls(shell), {
    ...terms,
    allowFree: mayBeFree,
    replace: isWhole,
    changes,
  });
  return applied.ok ? ok(reportOf({ ...preview, applied: applied.value }, shell)) : applied;
}

/** Even with --yes: the file removes so many prices that it may have been cut off. */
function reasonToHoldBack(
  { list, maxRemoved, allowEmpty }: Wanted,
  { counts: { removed } }: PriceComparison,
  size: number,
): string | undefined {
  if (allowEmpty || BigInt(removed) * 100n * 1_000_000n <= maxRemoved * BigInt(size)) return undefined;
  return `price list ${list} would lose ${removed} of its ${counted(size, 'price')}, more than ${formatMicros(maxRemoved)} %; add --max-removed 100 if this is intended`;
}

interface Preview {
  readonly wanted: Wanted;
  readonly currency: string;
  readonly isNew: boolean;
  /** 0 if the list has no version. */
  readonly from: number;
  readonly file: FilePrices;
  readonly compared: PriceComparison;
  readonly heldBack: string | undefined;
  readonly applied?: Applied;
}

function reportOf(preview: Preview, shell: Shell): Report {
  const { wanted, currency, isNew, from, file, compared, heldBack, applied } = preview;
  const { list, threshold } = wanted;
  const { differences, counts } = compared;
  const over = differences.filter((each) => isOver(each, threshold));
  const against = isNew ? `price list ${list}, which is new` : `version ${from} of price list ${list}`;
  const lines = [
    `${wanted.file}: ${counted(file.prices.size, 'price')} in ${currency} (${file.format}), against ${against}`,
    countsLine(compared),
    ...file.leftOut.map(leftOutLine),
    ...(differences.length > 0 ? [differencesTable(differences, shell)] : []),
    ...(over.length > 0
      ? [`by more than ${formatMicros(threshold)} %: ${over.length}`, differencesTable(over, shell)]
      : []),
    endLine(preview),
  ];
  const json = writeJson({
    list,
    format: file.format,
    currency,
    from,
    prices: file.prices.size,
    ...counts,
    threshold,
    over: over.length,
    overThreshold: over.slice(0, previewMax),
    differences: differences.slice(0, previewMax),
    leftOut: file.leftOut.map((each) => ({ ...each })),
    heldBack: heldBack ?? null,
    applied: applied ? { version: applied.version, effectiveAt: timeText(applied.effectiveAt) } : null,
  });
  return { text: lines.join('\n'), json };
}

function endLine({ wanted: { list, dryRun }, compared, heldBack, applied }: Preview): string {
  if (applied)
    return `version ${applied.version} of price list ${list} takes effect at ${timeText(applied.effectiveAt)}`;
  if (compared.differences.length === 0) return 'no price differs: no new version is made';
  if (heldBack !== undefined) return `this would be refused even with --yes: ${heldBack}`;
  return dryRun ? dryRunText : 'nothing was changed; repeat the command with --yes to make the change';
}
