import { readFile, stat } from 'node:fs/promises';
import { problemType } from '@morsel/api/problems.ts';
import { formatMicros, isCurrency, parseMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { comparePrices } from '@morsel/gateway/core/money/price-diff.ts';
import type { PriceComparison, Prices } from '@morsel/gateway/core/money/price-diff.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { writeJson } from '@morsel/api/admin/exact-json.ts';
import { instant } from '@morsel/gateway/operator/fields.ts';
import { usage } from '../command.ts';
import type { Command, Failure, Input, Report, Shell } from '../command.ts';
import { dryRunText } from '../confirm.ts';
import { counted } from '../counted.ts';
import { priceFormats } from './price-file/gathered.ts';
import type { LeftOut } from './price-file/gathered.ts';
import type { FilePrices } from './price-file/read.ts';
import type { NetworkMap } from './price-file/network.ts';
import type { Problem } from '../csv-read.ts';
import { askFitting } from './price-import-fit.ts';
import { applyChanges, askPrices, noSuchPrice, versionThen } from './price-lists.ts';
import type { Applied } from './price-lists.ts';
import {
  countsJson,
  countsLine,
  differencesJson,
  differencesTable,
  isShareOver,
  overThreshold,
  previewMax,
} from './price-preview.ts';

/** Octets of a price file: some millions of prices. */
const fileMax = 64 * 1024 * 1024;
/** Of a file with more, these many are told: it is of another kind. */
const problemsMax = 1_000;
/** In per cent: a price that changes by more is shown apart, or asked about. */
export const thresholdDefault = '50';
/** Of the prices that a list has: a file that was cut off in the middle should not get through. */
const maxRemovedDefault = '50';

export const importCommands: readonly Command[] = [
  {
    words: 'price import',
    summary: 'Read prices from a file, show what they change, and make them one version of a price list',
    arguments: [{ name: 'file', summary: 'the file; - for standard input' }],
    options: [
      { flags: '--list <name>', summary: 'which price list; it is made if it is new', isRequired: true },
      { flags: '--currency <code>', summary: 'its currency; needed for a new list' },
      { flags: '--base <name>', summary: 'the list that a new one stands on' },
      { flags: '--merge', summary: 'prefixes that the file does not name stay as they are (this is how it is)' },
      { flags: '--replace', summary: 'prefixes that the file does not name are removed' },
      { flags: '--effective <time>', summary: 'when it takes effect; a day is its beginning in UTC (at once)' },
      { flags: '--format <format>', summary: 'what the file is (as it looks)', choices: priceFormats },
      { flags: '--mapping <file>', summary: 'prefixes and their MCC-MNC, for files by network' },
      { flags: '--threshold <percent>', summary: `changes by more are named (${thresholdDefault})` },
      {
        flags: '--max-removed <percent>',
        summary: `with --replace, removing more of the list is held back (${maxRemovedDefault})`,
      },
      { flags: '--allow-free', summary: 'prices may be 0' },
      { flags: '--allow-empty', summary: 'the file may have no price at all' },
      { flags: '--dry-run', summary: 'change nothing, also with --yes' },
      { flags: '--yes', summary: 'make it so; without it, only what it would change is shown' },
    ],
    examples: [
      ['price import prices.csv --list default', 'what it would change'],
      ['price import prices.csv --list default --replace --yes', 'the list is what the file says, from now on'],
      ['price import deck.csv --list eur --mapping networks.csv --effective 2030-07-01T00:00:00Z --yes', 'by network'],
    ],
    notes: () => formatsHelp,
    run: runImport,
  },
];

const formatsHelp = `A file of our own (csv) has a prefix and a price on each line, with or without the heading prefix,price; * is
every number, lines that begin with # are skipped, and ; or a tab may stand for the comma. Lists by network:
mccmnc (MCCMNC, PriceSubmit, Currency, Effective), gatum (MCC, MNC, MWX, RATE), carrierx (JSON with mcc, mnc,
price). Their mapping has a prefix and an MCC-MNC, such as 41791,22801, on each line.`;

interface Wanted {
  readonly list: string;
  readonly currency: string | undefined;
  readonly base: string | undefined;
  readonly effective: string | undefined;
  readonly at: number;
  readonly threshold: Micros;
  readonly maxRemoved: Micros;
  readonly isReplacing: boolean;
  readonly mayBeFree: boolean;
}

async function runImport(input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const wanted = readWanted(input);
  if (!wanted.ok) return wanted;
  const known = await askFitting(shell, wanted.value);
  if (!known.ok) return known;
  const currency = known.value?.currency ?? wanted.value.currency;
  if (currency === undefined) {
    return refused(noSuchPrice(`there is no price list named ${wanted.value.list}: name its currency to make it`));
  }
  const read = await readPrices(shell, input, { currency, at: wanted.value.at });
  if (!read.ok) return read;
  const from = known.value ? versionThen(known.value, wanted.value.at) : 0;
  const before = await pricesBefore(shell, wanted.value.list, from);
  if (!before.ok) return before;
  const after = wanted.value.isReplacing ? read.value.prices : new Map([...before.value, ...read.value.prices]);
  const compared = comparePrices(before.value, after);
  const imported = {
    ...wanted.value,
    currency,
    isKnown: known.value !== undefined,
    from,
    read: read.value,
    compared,
    size: before.value.size,
  };
  const heldBack = reasonToHoldBack(imported, input);
  const isWanted = input.flags.has('yes') && !input.flags.has('dryRun') && compared.differences.length > 0;
  if (isWanted && heldBack !== undefined) {
    shell.report(reportImport({ ...imported, heldBack, applied: null }, input, shell));
    return refused({ kind: 'refused', detail: `nothing was changed: ${heldBack}` });
  }
  const applied = isWanted ? await apply(shell, wanted.value, { from, compared }) : ok(null);
  if (!applied.ok) return applied;
  return ok(reportImport({ ...imported, heldBack, applied: applied.value }, input, shell));
}

/** Why a person should look at it first. */
function reasonToHoldBack(
  { list, compared: { removed }, maxRemoved, size }: Pick<Imported, 'list' | 'compared' | 'maxRemoved' | 'size'>,
  { flags }: Input,
): string | undefined {
  if (flags.has('allowEmpty') || !isShareOver(removed, size, maxRemoved)) return undefined;
  return `price list ${list} would lose ${removed} of its ${counted(size, 'price')}, more than ${formatMicros(maxRemoved)} %; say --max-removed 100 if that is meant`;
}

function readWanted({ values, flags }: Input): Result<Wanted, Failure> {
  const { list = '', currency, base, effective, threshold = thresholdDefault, maxRemoved = maxRemovedDefault } = values;
  if (flags.has('merge') && flags.has('replace')) return refused(usage('either --merge or --replace'));
  if (currency !== undefined && !isCurrency(currency)) {
    return refused(usage('currency: it has to be a currency code of three capital letters, such as EUR'));
  }
  const percent = readPercent('threshold', threshold);
  if (!percent.ok) return percent;
  const share = readPercent('max-removed', maxRemoved);
  if (!share.ok) return share;
  const at = effective === undefined ? ok(Date.now()) : instant.parse(effective);
  if (!at.ok) return refused(usage(`effective: ${at.error}`));
  return ok({
    list,
    currency,
    base,
    effective,
    at: at.value,
    threshold: percent.value,
    maxRemoved: share.value,
    isReplacing: flags.has('replace'),
    mayBeFree: flags.has('allowFree'),
  });
}

export function readPercent(option: string, text: string): Result<Micros, Failure> {
  const percent = parseMicros(text);
  if (percent.ok && percent.value >= 0n) return percent;
  return refused(usage(`${option}: it has to be a number of per cent, such as 20`));
}

/** The prices of a file that has nothing wrong with it; otherwise all that is wrong is told. */
export async function readPrices(
  shell: Shell,
  { values, flags }: Input,
  { currency, at }: { readonly currency: string; readonly at: number },
): Promise<Result<FilePrices, Failure>> {
  const { file = '', mapping } = values;
  const text = await readText(shell, file);
  if (!text.ok) return text;
  const map = mapping === undefined ? ok(undefined) : await readMapping(shell, mapping);
  if (!map.ok) return map;
  const { readPriceFile } = await import('./price-file/read.ts');
  const read = readPriceFile({
    text: text.value,
    format: priceFormats.find((each) => each === values['format']),
    map: map.value,
    currency,
    at,
    mayBeFree: flags.has('allowFree'),
  });
  if (read.problems.length > 0) return refused(failureOf(shell, file, read.problems));
  return read.prices.size > 0 || flags.has('allowEmpty') ? ok(read) : refused(noPrices(shell, file, read));
}

/** What writes a file and fails leaves an empty one: nobody means to take all prices from a list by it. */
function noPrices(shell: Shell, file: string, { leftOut }: FilePrices): Failure {
  if (!shell.isJson) for (const each of leftOut) shell.warn(`${file}: ${leftOutLine(each)}`);
  return { kind: 'refused', detail: `${file} has no price: say --allow-empty if that is meant` };
}

async function readMapping(shell: Shell, file: string): Promise<Result<NetworkMap, Failure>> {
  const text = await readText(shell, file);
  if (!text.ok) return text;
  const { readNetworkMap } = await import('./price-file/network.ts');
  const { map, problems } = readNetworkMap(text.value);
  return problems.length > 0 ? refused(failureOf(shell, file, problems)) : ok(map);
}

async function readText(shell: Shell, file: string): Promise<Result<string, Failure>> {
  if (file === '-') return ok(await shell.readInput());
  try {
    const { size } = await stat(file);
    if (size > fileMax) return refused(usage(`${file} has more than ${fileMax} octets`));
    return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file)));
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unreadable';
    const why = code === 'ENCODING_ERR' || code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not in UTF-8' : code;
    return refused(usage(`${file} cannot be read: ${why}`));
  }
}

