import { toMicros, type Micros } from '../../values/money.ts';
import type { Prices } from '../../values/price.ts';

/* Finds the differences between two sets of prices. */

/** `before` or `after` is null if that set has no price for the prefix. */
export type PriceDifference = {
  readonly prefix: string;
  readonly before: Micros | null;
  readonly after: Micros | null;
};

export interface PriceComparison {
  /** The prefixes whose price differs, ordered by prefix. */
  readonly differences: readonly PriceDifference[];
  readonly counts: { readonly new: number; readonly up: number; readonly down: number } & {
    readonly removed: number;
    readonly unchanged: number;
  };
}

export function comparePrices(before: Prices, after: Prices): PriceComparison {
  const counts = { new: 0, up: 0, down: 0, removed: 0, unchanged: 0 };
  const differences: PriceDifference[] = [];
  for (const [each, price] of after) {
    const former = before.get(each) ?? null;
    if (former === price) {
      counts.unchanged += 1;
      continue;
    }
    counts[former === null ? 'new' : former < price ? 'up' : 'down'] += 1;
    differences.push({ prefix: each, before: former, after: price });
  }
  for (const [each, price] of before) {
    if (after.has(each)) continue;
    counts.removed += 1;
    differences.push({ prefix: each, before: price, after: null });
  }
  return { counts, differences: differences.toSorted((a, b) => (a.prefix < b.prefix ? -1 : 1)) };
}

/** The change in millionths of a per cent, truncated. Undefined if a price is missing, or the old one is 0. */
export function changeInPercent({ before, after }: PriceDifference): Micros | undefined {
  if (before === null || after === null || before === 0n) return undefined;
  return toMicros(((after - before) * 100n * 1_000_000n) / before);
}

/** Whether a price changes by more than `share`, in millionths of a per cent. New and removed prices do not count. */
export function isOver({ before, after }: PriceDifference, share: Micros): boolean {
  if (before === null || after === null) return false;
  const change = after > before ? after - before : before - after;
  return change * 100n * 1_000_000n > share * before;
}
