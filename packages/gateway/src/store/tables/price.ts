/* Price lists, their versions and prices, and imports of prices. */

import type { Instant } from '@morsel/api/values/time.ts';
import { flag, integer, micros, nullable, text } from './column.ts';
import { table } from './table.ts';
import type { RowOf } from './table.ts';

export const priceListTable = table('price_list', {
  key: ['id'],
  fixed: { id: integer, name: text, currency: text, createdAt: integer, removedAt: nullable(integer) },
  moving: {
    base: nullable(integer),
    /** The greatest version number given out. */
    lastVersion: integer,
  },
});

export interface PriceListRow extends RowOf<typeof priceListTable> {
  /** The version in effect, if there is one, and the future ones, in the order in which they take effect. */
  readonly versions: PriceVersionRow[];
  /** When its base was changed last; 0 for never. */
  basedSince: Instant;
}

export const priceVersionTable = table('price_list_version', {
  key: ['price_list', 'version'],
  fixed: {
    priceList: integer,
    version: integer,
    effectiveAt: integer,
    /** The versions of a list take effect in this order, whatever their numbers. */
    place: integer,
    /** It has all prices of the list: no earlier change reaches into it. */
    isWhole: flag,
    createdAt: integer,
    /** The number of prices that it sets. */
    changes: integer,
  },
});
export type PriceVersionRow = RowOf<typeof priceVersionTable>;

/** What each list had as its base, and from when on. */
export const priceBaseTable = table('price_list_base', {
  key: ['price_list', 'since'],
  fixed: { priceList: integer, since: integer, base: nullable(integer) },
});
type PriceBaseRow = Omit<RowOf<typeof priceBaseTable>, 'change'>;

export const unitPriceTable = table('price', {
  key: ['price_list', 'prefix', 'place'],
  fixed: {
    priceList: integer,
    prefix: text,
    /** Of its version. */
    place: integer,
    /** Null if the version has no price for it. */
    unitPrice: nullable(micros),
  },
});

export interface PriceChange extends Omit<RowOf<typeof unitPriceTable>, 'change'> {
  /** The place of a later version that keeps the former price of this prefix; null if none does. */
  readonly pinned: number | null;
}

/** Imports under way, and versions whose prices are being deleted. */
export const priceImportTable = table('price_import', {
  key: ['id'],
  fixed: {
    id: text,
    /** The name of its list, which may be created with the import. */
    name: text,
    priceList: integer,
    version: integer,
    place: integer,
    isWhole: flag,
    pinned: nullable(integer),
    currency: text,
    base: nullable(integer),
    /** Its list is created with it. */
    isNew: flag,
    createdAt: integer,
  },
  /** Whether the import failed: its prices are to be deleted. */
  moving: { isOver: flag },
});
export type PriceImportRow = RowOf<typeof priceImportTable>;

/** Names, a few of each kind at most. */
export interface PriceListUsers {
  readonly accounts: readonly string[];
  readonly carriers: readonly string[];
  /** Lists that have it as their base. */
  readonly lists: readonly string[];
}

/** Price lists that one group has loaded and made. */
export class PriceRows {
  readonly listsByName = new Map<string, PriceListRow>();
  /** The base of every list; loaded for commands that change one. */
  readonly bases = new Map<number, number | null>();
  readonly removedLists: PriceListRow[] = [];
  /** The users of a list that is to be removed, by its id. */
  readonly users = new Map<number, PriceListUsers>();
  /** Imports under way, by the names of their lists. */
  readonly imports = new Map<string, PriceImportRow>();
  readonly importsById = new Map<string, PriceImportRow>();
  readonly importsGone: PriceImportRow[] = [];
  readonly versionsGone: PriceVersionRow[] = [];
  readonly prices: PriceChange[] = [];
  /** Staged prices to delete, by the id of their import, no more than the command allows. */
  readonly swept = new Map<string, readonly string[]>();
  /** Changes of bases: what each list stands on from then on. */
  readonly basesSince: PriceBaseRow[] = [];
  readonly pricesGone: Pick<PriceChange, 'priceList' | 'place' | 'prefix'>[] = [];
}
