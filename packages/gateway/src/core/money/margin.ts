import type { MarginMin } from '@morsel/api/values/margin.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';

const whole = 100n * 1_000_000n;

/** What is left of a price, of one money with the cost. */
export function marginOf(price: Micros, cost: Micros): Micros {
  return toMicros(price - cost);
}

/** Whether less is left than has to be; exact, whatever the per cent. */
export function isBelowMargin({ isPercent, leastLeft }: MarginMin, price: Micros, cost: Micros): boolean {
  const margin = marginOf(price, cost);
  return isPercent ? margin * whole < leastLeft * price : margin < leastLeft;
}
