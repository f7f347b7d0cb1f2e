import type { PriceTable } from './price-table.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** One version of a price list. A version never changes once it is in effect. */
export interface PriceVersion {
  readonly version: number;
  /** When the version takes effect; 0 if it was already in effect when it was loaded. */
  readonly effectiveAt: Instant;
  readonly prices: PriceTable;
}

/** A price list, with its versions in order of time. */
export interface PriceList {
  readonly id: number;
  readonly name: string;
  readonly currency: string;
  /** Has the prices that this list lacks. The longest prefix in either list counts; if both have it, this list wins. */
  readonly base: PriceList | undefined;
  readonly versions: readonly PriceVersion[];
}

/** Most lists in a chain: a price list, its base list, the base of that, and so on. A look-up searches all of them. */
export const chainMax = 4;

/** The version that is in effect at a time; so a price change takes effect exactly on time. */
export function versionAt(list: PriceList, at: Instant): PriceVersion | undefined {
  for (let index = list.versions.length - 1; index >= 0; index--) {
    const version = list.versions[index];
    if (version !== undefined && version.effectiveAt <= at) return version;
  }
  return undefined;
}
