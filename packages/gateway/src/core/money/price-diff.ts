import { toMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';

export type Prices = ReadonlyMap<string, Micros>;

/** A prefix with a different price; undefined on the side without a price. */
export interface PriceDifference {
  readonly prefix: string;
  readonly formerPrice: Micros | undefined;
  readonly newPrice: Micros | undefined;
}

export interface PriceComparison {
  /** Ordered by prefix. */
  readonly differences: readonly PriceDifference[];
  readonly added: number;
  readonly up: number;
  readonly down: number;
  readonly removed: number;
  readonly unchanged: number;
}

/** The differences between the prices of `before` and of `after`. */
export function comparePrices(before: Prices, after: Prices): PriceComparison {
  const counts = { added: 0, up: 0, down: 0, removed: 0, unchanged: 0 };
  const differences: PriceDifference[] = [];
  for (const [prefix, price] of after) {
    const former = before.get(prefix);
    if (former === price) {
      counts.unchanged += 1;
      continue;
    }
    counts[former === undefined ? 'added' : former < price ? 'up' : 'down'] += 1;
    differences.push({ prefix, formerPrice: former, newPrice: price });
  }
  for (const [prefix, price] of before) {
    if (after.has(prefix)) continue;
    counts.removed += 1;
    differences.push({ prefix, formerPrice: price, newPrice: undefined });
  }
  return { ...counts, differences: differences.toSorted((a, b) => (a.prefix < b.prefix ? -1 : 1)) };
}

const whole = 1_000_000n;

/** Whether a price changes by more than this percentage, in millionths. New and removed prices do not count. */
export function isOver({ formerPrice: before, newPrice: after }: PriceDifference, percent: Micros): boolean {
  if (before === undefined || after === undefined) return false;
  const change = after > before ? after - before : before - after;
  return change * 100n * whole > percent * before;
}

/** The change in per cent, in millionths and truncated; undefined if there is nothing to compare with. */
export function changeInPercent({ formerPrice: before, newPrice: after }: PriceDifference): Micros | undefined {
  if (before === undefined || after === undefined || before === 0n) return undefined;
  return toMicros(((after - before) * 100n * whole) / before);
}
