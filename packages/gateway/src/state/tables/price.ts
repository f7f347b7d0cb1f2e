/* Price lists, their versions and prices, and imports of prices. */

import { by } from './lookup.ts';
import { flag, idOf, integer, micros, nullable, text, within } from './column.ts';
import { table, type RowOf } from './table.ts';

export const priceListTable = table('price_list', {
  isAudited: true,
  key: ['id'],
  ids: 'operator',
  // Lists that an import is creating have no row here yet, but prices.
  takenIds: { table: 'price_import', column: 'price_list' },
  indexes: { price_list_name: { on: ['name'], isUnique: true } },
  fixed: { id: integer, name: text, currency: text, createdAt: integer, removedAt: nullable(integer) },
  moving: {
    base: nullable(idOf('price_list')),
    /** The highest version number that the list has given out. */
    lastVersion: integer,
  },
});

export type PriceListRow = RowOf<typeof priceListTable>;
export const priceListByName = by(priceListTable, ['name']);

export const priceVersionTable = table('price_list_version', {
  isAudited: true,
  key: ['price_list', 'version'],
  indexes: { price_list_place: { on: ['price_list', 'place'], isUnique: true } },
  fixed: {
    priceList: idOf('price_list'),
    version: integer,
    effectiveAt: integer,
    /** The versions of a list take effect in the order of this place, whatever their numbers are. */
    place: integer,
    /** The version has all prices of the list, so earlier changes do not change its prices. */
    isWhole: flag,
    createdAt: integer,
    /** The number of prices that the version sets. */
    changes: integer,
  },
});
export type PriceVersionRow = RowOf<typeof priceVersionTable>;

/** The base of each list, and the time from which it applies. */
export const priceBaseTable = table('price_list_base', {
  isAudited: true,
  key: ['price_list', 'since'],
  fixed: { priceList: idOf('price_list'), since: integer, base: nullable(idOf('price_list')) },
});

export const unitPriceTable = table('price', {
  key: ['price_list', 'prefix', 'place'],
  indexes: { price_version: { on: ['price_list', 'place'] } },
  fixed: {
    priceList: idOf('price_list'),
    prefix: text,
    /** The place of the version that sets the price. */
    place: integer,
    /** Null if the version removes the price of the prefix. */
    unitPrice: nullable(within({ min: 0 }, micros)),
  },
});

/** Imports under way, and versions whose prices are being deleted. */
export const priceImportTable = table('price_import', {
  key: ['id'],
  indexes: { price_import_name: { on: ['name'], isUnique: true } },
  fixed: {
    id: text,
    /** The name of the price list, which the import may create. */
    name: text,
    priceList: integer,
    version: integer,
    place: integer,
    isWhole: flag,
    pinned: nullable(integer),
    currency: text,
    base: nullable(idOf('price_list')),
    /** The import creates the price list. */
    isNew: flag,
    createdAt: integer,
  },
  /** Whether the import failed, so that its prices must be deleted. */
  moving: { isOver: flag },
});
export type PriceImportRow = RowOf<typeof priceImportTable>;
export const importById = by(priceImportTable, ['id']);
/** The import with this name of its price list. */
export const importByName = by(priceImportTable, ['name']);
