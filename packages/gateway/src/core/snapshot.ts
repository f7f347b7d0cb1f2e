/*
 * The operator's settings in memory, arranged for look-ups: accounts, tokens, logins, carriers, routes, price lists and
 * webhooks.
 */

import type { Account } from './account/account.ts';
import type { Carrier } from './routing/carrier.ts';
import type { CostTables } from './routing/carrier-cost.ts';
import type { Login } from './account/login.ts';
import type { PriceList, PriceVersion } from './money/price-list.ts';
import type { PriceTable } from './money/price-table.ts';
import { arrangeRoutes } from './routing/route.ts';
import type { Route, RouteCarrier, RouteTable } from './routing/route.ts';
import type { TokenRecord } from './account/token.ts';
import type { Webhook } from './notification/webhook.ts';

/** The settings as admission reads them. A snapshot never changes; each change makes a new one. */
export interface Snapshot extends RouteTable, CostTables {
  readonly accounts: ReadonlyMap<number, Account>;
  readonly tokens: ReadonlyMap<string, TokenRecord>;
  /** By their system_id. */
  readonly logins: ReadonlyMap<string, Login>;
  readonly carriers: ReadonlyMap<number, Carrier>;
  readonly routes: ReadonlyMap<number, Route>;
  readonly priceLists: ReadonlyMap<number, PriceList>;
  readonly webhooks: ReadonlyMap<number, Webhook>;
}

/** The settings as rows of the store. */
export interface Settings {
  readonly accounts: readonly Account[];
  readonly tokens: readonly TokenRecord[];
  readonly logins?: readonly Login[];
  readonly carriers: readonly Carrier[];
  /** Every route, removed ones too: waiting messages keep the route they were queued with. */
  readonly routes: readonly RouteSettings[];
  /**
   * Lists of carriers of routes. A hundred thousand routes mostly share a few lists, and each list crosses the thread
   * once.
   */
  readonly carrierLists: readonly (readonly RouteCarrier[])[];
  readonly priceLists: readonly PriceListSettings[];
  readonly webhooks: readonly Webhook[];
}

interface RouteSettings extends Omit<Route, 'carriers'> {
  readonly isRemoved: boolean;
  /** Index in the lists of carriers. */
  readonly carrierList: number;
}

/**
 * A price list without its prices, of which there may be a hundred thousand. Prices of a version never change once it
 * is in effect.
 */
export interface PriceListSettings extends Omit<PriceList, 'base' | 'versions'> {
  /** Its base list. */
  readonly base: number | null;
  /** The edition of a version changes when an earlier change alters its content. */
  readonly versions: readonly (Omit<PriceVersion, 'prices'> & { readonly edition?: number })[];
}

/** Finds the prices of a version. */
export type PriceTables = (priceList: number, version: number) => PriceTable | undefined;

/** Arranges settings for look-ups. */
export function buildSnapshot(settings: Settings, tables: PriceTables = () => undefined): Snapshot {
  const routes = joinRoutes(settings);
  const priceLists = joinPriceLists(settings.priceLists, tables);
  return {
    accounts: byId(settings.accounts),
    tokens: new Map(settings.tokens.map((token) => [token.id, token])),
    logins: new Map((settings.logins ?? []).map((login) => [login.systemId, login])),
    carriers: byId(settings.carriers),
    routes: byId(routes),
    ...arrangeRoutes(routes.filter((route) => !route.isRemoved)),
    priceLists,
    webhooks: byId(settings.webhooks),
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

/** Joins lists to their bases. A version without a table has no prices, and no message is charged by it. */
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
