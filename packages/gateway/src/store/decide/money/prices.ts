/* Decides commands about price lists: changes, imports, versions, bases and removal. */

import { chainMax } from '../../../core/money/price-list.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type {
  BeginPriceImport,
  PublishPrices,
  RemovePriceList,
  SetPriceBase,
  SetPrices,
  StagePrices,
  SweepPrices,
  WithdrawPrices,
} from '../../commands/price.ts';
import type { PriceImportRow, PriceListRow, PriceVersionRow } from '../../tables/price.ts';
import { rewrite, touch } from '../../tables/rows.ts';
import { accountTable } from '../../tables/account.ts';
import { carrierTable } from '../../tables/route.ts';
import type { Rows } from '../../tables/rows.ts';
import { newPriceList, priceListNamed, underWay } from './price-list-named.ts';
import { conflict, inUse, missing } from '../decided.ts';
import type { Decided } from '../decided.ts';
import type { Results } from '../../commands/commands.ts';

/** The most future versions of a list. Each version is a table in memory. */
const pendingMax = 8;
/** The most changes of a list before a future version takes effect. One change a second for twelve days fits. */
const placesBetween = 2 ** 20;
/**
 * A version cannot be withdrawn this shortly before it takes effect, because a message may already be priced with it.
 */
const withdrawMarginMs = 10 * secondMs;

/**
 * Makes a version of a list in which only the given prefixes have new prices. Creates the list if it does not exist and
 * a currency is given.
 */
export function decideSetPrices(rows: Rows, command: SetPrices): Decided<Results['set-prices']> {
  if (rows.pricing.imports.has(command.list)) return refused(underWay(command.list));
  const list = priceListNamed(rows, { name: command.list, currency: command.currency, at: command.at });
  if (!list.ok) return list;
  const { at } = command;
  const found = placeFor(list.value, at, at);
  if (!found.ok) return found;
  const { place, pinned } = found.value;
  const version = list.value.lastVersion + 1;
  const made = { version, effectiveAt: at, place, isWhole: false };
  addVersion(list.value, { ...made, createdAt: at, changes: command.prices.length });
  for (const { prefix, unitPrice } of command.prices) {
    rows.pricing.prices.push({ priceList: list.value.id, place, prefix, pinned, unitPrice });
  }
  return ok({ version });
}

export function decideBeginPriceImport(rows: Rows, command: BeginPriceImport): Decided<Results['begin-price-import']> {
  const { pricing } = rows;
  if (pricing.imports.has(command.list)) return refused(underWay(command.list));
  const known = pricing.listsByName.get(command.list);
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
  const from = around(list.value, effectiveAt).before?.version ?? 0;
  if (command.from !== from) {
    return conflict(
      `these changes were made for version ${command.from} of price list ${command.list}, but version ${from} is in effect at that time: check the changes and try again`,
    );
  }
  const found = placeFor(list.value, effectiveAt, command.at);
  if (!found.ok) return found;
  list.value.lastVersion += 1;
  touch(list.value);
  const row: PriceImportRow = {
    change: 'new',
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
  };
  addImport(rows, row);
  return ok({ priceList: row.priceList, version: row.version });
}

/** Creates a price list. It is visible once it has a version. */
function makeList(rows: Rows, { list: name, currency, at }: BeginPriceImport): Result<PriceListRow, Rejection> {
  if (currency === null) return missing(`there is no price list named ${name}: give a currency to create it`);
  return ok(newPriceList({ id: rows.counters.priceList++, name, currency, createdAt: at }));
}

export function decideStagePrices(rows: Rows, command: StagePrices): Decided<Results['stage-prices']> {
  const row = importNamed(rows, command.id);
  if (!row.ok) return row;
  const { priceList, place, pinned } = row.value;
  for (const { prefix, unitPrice } of command.prices) {
    rows.pricing.prices.push({ priceList, place, prefix, pinned, unitPrice });
  }
  return ok(null);
}

export function decidePublishPrices(rows: Rows, command: PublishPrices): Decided<Results['publish-prices']> {
  const { pricing } = rows;
  const found = importNamed(rows, command.id);
  if (!found.ok) return found;
  const row = found.value;
  const { name, currency } = row;
  const list = row.isNew
    ? newPriceList({ id: row.priceList, name, currency, createdAt: command.at })
    : pricing.listsByName.get(name);
  if (!list) return missing(`there is no price list named ${name}`);
  // A version cannot take effect in the past.
  const effectiveAt = Math.max(command.effectiveAt ?? command.at, command.at);
  const { before, after } = around(list, effectiveAt);
  if ((before?.place ?? 0) >= row.place || (after !== undefined && after.place <= row.place)) {
    return conflict(
      `another version of price list ${name} took effect while prices were imported: start the import again`,
    );
  }
  if (row.isNew) {
    pricing.listsByName.set(name, list);
    if (row.base !== null) setBase(rows, list, { base: row.base, at: command.at });
  }
  const { version, place, isWhole } = row;
  addVersion(list, { version, effectiveAt, place, isWhole, createdAt: command.at, changes: command.changes });
  dropImport(rows, row);
  return ok({ list: name, version, effectiveAt });
}

