import { toMicros, type Micros } from '@morsel/api/values/money.ts';
import { versionAt, type PriceList, type PriceVersion } from './price-list.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/**
 * The cost of a message that is accepted at the time `at`: the price of the longest matching prefix, times the number
 * of parts. The price comes from the price list or one of its base lists. Undefined if the receiver has no price; such
 * a message is refused, never free.
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

export function pricePrefix(list: PriceList | undefined, receiver: string, version: number): string | undefined {
  const prices = list?.versions.find((each) => each.version === version)?.prices;
  const slot = prices?.find(receiver) ?? -1;
  // Removes the leading 1 of the key.
  return prices === undefined || slot === -1 ? undefined : String(prices.keyAt(slot)).slice(1);
}

/** A price, with the list and the version that it came from. */
export interface Rated {
  readonly priceList: number;
  readonly priceVersion: number;
  readonly unitPrice: Micros;
  readonly totalCost: Micros;
}
