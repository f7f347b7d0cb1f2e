import type { MarginMin } from '@morsel/api/values/margin.ts';
import { toMicros, type Micros } from '@morsel/api/values/money.ts';

const whole = 100n * 1_000_000n;

/** The margin: price minus cost, both in the same currency. */
export function marginOf(price: Micros, cost: Micros): Micros {
  return toMicros(price - cost);
}

/** Whether the margin is below the minimum. The calculation uses integers, so it is exact for every percentage. */
export function isBelowMargin({ isPercent, leastLeft }: MarginMin, price: Micros, cost: Micros): boolean {
  const margin = marginOf(price, cost);
  return isPercent ? margin * whole < leastLeft * price : margin < leastLeft;
}
