/*
 * Decisions about small changes of a price list, and the places of its versions. `price-import.ts` has large changes.
 */

import type { Micros } from '@morsel/api/values/money.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { invalid, type Rejection } from '../../../core/base/rejection.ts';
import { search } from '../../tables/lookup.ts';
import {
  importByName,
  priceVersionTable,
  unitPriceTable,
  type PriceListRow,
  type PriceVersionRow,
} from '../../tables/price.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import type { RowOf } from '../../tables/table.ts';
import { conflict, inPast } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { isTaken, priceListNamed, underWay } from './price-list-named.ts';

/** The most future versions of a list. Each version takes a table in memory. */
const pendingMax = 8;
/** The most changes of a list before a future version: enough for one change a second for twelve days. */
const placesBetween = 2 ** 20;
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

/**
 * Makes a version of a list in which only the given prefixes have new prices. Creates the list if it does not exist and
 * a currency is given.
 */
const set: Decision<'price.set'> = (rows, input, { at }) => {
  const prices = input.prices.map(({ prefix, price: unitPrice }) => ({ prefix, unitPrice }));
  if (new Set(prices.map(({ prefix }) => prefix)).size < prices.length) {
    return invalid('prices', 'must have each prefix only once');
  }
  const free = input.allowFree ? undefined : prices.find(({ unitPrice }) => unitPrice === 0n);
  if (free) return invalid('prices', `must not be 0 without --allow-free; prefix "${free.prefix}" has a price of 0`);
  if (input.effectiveAt !== undefined && input.effectiveAt <= at) return inPast('effectiveAt');
  const effectiveAt = input.effectiveAt ?? at;
  if (isTaken(rows, input.list)) return refused(underWay(input.list));
  // An earlier command of the group may publish the import, so the prices for that case are loaded, too.
  const coming = rows.one(importByName, input.list);
  if (coming?.isWhole) lookUpPinned(rows, { ...coming, pinned: coming.place }, prices);
  const list = priceListNamed(rows, { name: input.list, currency: input.currency, at });
  if (!list.ok) return list;
  const other = otherThan(input.from, versionsOf(rows, list.value, at), { list: input.list, effectiveAt });
  if (other) return other;
  const found = placeFor(rows, list.value, { effectiveAt, at });
  if (!found.ok) return found;
  const added = addPrices(rows, { ...found.value, list: list.value.name, priceList: list.value.id }, prices);
  if (!added.ok) return added;
  const version = list.value.lastVersion + 1;
  const made = { version, effectiveAt, place: found.value.place, isWhole: false };
  addVersion(rows, list.value, { ...made, createdAt: at, changes: prices.length });
  return ok({ list: input.list, version, effectiveAt });
};

/** Refuses a change that was made for another version than the one in effect when the change takes effect. */
export function otherThan(
  wanted: number | undefined,
  versions: readonly Pick<PriceVersionRow, 'version' | 'effectiveAt'>[],
  { list, effectiveAt }: { readonly list: string; readonly effectiveAt: Instant },
): Result<never, Rejection> | undefined {
  const from = around(versions, effectiveAt).before?.version ?? 0;
  if (wanted === undefined || wanted === from) return undefined;
  return conflict(
    `these changes were made for version ${wanted} of price list ${list}, but version ${from} is in effect at that time: check the changes and try again`,
  );
}

export const priceDecisions = { 'price.set': set };

/** The version in effect and the future ones, by place, including those that this group of commands made. */
export function versionsOf(
  rows: Rows,
  { id: list, change: made }: PriceListRow,
  at: Instant,
): readonly PriceVersionRow[] {
  if (made !== 'new') rows.all(versionsFrom, list, at);
  const found = rows.of(priceVersionTable).filter(({ priceList, change }) => priceList === list && change !== 'gone');
  return found.toSorted((a, b) => a.place - b.place);
}

/** The version in effect at an instant, and the next one after it. */
export function around<V extends Pick<PriceVersionRow, 'effectiveAt'>>(versions: readonly V[], at: Instant) {
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
  list: PriceListRow,
  { effectiveAt, at }: { readonly effectiveAt: Instant; readonly at: Instant },
): Result<Place, Rejection> {
  const { name } = list;
  const versions = versionsOf(rows, list, at);
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

/**
 * Adds prices at a place. The version at the place `pinned` must not change by them. So it gets the prices that the
 * list had before, unless a later version has its own.
 */
export function addPrices(
  rows: Rows,
  { list, priceList, place, pinned }: Place & { readonly list: string; readonly priceList: number },
  prices: readonly NewPrice[],
): Result<null, Rejection> {
  // A rehearsal only loads rows: a copy of thousands of prices would take the writing thread too long.
  if (rows.ask) {
    lookUpPinned(rows, { priceList, pinned }, prices);
    return ok(null);
  }
  if (pinned !== null) {
    // The version at `pinned` was made by the same group of commands, so its prices are not loaded.
    if (prices.some(({ prefix }) => !rows.isLoaded(priceAt, [priceList, prefix, pinned])))
      return refused(underWay(list));
    pin(rows, { priceList, place, pinned }, prices);
  }
  for (const { prefix, unitPrice } of prices) rows.add(unitPriceTable, { priceList, prefix, place, unitPrice });
  return ok(null);
}

/** Loads for each prefix the price in the version at `pinned`, if there is such a version. */
function lookUpPinned(
  rows: Rows,
  { priceList, pinned }: { readonly priceList: number; readonly pinned: number | null },
  prices: readonly NewPrice[],
): void {
  if (pinned !== null) for (const { prefix } of prices) rows.one(priceAt, priceList, prefix, pinned);
}

function pin(
  rows: Rows,
  { priceList, place, pinned }: { readonly priceList: number; readonly place: number; readonly pinned: number },
  prices: readonly NewPrice[],
): void {
  // The loaded prices, and the prices that earlier commands of the group made.
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
