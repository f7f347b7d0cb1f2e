import { parseMicros, type Micros } from '@morsel/api/values/money.ts';
import { done } from '../done.ts';

/** Prices by prefix, in the form of the operator's API. */
export function pricesOf(prices: { readonly [prefix: string]: string }): { prefix: string; price: Micros }[] {
  return Object.entries(prices).map(([prefix, price]) => ({ prefix, price: done(parseMicros(price)) }));
}
