/* Decisions of the operations on a price list itself: setting its base, and removing it. */

import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { chainMax } from '../../../core/money/price-list.ts';
import { query, search } from '../../tables/lookup.ts';
import { accountTable } from '../../tables/account.ts';
import { text } from '../../tables/column.ts';
import { priceBaseTable, priceListByName, priceListTable, type PriceListRow } from '../../tables/price.ts';
import { carrierTable } from '../../tables/route.ts';
import { rewrite, touch, type Rows } from '../../rows/rows.ts';
import { shape } from '../../tables/table.ts';
import { inUse, missing } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { isTaken, underWay } from './price-list-named.ts';

/** All price lists, because only they show whether a chain of bases is too long or has a circle. */
const currentLists = search<[]>()('price_list.current', priceListTable, ({ removedAt }) =>
  removedAt === null ? [] : undefined,
);
const lastBase = search<[priceList: number]>()('price_list_base.last', priceBaseTable);

/** Sets the base of a list. Where the list has no price, the price of the base applies. */
const setBaseOf: Decision<'price.base'> = (rows, input, { at }) => {
  const list = rows.one(priceListByName, input.list);
  if (!list) return missing(`there is no price list named ${input.list}`);
  const base = input.base === null ? ok(null) : baseNamed(rows, list, input.base);
  if (!base.ok) return base;
  if (base.value !== list.base) setBase(rows, list, { base: base.value, at });
  return ok(input);
};

/** Stores a new base. Bases stay in order if the clock is set back; in one millisecond, the later one counts. */
export function setBase(rows: Rows, list: PriceListRow, { base, at }: { base: number | null; at: Instant }): void {
  list.base = base;
  touch(list);
  if (list.change !== 'new') rows.all(lastBase, list.id);
  const known = rows.of(priceBaseTable).filter(({ priceList }) => priceList === list.id);
  const since = Math.max(at, ...known.map((each) => each.since));
  rows.put(priceBaseTable, { priceList: list.id, since, base });
}

/** Some accounts that use a list. The refusal to remove the list names them; one is enough to refuse. */
const accountsOf = query<[priceList: number]>()('account.of-price-list', shape({ name: text }));
const carriersOf = query<[priceList: number]>()('carrier.of-price-list', shape({ name: text }));
const listsOn = query<[priceList: number]>()('price_list.with-base', shape({ name: text }));

/**
 * Removes a list that no account, carrier or other list uses. Its rows stay in the store, because they prove past
 * charges, and messages refer to it. So the list gets a name that no other list can have.
 */
const remove: Decision<'price.remove'> = (rows, input, { at }) => {
  const list = rows.one(priceListByName, input.list);
  if (!list) return missing(`there is no price list named ${input.list}`);
  if (isTaken(rows, list.name)) return refused(underWay(list.name));
  const users = usersOf(rows, list);
  if (users !== '') return inUse(`price list ${list.name} is still used: ${users}`);
  // A name with a blank cannot be entered, so no other list can have this one.
  rewrite(list, { name: `${list.name} (removed ${list.id})`, removedAt: at });
  return ok(input);
};

export const priceListDecisions = { 'price.base': setBaseOf, 'price.remove': remove };

function usersOf(rows: Rows, list: PriceListRow): string {
  const { id, name } = list;
  // A list that this group of commands made is used only by rows of the same group, which are loaded.
  const stored = (users: typeof accountsOf) =>
    list.change === 'new' ? [] : rows.values(users, id).map((each) => each.name);
  // Earlier commands of the same group may have changed which accounts, carriers and lists use the list.
  const payers = rows.of(accountTable).filter(({ priceList }) => priceList === id);
  const carriers = rows.of(carrierTable).filter(({ costList }) => costList === id);
  const lists = rows.of(priceListTable).filter(({ base, removedAt }) => base === id && removedAt === null);
  const names = (users: typeof accountsOf, found: readonly { readonly name: string }[]) =>
    new Set([...stored(users), ...found.map((each) => each.name)]);
  return [
    named('account', names(accountsOf, payers), `give the account another list with account set --price-list`),
    named('carrier', names(carriersOf, carriers), 'give the carrier another list with carrier set --cost-list'),
    named('price list', names(listsOn, lists), `its base is ${name}: change the base with price base`),
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
export function baseNamed(rows: Rows, list: PriceListRow, name: string): Result<number, Rejection> {
  const base = rows.one(priceListByName, name);
  if (!base) return missing(`there is no price list named ${name}`);
  if (base.currency !== list.currency) {
    return wrongBase(
      `price list ${name} is in ${base.currency}, but ${list.name} is in ${list.currency}: a base must have the same currency`,
    );
  }
  const bases = new Map(rows.all(currentLists).map((each) => [each.id, each.base]));
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
