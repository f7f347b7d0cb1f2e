import type { Micros } from '../../values/money.ts';
import { readPriceLines, type Prices } from '../../values/price.ts';
import { ok, type Result } from '../../values/result.ts';
import type { Instant } from '../../values/time.ts';
import type { AdminCalls } from '../client.ts';
import type { AnswerOf, GivenOf } from '../resource.ts';
import type { price } from './price.ts';

/* Reads whole price lists from the gateway. */

type Lists = typeof price.operations;
type PriceCalls<F> = Pick<AdminCalls<F>, 'price'>;

/** A price list with all its versions, in the order in which they take effect. */
export type KnownList = AnswerOf<Lists['versions']>;

/** The version that was in effect at that time; 0 if there was none. */
export function versionThen({ versions }: KnownList, at: Instant): number {
  return versions.findLast((each) => each.effectiveAt <= at)?.version ?? 0;
}

export interface ListVersion extends Omit<AnswerOf<Lists['export']>, 'prices' | 'next'> {
  /** The prices of the list itself, without those of its base. */
  readonly prices: Prices;
}

/**
 * Asks for all prices of a list, without those of its base: in the given version, or in that in effect at a given time
 * or now.
 */
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
