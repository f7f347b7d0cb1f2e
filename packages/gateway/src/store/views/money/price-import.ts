/* Views of imports: what a price file, or the version before the present one, would change in a list. */

import { differencesMax, type importAnswer, type importInput } from '@morsel/api/admin/money/price-fields.ts';
import { comparePrices, isOver, type PriceComparison } from '@morsel/api/admin/money/price-diff.ts';
import type { Values } from '@morsel/api/fields/field.ts';
import { formatMicros, type Micros } from '@morsel/api/values/money.ts';
import { writePriceLines, type Prices } from '@morsel/api/values/price.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { FileProblem } from '@morsel/api/admin/csv-read.ts';
import { invalid, type Rejection } from '../../../core/base/rejection.ts';
import { readNetworkMap } from '../../../core/money/price-file/network.ts';
import { readPriceFile, type FilePrices } from '../../../core/money/price-file/read.ts';
import { conflict, inPast, missing } from '../../../state/decide/decided.ts';
import { otherThan } from '../../../state/decide/money/prices.ts';
import { priceListTable, type PriceListRow } from '../../../state/tables/price.ts';
import type { Queries } from '../queries.ts';
import { allPrices, priceVersionsOf } from './prices.ts';

type Wanted = Values<typeof importInput>;

/** Prices as lines of text, in pieces that are stored one by one. */
interface Pieces {
  readonly pieces: readonly string[];
  readonly changes: number;
}

interface ImportView extends Pieces {
  readonly shown: Values<typeof importAnswer>;
}

/** The most prices that one commit stores. It takes the writing thread about a millisecond, so messages hardly wait. */
const pieceMax = 100;
/** The most prices of one import: ten price lists of usual size, or some 50 MiB of the store. */
const importMax = 1_000_000;

/** Reads a price file, and compares it with the prices that would be in effect without it. */
export async function readPriceImport(
  queries: Queries,
  wanted: Wanted & { readonly now: Instant },
): Promise<Result<ImportView, Rejection>> {
  const { now, effectiveAt, list: name, replace } = wanted;
  if (effectiveAt !== undefined && effectiveAt <= now) return inPast('effectiveAt');
  const at = effectiveAt ?? now;
  const list = await queries.first(priceListTable, 'where name = ?', name);
  const currency = await currencyFor(queries, list, wanted);
  if (!currency.ok) return currency;
  const file = readFile(wanted, { currency: currency.value, at });
  if (!file.ok) return file;
  const versions = list ? await priceVersionsOf(queries, list.id) : [];
  const other = otherThan(wanted.from, versions, { list: name, effectiveAt: at });
  if (other) return other;
  const from = versions.findLast((each) => each.effectiveAt <= at)?.version ?? 0;
  const before = await pricesOf(queries, list, from);
  const { prices } = file.value;
  const compared = comparePrices(before, replace ? prices : new Map([...before, ...prices]));
  if (compared.differences.length > importMax) return invalid('file', `must not change more than ${importMax} prices`);
  const over = compared.differences.filter((each) => isOver(each, wanted.threshold));
  const shown = {
    list: name,
    isNew: !list,
    format: file.value.format,
    currency: currency.value,
    from,
    prices: prices.size,
    ...compared.counts,
    threshold: wanted.threshold,
    over: over.length,
    overThreshold: over.slice(0, differencesMax),
    differences: compared.differences.slice(0, differencesMax),
    leftOut: leftOutOf(file.value),
    heldBack: reasonToHoldBack(wanted, compared, before.size),
    applied: null,
  };
  return ok({ shown, ...piecesOf(compared) });
}

/** The changes from the last version back to the one before. Null if the last version is not in effect. */
export async function readPriceWithdrawal(
  queries: Queries,
  { list: name, version, now }: { readonly list: string; readonly version: number; readonly now: Instant },
): Promise<Result<Pieces | null, Rejection>> {
  const list = await queries.first(priceListTable, 'where name = ?', name);
  const [last, before] = list ? (await priceVersionsOf(queries, list.id)).toReversed() : [];
  if (last?.version !== version || last.effectiveAt > now) return ok(null);
  if (!before)
    return conflict(`version ${version} of price list ${name} is its first one: import other prices instead`);
  const present = await pricesOf(queries, list, version);
  return ok(piecesOf(comparePrices(present, await pricesOf(queries, list, before.version))));
}

