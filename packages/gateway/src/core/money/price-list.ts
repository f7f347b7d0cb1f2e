import type { PriceTable } from './price-table.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** What a list says from an instant on, until a later version does. It never changes once it holds. */
export interface PriceVersion {
  readonly version: number;
  /** 0 for one that held already when it was read. */
  readonly effectiveAt: Instant;
  /** The list's own prices, without those of its base. */
  readonly prices: PriceTable;
}

/** The versions of a list that matter: the one that holds, and those still to come, in the order of their time. */
export interface PriceList {
  readonly id: number;
  readonly name: string;
  readonly currency: string;
  /** What holds where the list itself says nothing: the longest prefix of both counts, and the list's own of two alike. */
  readonly base: PriceList | undefined;
  readonly versions: readonly PriceVersion[];
}

/** Lists that stand on each other, the first of them included: a lookup looks into all of them. */
export const chainMax = 4;

/** The version that holds at an instant, so that a change comes exactly on time, and nobody has to be told. */
export function versionAt(list: PriceList, at: Instant): PriceVersion | undefined {
  for (let index = list.versions.length - 1; index >= 0; index--) {
    const version = list.versions[index];
    if (version !== undefined && version.effectiveAt <= at) return version;
  }
  return undefined;
}
