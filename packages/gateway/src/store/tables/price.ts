import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Change } from './change.ts';

/* Rows of price lists. */

export interface PriceListRow {
  change: Change;
  readonly id: number;
  readonly name: string;
  readonly currency: string;
  readonly createdAt: Instant;
  base: number | null;
  /** The greatest version number given out. */
  lastVersion: number;
  /** The version in effect, if there is one, and the future ones, in the order in which they take effect. */
  readonly versions: PlacedVersion[];
}

/** A version and its place in the order of its list. */
export interface PlacedVersion {
  readonly version: number;
  readonly effectiveAt: Instant;
  /** Versions take effect in this order, whatever their numbers. */
  readonly place: number;
  /** It has all prices of the list: no earlier change reaches into it. */
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
  /** The place of a later version that keeps the former price of this prefix; null if none does. */
  readonly pinned: number | null;
  /** Null if the version has no price for it. */
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

/** Names, a few of each kind at most. */
export interface PriceListUsers {
  readonly accounts: readonly string[];
  readonly carriers: readonly string[];
  /** Lists that stand on it. */
  readonly lists: readonly string[];
}

/** Price lists that one group has loaded and made. */
export class PriceRows {
  readonly listsByName = new Map<string, PriceListRow>();
  /** The base of every list; loaded for commands that change one. */
  readonly bases = new Map<number, number | null>();
  readonly removedLists: { readonly id: number; readonly at: Instant }[] = [];
  /** The users of a list that is to be removed, by its id. */
  readonly users = new Map<number, PriceListUsers>();
  /** Imports under way, by the names of their lists. */
  readonly imports = new Map<string, PriceImportRow>();
  readonly importsById = new Map<string, PriceImportRow>();
  readonly importsGone: PriceImportRow[] = [];
  readonly versions: PriceVersionRow[] = [];
  readonly versionsGone: Pick<PriceVersionRow, 'priceList' | 'version'>[] = [];
  readonly prices: PriceChange[] = [];
  /** Staged prices to delete, by the id of their import, no more than the command allows. */
  readonly swept = new Map<string, readonly string[]>();
  /** Changes of bases: what each list stands on from then on. */
  readonly basesSince: { readonly priceList: number; readonly since: Instant; readonly base: number | null }[] = [];
  readonly pricesGone: Omit<PriceChange, 'unitPrice' | 'pinned'>[] = [];
}