export function decideSweepPrices(rows: Rows, command: SweepPrices): Decided<Results['sweep-prices']> {
  const { pricing } = rows;
  const row = pricing.importsById.get(command.id);
  if (!row) return ok({ isDone: true });
  const swept = pricing.swept.get(command.id) ?? [];
  for (const prefix of swept) pricing.pricesGone.push({ priceList: row.priceList, place: row.place, prefix });
  // While the import is not over, an earlier command of the same commit may have staged prices that are not loaded
  // here.
  const isDone = row.isOver && swept.length < command.max;
  if (isDone) dropImport(rows, row);
  else if (!row.isOver) {
    row.isOver = true;
    touch(row);
  }
  return ok({ isDone });
}

export function decideWithdrawPrices(rows: Rows, command: WithdrawPrices): Decided<Results['withdraw-prices']> {
  const { pricing } = rows;
  const { list: name, version, at } = command;
  const list = pricing.listsByName.get(name);
  if (!list) return missing(`there is no price list named ${name}`);
  if (pricing.imports.has(name)) return refused(underWay(name));
  const last = list.versions.at(-1);
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
  list.versions.pop();
  if (last.change !== 'new') pricing.versionsGone.push(Object.assign(last, { change: 'gone' as const }));
  // The rows do not show the version after this one until they are loaded again. No command needs it until the
  // withdrawn prices are deleted.
  const { id, currency, base } = list;
  const { place, isWhole } = last;
  const placed = { version, place, isWhole, pinned: null };
  const swept = { id: command.id, name, priceList: id, ...placed, currency, base, createdAt: at };
  addImport(rows, { change: 'new', ...swept, isNew: false, isOver: true });
  return ok(null);
}

/** Sets the base of a price list. Where the list has no price, the price of the base applies. */
export function decideSetPriceBase(rows: Rows, command: SetPriceBase): Decided<Results['set-price-base']> {
  const list = rows.pricing.listsByName.get(command.list);
  if (!list) return missing(`there is no price list named ${command.list}`);
  const base = command.base === null ? ok(null) : baseNamed(rows, list, command.base);
  if (!base.ok) return base;
  if (base.value === list.base) return ok(null);
  setBase(rows, list, { base: base.value, at: command.at });
  return ok(null);
}

/** Bases keep their order if the clock steps back. Of two bases in one millisecond, the last one holds. */
function setBase({ pricing }: Rows, list: PriceListRow, { base, at }: { base: number | null; at: Instant }): void {
  list.base = base;
  list.basedSince = Math.max(at, list.basedSince);
  touch(list);
  pricing.bases.set(list.id, base);
  pricing.basesSince.push({ priceList: list.id, since: list.basedSince, base });
}

/**
 * Removes a price list that no account, carrier or other list uses. Its rows stay in the store, because they prove past
 * charges.
 */
export function decideRemovePriceList(rows: Rows, command: RemovePriceList): Decided<Results['remove-price-list']> {
  const { pricing } = rows;
  const list = pricing.listsByName.get(command.list);
  if (!list) return missing(`there is no price list named ${command.list}`);
  if (pricing.imports.has(list.name)) return refused(underWay(list.name));
  const users = usersOf(rows, list);
  if (users !== '') return inUse(`price list ${list.name} is still used: ${users}`);
  pricing.listsByName.delete(list.name);
  pricing.bases.delete(list.id);
  // A name with a blank cannot be entered, so no other list has this one.
  rewrite(list, { name: `${list.name} (removed ${list.id})`, removedAt: command.at });
  pricing.removedLists.push(list);
  return ok(null);
}

function usersOf(rows: Rows, { id, name }: PriceListRow): string {
  const { accounts, carriers, lists } = rows.pricing.users.get(id) ?? { accounts: [], carriers: [], lists: [] };
  // Earlier commands of the same commit may have changed which accounts and carriers use the list.
  const payers = rows.of(accountTable).filter(({ priceList }) => priceList === id);
  const accountNames = new Set([...accounts, ...payers.map((payer) => payer.name)]);
  const carrierRows = rows.of(carrierTable).filter(({ costList }) => costList === id);
  const carrierNames = new Set([...carriers, ...carrierRows.map((carrier) => carrier.name)]);
  return [
    named('account', accountNames, `give the account another list with account set --price-list`),
    named('carrier', carrierNames, 'give the carrier another list with carrier set --cost-list'),
    named('price list', new Set(lists), `its base is ${name}: change the base with price base`),
  ]
    .filter((each) => each !== '')
    .join('; ');
}

