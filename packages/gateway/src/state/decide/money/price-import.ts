/*
 * Imports of prices. A large version is staged under a number that no reader asks for yet. A command that writes one row
 * then makes it valid, so no other command waits for an import.
 */

import type { PriceChange } from '@morsel/api/values/price.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { query } from '../../tables/lookup.ts';
import type { Reads } from '../../rows/reads.ts';
import { text } from '../../tables/column.ts';
import {
  importById,
  importByName,
  priceImportTable,
  priceListByName,
  priceListTable,
  unitPriceTable,
  type PriceImportRow,
  type PriceListRow,
} from '../../tables/price.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { shape } from '../../tables/table.ts';
import { conflict, missing, type Decided } from '../decided.ts';
import { baseNamed, readBase, setBase } from './price-list.ts';
import { newPriceList, priceListNamed, underWay } from './price-list-named.ts';
import { addPrices, addVersion, around, readPinned, readVersions, placeFor, versionsOf } from './prices.ts';

/** Nothing else changes the prices of this list until the import is published or swept. */
export interface BeginPriceImport {
  readonly at: Instant;
  readonly id: string;
  readonly list: string;
  /** Makes the list if it does not exist; null if it must exist. */
  readonly currency: string | null;
  /** Of a new list; null for none, or for the present one. */
  readonly base: string | null;
  /**
   * The version in effect when the import takes effect, with which its changes were made. With any other version the
   * import is refused. 0 for none.
   */
  readonly from: number;
  readonly effectiveAt: Instant | null;
  /** The import holds all prices of the list. Changes that take effect before it do not reach into it. */
  readonly isWhole: boolean;
}

interface PriceImportBegun {
  readonly priceList: number;
  readonly version: number;
}

export const beginPriceImportCommand = {
  isSetting: true,
  reads(read: Reads, { list, base, at }: BeginPriceImport): void {
    readVersions(read, list, at);
    if (base !== null) readBase(read, base);
  },
  decide: decideBeginPriceImport,
};

function decideBeginPriceImport(rows: Rows, command: BeginPriceImport): Decided<PriceImportBegun> {
  if (rows.one(importByName, command.list)) return refused(underWay(command.list));
  const known = rows.one(priceListByName, command.list);
  const list = known ? priceListNamed(rows, { ...command, name: command.list }) : makeList(rows, command);
  if (!list.ok) return list;
  const base = command.base === null ? ok(list.value.base) : baseNamed(rows, list.value, command.base);
  if (!base.ok) return base;
  if (known && base.value !== known.base) {
    return conflict(
      `the base of price list ${known.name} is not ${command.base}: change the base with price base first`,
    );
  }
  const effectiveAt = command.effectiveAt ?? command.at;
  const from = around(versionsOf(rows, list.value.id), effectiveAt).before?.version ?? 0;
  if (command.from !== from) {
    return conflict(
      `these changes were made for version ${command.from} of price list ${command.list}, but version ${from} is in effect at that time: check the changes and try again`,
    );
  }
  const found = placeFor(rows, list.value, { effectiveAt, at: command.at });
  if (!found.ok) return found;
  list.value.lastVersion += 1;
  touch(list.value);
  const row = rows.add(priceImportTable, {
    id: command.id,
    name: command.list,
    priceList: list.value.id,
    version: list.value.lastVersion,
    ...found.value,
    isWhole: command.isWhole,
    currency: list.value.currency,
    base: base.value,
    isNew: !known,
    isOver: false,
    createdAt: command.at,
  });
  return ok({ priceList: row.priceList, version: row.version });
}

/** Creates a price list. It is visible once it has a version. */
function makeList(rows: Rows, { list: name, currency, at }: BeginPriceImport): Result<PriceListRow, Rejection> {
  if (currency === null) return missing(`there is no price list named ${name}: give a currency to create it`);
  return ok(newPriceList({ id: rows.nextId(priceListTable), name, currency, createdAt: at }));
}

