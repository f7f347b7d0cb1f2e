/*
 * The snapshot: all settings of the operator in memory, arranged for look-ups. These are accounts, tokens, logins,
 * carriers, routes, price lists and webhooks.
 */

import type { Account } from './account/account.ts';
import type { Carrier } from './routing/carrier.ts';
import type { CostTables } from './routing/carrier-cost.ts';
import type { Login } from './account/login.ts';
import type { PriceList, PriceVersion } from './money/price-list.ts';
import type { PriceTable } from './money/price-table.ts';
import { arrangeRoutes, type Route, type RouteCarrier, type RouteTable } from './routing/route.ts';
import type { OperatorKeyRecord, TokenRecord } from './account/token.ts';
import type { Role } from '@morsel/api/admin/access/role.ts';
import type { OutwardCalls, Webhook } from './notification/webhook.ts';

/** The settings, arranged for look-ups. A snapshot never changes: each change of a setting makes a new snapshot. */
export interface Snapshot extends RouteTable, CostTables {
  readonly accounts: ReadonlyMap<number, Account>;
  readonly tokens: ReadonlyMap<string, TokenRecord>;
  readonly logins: ReadonlyMap<string, Login>;
  readonly carriers: ReadonlyMap<number, Carrier>;
  /** Routes, including removed ones. */
  readonly routes: ReadonlyMap<number, Route & { readonly isRemoved: boolean }>;
  readonly priceLists: ReadonlyMap<number, PriceList>;
  readonly webhooks: ReadonlyMap<number, Webhook>;
  /** By account: those of accounts with a callback secret. */
  readonly callbacks: ReadonlyMap<number, OutwardCalls>;
  readonly operators: ReadonlyMap<string, Role>;
  readonly operatorKeys: ReadonlyMap<string, OperatorKeyRecord>;
}

/** The settings as they are read from the store. */
export interface Settings {
  readonly accounts: readonly Account[];
  readonly tokens: readonly TokenRecord[];
  readonly logins?: readonly Login[];
  readonly carriers: readonly Carrier[];
  /** All routes, including removed routes, because a waiting message keeps the route with which it was queued. */
  readonly routes: readonly RouteSettings[];
  /** Many routes share a list, so each list is sent between threads only once. */
  readonly carrierLists: readonly (readonly RouteCarrier[])[];
  readonly priceLists: readonly PriceListSettings[];
  readonly webhooks: readonly Webhook[];
  readonly callbacks?: readonly OutwardCalls[];
  readonly operators?: readonly { readonly name: string; readonly role: Role }[];
  readonly operatorKeys?: readonly OperatorKeyRecord[];
}

interface RouteSettings extends Omit<Route, 'carriers'> {
  readonly isRemoved: boolean;
  /** Index of the route's carriers in `carrierLists`. */
  readonly carrierList: number;
}

/** A price list without its prices, maybe a hundred thousand. They load separately, and never change once in effect. */
export interface PriceListSettings extends Omit<PriceList, 'base' | 'versions'> {
  readonly base: number | null;
  /** A version that takes effect later gets a new edition when a change of an earlier version changes its prices. */
  readonly versions: readonly (Omit<PriceVersion, 'prices'> & { readonly edition?: number })[];
}

export type PriceTables = (priceList: number, version: number) => PriceTable | undefined;

export function buildSnapshot(settings: Settings, tables: PriceTables = () => undefined): Snapshot {
  const routes = joinRoutes(settings);
  const priceLists = joinPriceLists(settings.priceLists, tables);
  return {
    accounts: byId(settings.accounts),
    tokens: new Map(settings.tokens.map((token) => [token.id, token])),
    logins: new Map((settings.logins ?? []).map((login) => [login.user, login])),
    carriers: byId(settings.carriers),
    routes: byId(routes),
    ...arrangeRoutes(routes.filter((route) => !route.isRemoved)),
    priceLists,
    webhooks: byId(settings.webhooks),
    callbacks: new Map((settings.callbacks ?? []).map((callbacks) => [callbacks.account, callbacks])),
    operators: new Map((settings.operators ?? []).map(({ name, role }) => [name, role])),
    operatorKeys: new Map((settings.operatorKeys ?? []).map((key) => [key.id, key])),
    ...costTables(settings, priceLists),
  };
}

function costTables(
  { carriers, carrierLists }: Settings,
  priceLists: ReadonlyMap<number, PriceList>,
): Pick<Snapshot, 'hasCosts' | 'costLists'> {
  const costLists = new Map<number, PriceList>();
  for (const { id, costList } of carriers) {
    const list = costList === null ? undefined : priceLists.get(costList);
    if (list) costLists.set(id, list);
  }
  return {
    costLists,
    hasCosts: costLists.size > 0 || carrierLists.some((each) => each.some(({ cost }) => cost !== null)),
  };
}

function joinRoutes({ routes, carrierLists }: Settings): (Route & { readonly isRemoved: boolean })[] {
  return routes.map(({ carrierList, ...route }) => ({ ...route, carriers: carrierLists[carrierList] ?? [] }));
}

/** A version whose table is missing is left out, so no message is charged by it. */
function joinPriceLists(lists: readonly PriceListSettings[], tables: PriceTables): ReadonlyMap<number, PriceList> {
  const settings = byId(lists);
  const joined = new Map<number, PriceList>();
  const join = (id: number | null): PriceList | undefined => {
    const list = id === null ? undefined : settings.get(id);
    if (!list) return undefined;
    const known = joined.get(list.id);
    if (known) return known;
    const versions = list.versions.flatMap((each) => {
      const prices = tables(list.id, each.version);
      return prices ? [{ ...each, prices }] : [];
    });
    const made = { ...list, base: join(list.base), versions };
    joined.set(list.id, made);
    return made;
  };
  for (const { id } of lists) join(id);
  return joined;
}

function byId<T extends { readonly id: number }>(rows: readonly T[]): ReadonlyMap<number, T> {
  return new Map(rows.map((row) => [row.id, row]));
}
