import type { Micros } from '../../values/money.ts';
import { priceLinesMax, readPriceLines, type PriceChange, type Prices } from '../../values/price.ts';
import { ok, type Result } from '../../values/result.ts';
import type { Instant } from '../../values/time.ts';
import type { AdminCalls } from '../client.ts';
import type { AnswerOf, GivenOf } from '../resource.ts';
import type { price } from './price.ts';
import type { priceImport } from './price-import.ts';

/* Reads whole price lists from the gateway, compares them, and sends changes to it: for the command line and the console. */

type Lists = typeof price.operations;
type Imports = typeof priceImport.operations;
type PriceCalls<F> = Pick<AdminCalls<F>, 'price' | 'priceImport'>;

/** A price list with all its versions, in the order in which they take effect. */
export type KnownList = AnswerOf<Lists['versions']>;

/** 0 if no version was in effect. */
export function versionThen({ versions }: KnownList, at: Instant): number {
  return versions.findLast((each) => each.effectiveAt <= at)?.version ?? 0;
}

export interface ListVersion extends Omit<AnswerOf<Lists['export']>, 'prices' | 'next'> {
  /** Own prices, without those of the base. */
  readonly prices: Prices;
}

/** All own prices of the given version, or of the version in effect at a given time or now. */
export async function askPrices<F>(
  calls: PriceCalls<F>,
  wanted: GivenOf<Lists['export']>,
): Promise<Result<ListVersion, F>> {
  const prices = new Map<string, Micros>();
  for (let place = wanted; ;) {
    const page = await calls.price.export(place);
    if (!page.ok) return page;
    const { prices: lines, next, ...version } = page.value;
    const read = readPriceLines(lines);
    if (!read.ok) throw new Error('the gateway answered unreadable prices');
    for (const { prefix, unitPrice } of read.value) if (unitPrice !== null) prices.set(prefix, unitPrice);
    if (next === null || version.version === null) return ok({ ...version, prices });
    // All further pages must come from the version of the first page.
    place = { list: wanted.list, version: version.version, after: next };
  }
}

export type Applied = AnswerOf<Imports['publish']>;

/** All the changes, or none. They must be in the order of their prefixes. */
export async function applyChanges<F>(
  calls: PriceCalls<F>,
  { changes, ...wanted }: GivenOf<Imports['begin']> & { readonly changes: readonly PriceChange[] },
): Promise<Result<Applied, F>> {
  const imports = calls.priceImport;
  const begun = await imports.begin(wanted);
  if (!begun.ok) return begun;
  const one = { list: wanted.list, import: begun.value.import };
  let done: Result<unknown, F> = begun;
  for (let at = 0; at < changes.length && done.ok; at += priceLinesMax) {
    done = await imports.stage({ ...one, prices: changes.slice(at, at + priceLinesMax) });
  }
  const published = done.ok ? await imports.publish({ ...one, effectiveAt: wanted.effectiveAt }) : done;
  // After some refusals the gateway has already dropped the import. Dropping the import a second time does nothing.
  if (!published.ok) await imports.drop(one);
  return published;
}
