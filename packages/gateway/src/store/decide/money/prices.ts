/* Decisions on price lists: changes, imports, versions, bases and removal. */

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
import type { PlacedVersion, PriceImportRow, PriceListRow } from '../../tables/price.ts';
import { touch } from '../../tables/rows.ts';
import type { Rows } from '../../tables/rows.ts';
import { newPriceList, priceListNamed, underWay } from './price-list-named.ts';
import { conflict, inUse, missing } from '../decided.ts';
import type { Decided } from '../decided.ts';

/** Future versions of a list; each is a table in memory. */
const pendingMax = 8;
/** Changes of a list that may take effect before a future version: one a second for twelve days. */
const placesBetween = 2 ** 20;
/** A version this close to its start may have priced a message whose commit is still under way. */
const withdrawMarginMs = 10 * secondMs;

/**
 * Makes a version of a list in which only the named prefixes differ. The list is made if it is new and a currency is
 * given.
 */
export function decideSetPrices(rows: Rows, command: SetPrices): Decided<'set-prices'> {
  if (rows.pricing.imports.has(command.list)) return refused(underWay(command.list));
  const list = priceListNamed(rows, { name: command.list, currency: command.currency, at: command.at });
  if (!list.ok) return list;
  const { at } = command;
  const found = placeFor(list.value, at, at);
  if (!found.ok) return found;
  const { place, pinned } = found.value;
  const version = list.value.lastVersion + 1;
  const made = { version, effectiveAt: at, place, isWhole: false };
  addVersion(rows, list.value, { ...made, createdAt: at, changes: command.prices.length });
  for (const { prefix, unitPrice } of command.prices) {
    rows.pricing.prices.push({ priceList: list.value.id, place, prefix, pinned, unitPrice });
  }
  return ok({ version });
}

