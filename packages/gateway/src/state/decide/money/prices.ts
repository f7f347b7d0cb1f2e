/* Commands of the operator about the versions of price lists: small changes, and versions that are withdrawn. */

import type { Micros } from '@morsel/api/values/money.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { search } from '../../tables/lookup.ts';
import type { Reads } from '../../rows/reads.ts';
import {
  importByName,
  priceImportTable,
  priceListByName,
  priceVersionTable,
  unitPriceTable,
  type PriceListRow,
  type PriceVersionRow,
} from '../../tables/price.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import type { RowOf } from '../../tables/table.ts';
import { conflict, missing, type Decided } from '../decided.ts';
import { readPriceList, priceListNamed, underWay } from './price-list-named.ts';

/** The most future versions of a list. Each version is a table in memory. */
const pendingMax = 8;
/** The most changes of a list before a future version takes effect. One change a second for twelve days fits. */
const placesBetween = 2 ** 20;
/**
 * A version cannot be withdrawn this shortly before it takes effect, because a message may already be priced with it.
 */
const withdrawMarginMs = 10 * secondMs;

/** The version in effect, if there is one, and the future ones. */
const versionsFrom = search<[priceList: number, at: Instant]>()('price_list_version.from', priceVersionTable);

/** The price of a prefix in the version at a place. */
const priceAt = search<[priceList: number, prefix: string, place: number]>()('price.at', unitPriceTable);

/** The place of a version in the order of versions. */
interface Place {
  readonly place: number;
  /** The place of the next future version that replaces the whole list; null if there is none. */
  readonly pinned: number | null;
}

interface NewPrice {
  readonly prefix: string;
  readonly unitPrice: Micros | null;
}

interface SetPrices {
  readonly at: Instant;
  readonly list: string;
  readonly currency: string | null;
  readonly prices: readonly { readonly prefix: string; readonly unitPrice: Micros }[];
}

/**
 * Makes a version of a list in which only the given prefixes have new prices. Creates the list if it does not exist and
 * a currency is given.
 */
export const setPricesCommand = {
  isSetting: true,
  reads(read: Reads, { list: name, at, prices }: SetPrices): void {
    const list = readVersions(read, name, at);
    if (list) readPinned(read, { priceList: list.id, pinned: wholeAfter(versionsOf(read.rows, list.id), at) }, prices);
    // An earlier command of the group may publish the import.
    const coming = read.one(importByName, name);
    if (coming?.isWhole === true) readPinned(read, { ...coming, pinned: coming.place }, prices);
  },
  decide(rows: Rows, command: SetPrices): Decided<{ readonly version: number }> {
    if (rows.one(importByName, command.list)) return refused(underWay(command.list));
    const list = priceListNamed(rows, { name: command.list, currency: command.currency, at: command.at });
    if (!list.ok) return list;
    const { at } = command;
    const found = placeFor(rows, list.value, { effectiveAt: at, at });
    if (!found.ok) return found;
    const added = addPrices(rows, { ...found.value, list: list.value.name, priceList: list.value.id }, command.prices);
    if (!added.ok) return added;
    const { place } = found.value;
    const version = list.value.lastVersion + 1;
    const made = { version, effectiveAt: at, place, isWhole: false };
    addVersion(rows, list.value, { ...made, createdAt: at, changes: command.prices.length });
    return ok({ version });
  },
};

interface WithdrawPrices {
  readonly at: Instant;
  /** The id for `sweep-prices`. */
  readonly id: string;
  readonly list: string;
  readonly version: number;
}

/** Withdraws the newest version of a list before it takes effect. Its prices are swept later. */
export const withdrawPricesCommand = {
  isSetting: true,
  reads(read: Reads, { list, at }: WithdrawPrices): void {
    readVersions(read, list, at);
  },
  decide: decideWithdrawPrices,
};

function decideWithdrawPrices(rows: Rows, command: WithdrawPrices): Decided<null> {
  const { list: name, version, at } = command;
  const list = rows.one(priceListByName, name);
  if (!list) return missing(`there is no price list named ${name}`);
  if (rows.one(importByName, name)) return refused(underWay(name));
  const last = versionsOf(rows, list.id).at(-1);
  if (version !== last?.version) {
    return missing(
      `only the last version of a price list can be withdrawn: for ${name}, this is version ${last?.version ?? 0}`,
    );
  }
  if (last.effectiveAt <= at + withdrawMarginMs) {
    return conflict(
      `version ${version} of price list ${name} is in effect, or takes effect within 10 s, so it cannot be withdrawn: import other prices instead`,
    );
  }
  last.change = 'gone';
  // The rows do not show the version after this one until they are loaded again. No command needs it until the
  // withdrawn prices are deleted.
  const { id, currency, base } = list;
  const { place, isWhole } = last;
  const placed = { version, place, isWhole, pinned: null };
  const swept = { id: command.id, name, priceList: id, ...placed, currency, base, createdAt: at };
  rows.add(priceImportTable, { ...swept, isNew: false, isOver: true });
  return ok(null);
}

