import { toMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { versionAt } from './price-list.ts';
import type { PriceList, PriceVersion } from './price-list.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/**
 * What a message costs that is accepted at `at`: the price a part of the longest prefix that its list or one of the lists
 * below it has, times parts. No price is never free.
 */
export function rate(
  list: PriceList | undefined,
  receiver: string,
  { numParts, at }: { readonly numParts: number; readonly at: Instant },
): Rated | undefined {
  let matched: PriceList | undefined;
  let version: PriceVersion | undefined;
  let slot = -1;
  let longest = 0;
  for (let each = list; each !== undefined; each = each.base) {
    const valid = versionAt(each, at);
    const found = valid?.prices.find(receiver) ?? -1;
    if (valid === undefined || found === -1) continue;
    const key = valid.prices.keyAt(found);
    if (key <= longest) continue;
    matched = each;
    version = valid;
    slot = found;
    longest = key;
  }
  if (matched === undefined || version === undefined) return undefined;
  const unitPrice = version.prices.priceAt(slot);
  return {
    priceList: matched.id,
    priceVersion: version.version,
    unitPrice,
    totalCost: toMicros(unitPrice * BigInt(numParts)),
  };
}

/** The prefix whose price a receiver has in a version of the list that has it: what the operator wants to see beside it. */
export function pricePrefix(list: PriceList | undefined, receiver: string, version: number): string | undefined {
  const prices = list?.versions.find((each) => each.version === version)?.prices;
  const slot = prices?.find(receiver) ?? -1;
  // Without the 1 that keys begin with.
  return prices === undefined || slot === -1 ? undefined : String(prices.keyAt(slot)).slice(1);
}

/** A price, and the version of the list that it came from: the account's, or one below it. */
export interface Rated {
  readonly priceList: number;
  readonly priceVersion: number;
  readonly unitPrice: Micros;
  readonly totalCost: Micros;
}