/** Adds prices to the version of an import. Each prefix comes once. */
interface StagePrices {
  readonly at: Instant;
  readonly id: string;
  readonly prices: readonly PriceChange[];
}

export const stagePricesCommand = {
  reads(read: Reads, { id, prices }: StagePrices): void {
    const row = read.one(importById, id);
    if (row && !row.isOver) readPinned(read, row, prices);
  },
  decide(rows: Rows, { id, prices }: StagePrices): Decided<null> {
    const row = importWithId(rows, id);
    return row.ok ? addPrices(rows, { ...row.value, list: row.value.name }, prices) : row;
  },
};

/** Makes the version of an import valid, from `effectiveAt` on, or from now. */
interface PublishPrices {
  readonly at: Instant;
  readonly id: string;
  readonly effectiveAt: Instant | null;
  /** Number of staged prices. */
  readonly changes: number;
}

export interface PricesPublished {
  readonly list: string;
  readonly version: number;
  readonly effectiveAt: Instant;
}

export const publishPricesCommand = {
  isSetting: true,
  reads(read: Reads, { id, at }: PublishPrices): void {
    const row = read.one(importById, id);
    if (row) readVersions(read, row.name, at);
  },
  decide: decidePublishPrices,
};

function decidePublishPrices(rows: Rows, command: PublishPrices): Decided<PricesPublished> {
  const found = importWithId(rows, command.id);
  if (!found.ok) return found;
  const row = found.value;
  const { name, currency } = row;
  const list = row.isNew
    ? newPriceList({ id: row.priceList, name, currency, createdAt: command.at })
    : rows.one(priceListByName, name);
  if (!list) return missing(`there is no price list named ${name}`);
  // A version cannot take effect in the past.
  const effectiveAt = Math.max(command.effectiveAt ?? command.at, command.at);
  const { before, after } = around(versionsOf(rows, list.id), effectiveAt);
  if ((before?.place ?? 0) >= row.place || (after !== undefined && after.place <= row.place)) {
    return conflict(
      `another version of price list ${name} took effect while prices were imported: start the import again`,
    );
  }
  if (row.isNew) {
    rows.add(priceListTable, list);
    if (row.base !== null) setBase(rows, list, { base: row.base, at: command.at });
  }
  const { version, place, isWhole } = row;
  addVersion(rows, list, { version, effectiveAt, place, isWhole, createdAt: command.at, changes: command.changes });
  row.change = 'gone';
  return ok({ list: name, version, effectiveAt });
}

/** Deletes at most `max` prices of an import that failed. The import takes no more prices. */
interface SweepPrices {
  readonly at: Instant;
  readonly id: string;
  readonly max: number;
}

const prefixesAt = query<[priceList: number, place: number, max: number]>()('price.prefixes', shape({ prefix: text }));

export const sweepPricesCommand = {
  reads(read: Reads, { id, max }: SweepPrices): void {
    const row = read.one(importById, id);
    if (row) read.values(prefixesAt, row.priceList, row.place, max);
  },
  decide(rows: Rows, { id, max }: SweepPrices): Decided<{ readonly isDone: boolean }> {
    const row = rows.one(importById, id);
    if (!row) return ok({ isDone: true });
    const { priceList, place } = row;
    const swept = row.change === 'new' ? [] : rows.values(prefixesAt, priceList, place, max);
    for (const { prefix } of swept)
      rows.add(unitPriceTable, { change: 'gone', priceList, place, prefix, unitPrice: null });
    // An earlier command of the group may have staged prices, or withdrawn a version: its prices are not loaded here.
    const isDone = row.isOver && row.change === 'none' && swept.length < max;
    if (isDone) row.change = 'gone';
    row.isOver = true;
    touch(row);
    return ok({ isDone });
  },
};

function importWithId(rows: Rows, id: string): Result<PriceImportRow, Rejection> {
  const row = rows.one(importById, id);
  if (row && !row.isOver) return ok(row);
  return missing(
    'this import no longer exists, because it was given up without changing a price: start the import again',
  );
}