/** Every problem with its line; nothing of such a file is used. */
function failureOf(shell: Shell, file: string, problems: readonly Problem[]): Failure {
  const told = problems.slice(0, problemsMax);
  const count = counted(problems.length, 'problem');
  const more = problems.length > told.length ? `, of which the first ${told.length} are shown` : '';
  const detail = `${file} has ${count}${more}: nothing of it is used`;
  if (!shell.isJson) for (const each of told) shell.warn(`${file}:${each.line}: ${each.detail}`);
  const title = 'The file cannot be used as it is';
  const problem = { type: problemType('usage'), title, detail, code: 'usage', problems: told };
  return { kind: 'usage', detail, problem: JSON.stringify(problem) };
}

async function pricesBefore(shell: Shell, list: string, version: number): Promise<Result<Prices, Failure>> {
  if (version === 0) return ok(new Map<string, Micros>());
  const found = await askPrices(shell, list, { version: String(version) });
  return found.ok ? ok(found.value.prices) : found;
}

function apply(
  shell: Shell,
  wanted: Wanted,
  { from, compared }: { readonly from: number; readonly compared: PriceComparison },
): Promise<Result<Applied, Failure>> {
  const { list, base, effective, mayBeFree, isReplacing: isWhole } = wanted;
  return applyChanges(shell, {
    list,
    currency: wanted.currency,
    base,
    from,
    effective,
    mayBeFree,
    isWhole,
    changes: compared.differences.map(({ prefix, newPrice }) => ({ prefix, price: newPrice })),
  });
}

