import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Change } from './change.ts';

/* The rows of price lists that a group of commands works on. */

export interface PriceListRow {
  change: Change;
  readonly id: number;
  readonly name: string;
  readonly currency: string;
  readonly createdAt: Instant;
  base: number | null;
  /** The greatest number that was given out for a version. */
  lastVersion: number;
  /** The version that holds, if one does, and those that are still to come, in the order in which they take effect. */
  readonly versions: PlacedVersion[];
}

/** A version among the others of its list. */
export interface PlacedVersion {
  readonly version: number;
  readonly effectiveAt: Instant;
  /** Versions take effect in this order, whichever has the greater number. */
  readonly place: number;
  /** It was given as all that the list says: no earlier change reaches into it. */
  readonly isWhole: boolean;
}

export interface PriceVersionRow extends PlacedVersion {
  readonly priceList: number;
  readonly createdAt: Instant;
  changes: number;
}

export interface PriceChange {
  readonly priceList: number;
  /** Of its version. */
  readonly place: number;
  readonly prefix: string;
  /** The place of a later version that goes on saying what it said of this prefix; null if none does. */
  readonly pinned: number | null;
  /** Null where the version has none any more. */
  readonly unitPrice: Micros | null;
}

export interface PriceImportRow {
  change: Change;
  readonly id: string;
  readonly name: string;
  readonly priceList: number;
  readonly version: number;
  readonly place: number;
  readonly isWhole: boolean;
  readonly pinned: number | null;
  readonly currency: string;
  readonly base: number | null;
  /** Its list is made with it. */
  readonly isNew: boolean;
  isOver: boolean;
  readonly createdAt: Instant;
}

/** Names, at most a few of each kind. */
export interface PriceListUsers {
  readonly accounts: readonly string[];
  readonly carriers: readonly string[];
  /** Lists that stand on it. */
  readonly lists: readonly string[];
}

/** What of price lists one group has loaded and made. */
export class PriceRows {
  readonly listsByName = new Map<string, PriceListRow>();
  /** What each list stands on, of all lists; loaded for commands that change it. */
  readonly bases = new Map<number, number | null>();
  readonly removedLists: { readonly id: number; readonly at: Instant }[] = [];
  /** What still uses a list that is to be removed, by its id. */
  readonly users = new Map<number, PriceListUsers>();
  /** Imports under way, by the names of their lists. */
  readonly imports = new Map<string, PriceImportRow>();
  readonly importsById = new Map<string, PriceImportRow>();
  readonly importsGone: PriceImportRow[] = [];
  readonly versions: PriceVersionRow[] = [];
  readonly versionsGone: Pick<PriceVersionRow, 'priceList' | 'version'>[] = [];
  readonly prices: PriceChange[] = [];
  /** Prices of an import that is swept, by its id: at most as many as were asked for. */
  readonly swept = new Map<string, readonly string[]>();
  /** What lists stand on from then on. */
  readonly basesSince: { readonly priceList: number; readonly since: Instant; readonly base: number | null }[] = [];
  readonly pricesGone: Omit<PriceChange, 'unitPrice' | 'pinned'>[] = [];
}
