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

/** The prefix whose price a receiver has: what the operator wants to see beside it. */
export function pricePrefix(list: PriceList | undefined, receiver: string): string | undefined {
  const digits = receiver.replace('+', '');
  for (let length = digits.length; length >= 0; length--) {
    const prefix = digits.slice(0, length);
    if (list?.prices.get(prefix) !== undefined) return prefix;
  }
  return undefined;
}

/** A price and the version of the list it came from. */
export interface Rated {
  readonly priceList: number;
  readonly priceVersion: number;
  readonly unitPrice: Micros;
  readonly totalCost: Micros;
}