export function decideBeginPriceImport(rows: Rows, command: BeginPriceImport): Decided<'begin-price-import'> {
  const { pricing } = rows;
  if (pricing.imports.has(command.list)) return refused(underWay(command.list));
  const known = pricing.listsByName.get(command.list);
  const list = known ? priceListNamed(rows, { ...command, name: command.list }) : makeList(rows, command);
  if (!list.ok) return list;
  const base = command.base === null ? ok(list.value.base) : baseNamed(rows, list.value, command.base);
  if (!base.ok) return base;
  if (known && base.value !== known.base) {
    return conflict(`price list ${known.name} does not stand on ${command.base}: change that with price base first`);
  }
  const effectiveAt = command.effectiveAt ?? command.at;
  const from = around(list.value, effectiveAt).before?.version ?? 0;
  if (command.from !== from) {
    return conflict(
      `price list ${command.list} is at version ${from} then, and these changes were made for version ${command.from}: check them and try again`,
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

/** Makes a list; it is visible from its first version on. */
function makeList(rows: Rows, { list: name, currency, at }: BeginPriceImport): Result<PriceListRow, Rejection> {
  if (currency === null) return missing(`there is no price list named ${name}: name its currency to make it`);
  return ok(newPriceList({ id: rows.counters.priceList++, name, currency, createdAt: at }));
}

export function decideStagePrices(rows: Rows, command: StagePrices): Decided<'stage-prices'> {
  const row = importNamed(rows, command.id);
  if (!row.ok) return row;
  const { priceList, place, pinned } = row.value;
  for (const { prefix, unitPrice } of command.prices) {
    rows.pricing.prices.push({ priceList, place, prefix, pinned, unitPrice });
  }
  return ok(null);
}

export function decidePublishPrices(rows: Rows, command: PublishPrices): Decided<'publish-prices'> {
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
    list.lastVersion = row.version;
    list.base = row.base;
    pricing.listsByName.set(name, list);
    pricing.bases.set(list.id, list.base);
    if (list.base !== null) pricing.basesSince.push({ priceList: list.id, since: command.at, base: list.base });
  }
  const { version, place, isWhole } = row;
  addVersion(rows, list, { version, effectiveAt, place, isWhole, createdAt: command.at, changes: command.changes });
  dropImport(rows, row);
  return ok({ list: name, version, effectiveAt });
}

export function decideSweepPrices(rows: Rows, command: SweepPrices): Decided<'sweep-prices'> {
  const { pricing } = rows;
  const row = pricing.importsById.get(command.id);
  if (!row) return ok({ isDone: true });
  const swept = pricing.swept.get(command.id) ?? [];
  for (const prefix of swept) pricing.pricesGone.push({ priceList: row.priceList, place: row.place, prefix });
  // Before the import is over, this group may have staged more than was loaded.
  const isDone = row.isOver && swept.length < command.max;
  if (isDone) dropImport(rows, row);
  else if (!row.isOver) {
    row.isOver = true;
    touch(row);
  }
  return ok({ isDone });
}

export function decideWithdrawPrices(rows: Rows, command: WithdrawPrices): Decided<'withdraw-prices'> {
  const { pricing } = rows;
  const { list: name, version, at } = command;
  const list = pricing.listsByName.get(name);
  if (!list) return missing(`there is no price list named ${name}`);
  if (pricing.imports.has(name)) return refused(underWay(name));
  const last = list.versions.at(-1);
  if (version !== last?.version) {
    return missing(
      `the last version of price list ${name} to take effect is ${last?.version ?? 0}, and only that one can be withdrawn`,
    );
  }
  if (last.effectiveAt <= at + withdrawMarginMs) {
    return conflict(`version ${version} of price list ${name} is in effect, or is about to be: import other prices`);
  }
  pricing.versionsGone.push({ priceList: list.id, version });
  list.versions.pop();
  // The list's next version is not known until its rows are loaded again. Nothing asks for it before they are swept.
  const { id, currency, base } = list;
  const { place, isWhole } = last;
  const placed = { version, place, isWhole, pinned: null };
  const swept = { id: command.id, name, priceList: id, ...placed, currency, base, createdAt: at };
  addImport(rows, { change: 'new', ...swept, isNew: false, isOver: true });
  return ok(null);
}

/** The base list has the price where the list has none, from now on. */
export function decideSetPriceBase(rows: Rows, command: SetPriceBase): Decided<'set-price-base'> {
  const list = rows.pricing.listsByName.get(command.list);
  if (!list) return missing(`there is no price list named ${command.list}`);
  const base = command.base === null ? ok(null) : baseNamed(rows, list, command.base);
  if (!base.ok) return base;
  if (base.value === list.base) return ok(null);
  list.base = base.value;
  rows.pricing.bases.set(list.id, list.base);
  rows.pricing.basesSince.push({ priceList: list.id, since: command.at, base: list.base });
  touch(list);
  return ok(null);
}

/** Removes a list that no account, carrier or other list uses. Its rows stay, because they prove past charges. */
export function decideRemovePriceList(rows: Rows, command: RemovePriceList): Decided<'remove-price-list'> {
  const { pricing } = rows;
  const list = pricing.listsByName.get(command.list);
  if (!list) return missing(`there is no price list named ${command.list}`);
  if (pricing.imports.has(list.name)) return refused(underWay(list.name));
  const users = usersOf(rows, list);
  if (users !== '') return inUse(`price list ${list.name} is still used: ${users}`);
  pricing.listsByName.delete(list.name);
  pricing.bases.delete(list.id);
  pricing.removedLists.push({ id: list.id, at: command.at });
  return ok(null);
}

function usersOf({ pricing, accountsByName, carriersByName }: Rows, { id, name }: PriceListRow): string {
  const { accounts, carriers, lists } = pricing.users.get(id) ?? { accounts: [], carriers: [], lists: [] };
  // Earlier commands of this group may have changed who uses it.
  const payers = [...accountsByName.values()].filter(({ priceList }) => priceList === id);
  const accountNames = new Set([...accounts, ...payers.map((payer) => payer.name)]);
  const carrierRows = [...carriersByName.values()].filter(({ carrier }) => carrier.costList === id);
  const carrierNames = new Set([...carriers, ...carrierRows.map(({ carrier }) => carrier.name)]);
  return [
    named('account', accountNames, `give it another with account set --price-list`),
    named('carrier', carrierNames, 'change its costs with carrier set --cost-list'),
    named('price list', new Set(lists), `it stands on ${name}: change that with price base`),
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

/** The base list: of the same currency, in no circle, and within the allowed depth. */
function baseNamed(rows: Rows, list: PriceListRow, name: string): Result<number, Rejection> {
  const { bases, listsByName } = rows.pricing;
  const base = listsByName.get(name);
  if (!base) return missing(`there is no price list named ${name}`);
  if (base.currency !== list.currency) {
    return wrongBase(`price list ${name} is in ${base.currency}, and ${list.name} in ${list.currency}`);
  }
  const below = chainFrom(bases, base.id);
  if (base.id === list.id) return wrongBase(`price list ${name} cannot stand on itself`);
  if (below.includes(list.id)) return wrongBase(`price list ${name} itself stands on ${list.name}`);
  const above = Math.max(0, ...[...bases.keys()].map((each) => chainFrom(bases, each).indexOf(list.id)));
  if (above + 1 + below.length > chainMax) {
    return wrongBase(`at most ${chainMax} price lists stand on each other, and these would be more`);
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
function around({ versions }: PriceListRow, at: Instant): { before?: PlacedVersion; after?: PlacedVersion } {
  const before = versions.findLast((each) => each.effectiveAt <= at);
  const after = versions.find((each) => each.effectiveAt > at);
  return { ...(before && { before }), ...(after && { after }) };
}

/** The place of a version that takes effect then, and the place of the future version that it does not reach into. */
function placeFor(
  list: PriceListRow,
  effectiveAt: Instant,
  at: Instant,
): Result<{ readonly place: number; readonly pinned: number | null }, Rejection> {
  const { name, versions } = list;
  if (effectiveAt > at && versions.filter((each) => each.effectiveAt > at).length >= pendingMax) {
    return conflict(`price list ${name} has ${pendingMax} versions that are still to come, which is the limit`);
  }
  const { before, after } = around(list, effectiveAt);
  const below = before?.place ?? 0;
  // A future version leaves room for changes before it, and for those before other future versions.
  const room = after === undefined ? placesBetween : Math.floor((after.place - below) / 2);
  const place = below + (effectiveAt > at ? room : 1);
  if (after !== undefined && (place <= below || place >= after.place)) {
    return conflict(
      `there is no room for another change before version ${after.version} of price list ${name}: withdraw that first, with price withdraw ${name} --version ${after.version}`,
    );
  }
  const whole = versions.find((each) => each.effectiveAt > effectiveAt && each.isWhole);
  return ok({ place, pinned: whole?.place ?? null });
}

function addVersion(
  rows: Rows,
  list: PriceListRow,
  made: PlacedVersion & { readonly createdAt: Instant; readonly changes: number },
): void {
  const { version, effectiveAt, place, isWhole } = made;
  list.lastVersion = Math.max(list.lastVersion, version);
  const later = list.versions.findIndex((each) => each.effectiveAt > effectiveAt);
  list.versions.splice(later === -1 ? list.versions.length : later, 0, { version, effectiveAt, place, isWhole });
  touch(list);
  rows.pricing.versions.push({ priceList: list.id, ...made });
}

function importNamed(rows: Rows, id: string): Result<PriceImportRow, Rejection> {
  const row = rows.pricing.importsById.get(id);
  if (row && !row.isOver) return ok(row);
  return missing('there is no such import: it was given up and has changed nothing; start it again');
}

function addImport(rows: Rows, row: PriceImportRow): void {
  rows.pricing.imports.set(row.name, row);
  rows.pricing.importsById.set(row.id, row);
}

function dropImport(rows: Rows, row: PriceImportRow): void {
  rows.pricing.imports.delete(row.name);
  rows.pricing.importsById.delete(row.id);
  if (row.change !== 'new') rows.pricing.importsGone.push(row);
}
