import { toMicros } from './money.ts';
import type { Micros } from './money.ts';
import type { PriceList } from './snapshot.ts';

/** What a message costs: the price a part of the longest matching prefix, times parts. No price is never free. */
export function rate(list: PriceList | undefined, receiver: string, numParts: number): Rated | undefined {
  const unitPrice = list?.prices.longest(receiver);
  if (list === undefined || unitPrice === undefined) return undefined;
  return {
    priceList: list.id,
    priceVersion: list.version,
    unitPrice,
    totalCost: toMicros(unitPrice * BigInt(numParts)),
  };
}

/** A price and the version of the list it came from. */
export interface Rated {
  readonly priceList: number;
  readonly priceVersion: number;
  readonly unitPrice: Micros;
  readonly totalCost: Micros;
}