function named(what: string, names: ReadonlySet<string>, cure: string): string {
  const [first] = names;
  if (first === undefined) return '';
  const more = names.size > 1 ? ` and ${names.size - 1} more` : '';
  return `by ${what} ${first}${more} (${cure})`;
}

/**
 * Finds a base list. It must have the same currency, must not have this list as its own base, and the chain of bases
 * must not be too long.
 */
function baseNamed(rows: Rows, list: PriceListRow, name: string): Result<number, Rejection> {
  const { bases, listsByName } = rows.pricing;
  const base = listsByName.get(name);
  if (!base) return missing(`there is no price list named ${name}`);
  if (base.currency !== list.currency) {
    return wrongBase(
      `price list ${name} is in ${base.currency}, but ${list.name} is in ${list.currency}: a base must have the same currency`,
    );
  }
  const below = chainFrom(bases, base.id);
  if (base.id === list.id) return wrongBase(`price list ${name} cannot be its own base`);
  if (below.includes(list.id))
    return wrongBase(`price list ${name} already has ${list.name} as its base, directly or through other lists`);
  const above = Math.max(0, ...[...bases.keys()].map((each) => chainFrom(bases, each).indexOf(list.id)));
  if (above + 1 + below.length > chainMax) {
    return wrongBase(`a chain of base lists may have at most ${chainMax} price lists, and this chain would be longer`);
  }
  return ok(base.id);
}

function wrongBase(detail: string): { ok: false; error: Rejection } {
  return refused({ code: 'invalid_parameter', field: 'base', detail });
}

function chainFrom(bases: ReadonlyMap<number, number | null>, from: number): number[] {
  const chain: number[] = [];
  for (let at: number | null = from; at !== null && !chain.includes(at); at = bases.get(at) ?? null) chain.push(at);
  return chain;
}

/** The version in effect at an instant, and the next one after it. */
function around({ versions }: PriceListRow, at: Instant) {
  const before = versions.findLast((each) => each.effectiveAt <= at);
  return { before, after: versions.find((each) => each.effectiveAt > at) };
}

/**
 * The place of a new version in the order of versions. `pinned` is the place of the next future version that replaces
 * the whole list.
 */
function placeFor(
  list: PriceListRow,
  effectiveAt: Instant,
  at: Instant,
): Result<{ readonly place: number; readonly pinned: number | null }, Rejection> {
  const { name, versions } = list;
  if (effectiveAt > at && versions.filter((each) => each.effectiveAt > at).length >= pendingMax) {
    return conflict(
      `price list ${name} already has ${pendingMax} future versions, which is the maximum: wait until one takes effect, or withdraw the last one`,
    );
  }
  const { before, after } = around(list, effectiveAt);
  const below = before?.place ?? 0;
  // A future version leaves places free for changes that take effect before it.
  const room = after === undefined ? placesBetween : Math.floor((after.place - below) / 2);
  const place = below + (effectiveAt > at ? room : 1);
  if (after !== undefined && (place <= below || place >= after.place)) {
    return conflict(
      `no more changes fit before version ${after.version} of price list ${name}: withdraw that version first, with price withdraw ${name} --version ${after.version}`,
    );
  }
  const whole = versions.find((each) => each.effectiveAt > effectiveAt && each.isWhole);
  return ok({ place, pinned: whole?.place ?? null });
}

function addVersion(list: PriceListRow, made: Omit<PriceVersionRow, 'change' | 'priceList'>): void {
  list.lastVersion = Math.max(list.lastVersion, made.version);
  const later = list.versions.findIndex((each) => each.effectiveAt > made.effectiveAt);
  const row: PriceVersionRow = { change: 'new', priceList: list.id, ...made };
  list.versions.splice(later === -1 ? list.versions.length : later, 0, row);
  touch(list);
}

function importNamed(rows: Rows, id: string): Result<PriceImportRow, Rejection> {
  const row = rows.pricing.importsById.get(id);
  if (row && !row.isOver) return ok(row);
  return missing(
    'this import no longer exists, because it was given up without changing a price: start the import again',
  );
}

function addImport(rows: Rows, row: PriceImportRow): void {
  rows.pricing.imports.set(row.name, row);
  rows.pricing.importsById.set(row.id, row);
}

function dropImport(rows: Rows, row: PriceImportRow): void {
  rows.pricing.imports.delete(row.name);
  rows.pricing.importsById.delete(row.id);
  if (row.change === 'new') return;
  row.change = 'gone';
  rows.pricing.importsGone.push(row);
}