interface Imported extends Omit<Wanted, 'currency'> {
  readonly currency: string;
  readonly isKnown: boolean;
  /** The version that it changes; 0 if none holds then. */
  readonly from: number;
  readonly read: FilePrices;
  readonly compared: PriceComparison;
  /** Prices that the list has. */
  readonly size: number;
  readonly heldBack: string | undefined;
  readonly applied: Applied | null;
}

function reportImport(imported: Imported, { values, flags }: Input, { hasColour }: Shell): Report {
  const { list, currency, isKnown, from, read, compared, applied, threshold } = imported;
  const over = overThreshold(compared.differences, threshold);
  const percent = formatMicros(threshold);
  const against = isKnown ? `version ${from} of price list ${list}` : `price list ${list}, which is new`;
  const lines = [
    `${values['file']}: ${counted(read.prices.size, 'price')} in ${currency} (${read.format}), against ${against}`,
    countsLine(compared),
    ...read.leftOut.map(leftOutLine),
    ...(compared.differences.length > 0 ? [differencesTable(compared.differences, hasColour)] : []),
    ...(over.length > 0 ? [`by more than ${percent} %: ${over.length}`, differencesTable(over, hasColour)] : []),
    endLine(imported, flags.has('dryRun')),
  ];
  const json = writeJson({
    list,
    format: read.format,
    currency,
    from,
    prices: read.prices.size,
    ...countsJson(compared),
    threshold,
    over: over.length,
    overThreshold: differencesJson(over, previewMax),
    differences: differencesJson(compared.differences, previewMax),
    leftOut: read.leftOut.map((each) => ({ ...each })),
    heldBack: imported.heldBack ?? null,
    applied: applied && { version: Number(applied.version), effectiveAt: applied.effectiveAt },
  });
  return { text: lines.join('\n'), json };
}

function leftOutLine({ why, rows, firstLine, firstItem }: LeftOut): string {
  const first = firstItem === undefined ? `line ${firstLine}` : `item ${firstItem}`;
  return `left out: ${counted(rows, 'row')} ${why} (first in ${first})`;
}

function endLine({ applied, compared, list, heldBack }: Imported, isDryRun: boolean): string {
  if (applied) return `version ${applied.version} of price list ${list} takes effect at ${applied.effectiveAt}`;
  if (compared.differences.length === 0) return 'nothing differs: no version is made';
  if (heldBack !== undefined) return `held back also with --yes: ${heldBack}`;
  return isDryRun ? dryRunText : 'nothing was changed; repeat the command with --yes to change it';
}