/** A price list, its import under way, and its versions. */
export function readVersions(read: Reads, name: string, at: Instant): PriceListRow | undefined {
  const list = readPriceList(read, name);
  if (list) read.all(versionsFrom, list.id, at);
  return list;
}

/** Versions in the order in which they take effect, with those of this group. */
export function versionsOf(rows: Rows, list: number): readonly PriceVersionRow[] {
  const found = rows.of(priceVersionTable).filter(({ priceList, change }) => priceList === list && change !== 'gone');
  return found.toSorted((a, b) => a.place - b.place);
}

/** The version in effect at an instant, and the next one after it. */
export function around(versions: readonly PriceVersionRow[], at: Instant) {
  const before = versions.findLast((each) => each.effectiveAt <= at);
  return { before, after: versions.find((each) => each.effectiveAt > at) };
}

/** The place of the next version after an instant that replaces the whole list. */
function wholeAfter(versions: readonly PriceVersionRow[], at: Instant): number | undefined {
  return versions.find(({ effectiveAt, isWhole }) => effectiveAt > at && isWhole)?.place;
}

/**
 * The place of a new version in the order of versions. `pinned` is the place of the next future version that replaces
 * the whole list.
 */
export function placeFor(
  rows: Rows,
  { id, name }: PriceListRow,
  { effectiveAt, at }: { readonly effectiveAt: Instant; readonly at: Instant },
): Result<Place, Rejection> {
  const versions = versionsOf(rows, id);
  if (effectiveAt > at && versions.filter((each) => each.effectiveAt > at).length >= pendingMax) {
    return conflict(
      `price list ${name} already has ${pendingMax} future versions, which is the maximum: wait until one takes effect, or withdraw the last one`,
    );
  }
  const { before, after } = around(versions, effectiveAt);
  const below = before?.place ?? 0;
  // A future version leaves places free for changes that take effect before it.
  const room = after === undefined ? placesBetween : Math.floor((after.place - below) / 2);
  const place = below + (effectiveAt > at ? room : 1);
  if (after !== undefined && (place <= below || place >= after.place)) {
    return conflict(
      `no more changes fit before version ${after.version} of price list ${name}: withdraw that version first, with price withdraw ${name} --version ${after.version}`,
    );
  }
  return ok({ place, pinned: wholeAfter(versions, effectiveAt) ?? null });
}

export function addVersion(rows: Rows, list: PriceListRow, made: Omit<PriceVersionRow, 'change' | 'priceList'>): void {
  list.lastVersion = Math.max(list.lastVersion, made.version);
  touch(list);
  rows.add(priceVersionTable, { priceList: list.id, ...made });
}

/** Of each prefix, the price that a later version keeps, if there is such a version. */
export function readPinned(
  read: Reads,
  { priceList, pinned }: { readonly priceList: number; readonly pinned: number | null | undefined },
  prices: readonly { readonly prefix: string }[],
): void {
  if (typeof pinned === 'number') for (const { prefix } of prices) read.one(priceAt, priceList, prefix, pinned);
}

/**
 * Adds prices at a place. The version at the place `pinned` keeps the price of each prefix as it is without them, unless
 * that version or one between has its own price.
 */
export function addPrices(
  rows: Rows,
  { list, priceList, place, pinned }: Place & { readonly list: string; readonly priceList: number },
  prices: readonly NewPrice[],
): Result<null, Rejection> {
  if (pinned !== null) {
    // The version to keep was made by this very group, so what it says is not loaded.
    if (prices.some(({ prefix }) => !rows.isLoaded(priceAt, [priceList, prefix, pinned])))
      return refused(underWay(list));
    pin(rows, { priceList, place, pinned }, prices);
  }
  for (const { prefix, unitPrice } of prices) rows.add(unitPriceTable, { priceList, prefix, place, unitPrice });
  return ok(null);
}

function pin(
  rows: Rows,
  { priceList, place, pinned }: { readonly priceList: number; readonly place: number; readonly pinned: number },
  prices: readonly NewPrice[],
): void {
  // The loaded prices, and those that earlier commands of the group made.
  const latest = new Map<string, RowOf<typeof unitPriceTable>>();
  for (const each of rows.of(unitPriceTable)) {
    if (each.priceList !== priceList || each.place > pinned || each.change === 'gone') continue;
    if (each.place > (latest.get(each.prefix)?.place ?? -1)) latest.set(each.prefix, each);
  }
  for (const { prefix } of prices) {
    const found = latest.get(prefix);
    if (found && found.place > place) continue;
    rows.add(unitPriceTable, { priceList, prefix, place: pinned, unitPrice: found?.unitPrice ?? null });
  }
}