function piecesOf({ differences }: PriceComparison): Pieces {
  const pieces: string[] = [];
  for (let at = 0; at < differences.length; at += pieceMax) {
    const some = differences.slice(at, at + pieceMax);
    pieces.push(writePriceLines(some.map(({ prefix, after }) => ({ prefix, unitPrice: after }))));
  }
  return { pieces, changes: differences.length };
}

/** The currency of the list. A given base must be the base of the list, or is used for a new list. */
async function currencyFor(
  queries: Queries,
  list: PriceListRow | undefined,
  { list: name, currency, base }: Wanted,
): Promise<Result<string, Rejection>> {
  if (list && currency !== undefined && currency !== list.currency) {
    return invalid('currency', `price list ${name} is in ${list.currency}, not ${currency}`);
  }
  const known = list?.currency ?? currency;
  if (known === undefined) return missing(`there is no price list named ${name}: give a currency to create it`);
  if (base === undefined) return ok(known);
  const below = await queries.first(priceListTable, 'where name = ?', base);
  if (!below) return missing(`there is no price list named ${base}`);
  if (list && list.base !== below.id) {
    return conflict(`the base of price list ${name} is not ${base}: change the base with price base first`);
  }
  return ok(known);
}

/** Reads the file. No part of a file with a problem is used. */
function readFile(
  { file: text, mapping, format, allowFree, allowEmpty }: Wanted,
  { currency, at }: { readonly currency: string; readonly at: Instant },
): Result<FilePrices, Rejection> {
  const networks = mapping === undefined ? undefined : readNetworkMap(mapping);
  if (networks && networks.problems.length > 0) return unusable('mapping', 'line', networks.problems);
  const file = readPriceFile({ text, format, map: networks?.map, currency, at, mayBeFree: allowFree });
  if (file.problems.length > 0) return unusable('file', file.place, file.problems);
  if (file.prices.size > 0 || allowEmpty) return ok(file);
  // Refuses an empty file, because a program that failed often leaves one behind.
  const leftOut = leftOutOf(file).map(({ why, rows, first }) => `; left out: ${rows} from ${first} on, because ${why}`);
  return invalid('file', `must have prices: add --allow-empty if this is intended${leftOut.join('')}`);
}

function leftOutOf({ leftOut, place }: FilePrices) {
  return leftOut.map(({ why, rows, first }) => ({ why, rows, first: `${place} ${first}` }));
}

/** The most problems of one file that are reported. A file with more problems is probably in another format. */
const problemsMax = 1_000;

function unusable(
  field: 'file' | 'mapping',
  place: 'line' | 'item',
  problems: readonly FileProblem[],
): Result<never, Rejection> {
  const faults = problems
    .slice(0, problemsMax)
    .map(({ line, detail }) => ({ field: `${field}, ${place} ${line}`, detail }));
  const [first] = faults;
  const detail = `${first?.field}: ${first?.detail} (${problems.length} in all; no part of the file was used)`;
  return refused({ code: 'invalid_parameter', field, detail, faults });
}

/** Why the import is refused: the file removes so many prices that it may have been cut off. */
function reasonToHoldBack(
  { list, maxRemoved, allowEmpty }: Wanted,
  { counts: { removed } }: PriceComparison,
  size: number,
): string | null {
  if (allowEmpty || BigInt(removed) * 100n * 1_000_000n <= maxRemoved * BigInt(size)) return null;
  const prices = size === 1 ? '1 price' : `${size} prices`;
  return `price list ${list} would lose ${removed} of its ${prices}, more than ${formatMicros(maxRemoved)} %; add --max-removed 100 if this is intended`;
}

async function pricesOf(queries: Queries, list: PriceListRow | undefined, version: number): Promise<Prices> {
  const prices = new Map<string, Micros>();
  if (!list || version === 0) return prices;
  for await (const rows of await allPrices(queries, list.id, version))
    for (const { prefix, price } of rows) prices.set(prefix, price);
  return prices;
}
