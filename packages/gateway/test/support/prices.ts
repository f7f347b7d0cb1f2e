import { parseMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { done } from './done.ts';

/** Prices by prefix, as the operator's calls take them. */
export function pricesOf(prices: { readonly [prefix: string]: string }): { prefix: string; price: Micros }[] {
  return Object.entries(prices).map(([prefix, price]) => ({ prefix, price: done(parseMicros(price)) }));
}
