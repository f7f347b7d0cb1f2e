import type { PriceTable } from './price-table.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** A version of a list: its prices from an instant on, until a later version. It never changes once it is in effect. */
export interface PriceVersion {
  readonly version: number;
  /** 0 if it was already in effect when it was read. */
  readonly effectiveAt: Instant;
  /** The list's own prices, without those of its base. */
  readonly prices: PriceTable;
}

/** The current version of a list and its pending ones, in the order of their time. */
export interface PriceList {
  readonly id: number;
  readonly name: string;
  readonly currency: string;
  /** Its base list. The longest prefix of both counts; for the same prefix, the list itself wins. */
  readonly base: PriceList | undefined;
  readonly versions: readonly PriceVersion[];
}

/** A list followed by its bases: a lookup looks into all of them. */
export const chainMax = 4;

/** The version in effect at an instant, so a change takes effect exactly on time. */
export function versionAt(list: PriceList, at: Instant): PriceVersion | undefined {
  for (let index = list.versions.length - 1; index >= 0; index--) {
    const version = list.versions[index];
    if (version !== undefined && version.effectiveAt <= at) return version;
  }
  return undefined;
}
