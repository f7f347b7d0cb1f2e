import type { Account } from './account.ts';
import type { Carrier } from './carrier.ts';
import type { Micros } from './money.ts';
import { PrefixTable } from './prefix-table.ts';
import { arrangeRoutes } from './route.ts';
import type { Route, RouteCarrier, RouteTable } from './route.ts';
import type { TokenRecord } from './token.ts';

/** The prices of one list that are valid now. A message keeps the version it was charged by. */
export interface PriceList {
  readonly id: number;
  readonly name: string;
  readonly currency: string;
  readonly version: number;
  readonly prices: PrefixTable<Micros>;
}

/** What the operator set, as admission reads it: never changed in place, replaced whole after each change. */
export interface Snapshot extends RouteTable {
  readonly accounts: ReadonlyMap<number, Account>;
  readonly tokens: ReadonlyMap<string, TokenRecord>;
  readonly carriers: ReadonlyMap<number, Carrier>;
  readonly routes: ReadonlyMap<number, Route>;
  readonly priceLists: ReadonlyMap<number, PriceList>;
}

/** What the store keeps of the operator's settings, as plain rows. */
export interface Settings {
  readonly accounts: readonly Account[];
  readonly tokens: readonly TokenRecord[];
  readonly carriers: readonly Carrier[];
  /** Every route there ever was: messages that wait keep the one they were released with. */
  readonly routes: readonly RouteSettings[];
  /** What routes have for carriers: most of a hundred thousand share a few lists, and each crosses the thread once. */
  readonly carrierLists: readonly (readonly RouteCarrier[])[];
  readonly priceLists: readonly PriceListSettings[];
}

interface RouteSettings extends Omit<Route, 'carriers'> {
  readonly isRemoved: boolean;
  /** Its place among the lists of carriers. */
  readonly carrierList: number;
}

export interface PriceListSettings extends Omit<PriceList, 'prices'> {
  readonly prices: readonly { readonly prefix: string; readonly unitPrice: Micros }[];
}

/** Arranges settings for looking up. */
export function buildSnapshot(settings: Settings): Snapshot {
  const routes = joinRoutes(settings);
  return {
    accounts: byId(settings.accounts),
    tokens: new Map(settings.tokens.map((token) => [token.id, token])),
    carriers: byId(settings.carriers),
    routes: byId(routes),
    ...arrangeRoutes(routes.filter((route) => !route.isRemoved)),
    priceLists: byId(settings.priceLists.map(arrangePrices)),
  };
}

function joinRoutes({ routes, carrierLists }: Settings): (Route & { readonly isRemoved: boolean })[] {
  return routes.map(({ carrierList, ...route }) => ({ ...route, carriers: carrierLists[carrierList] ?? [] }));
}

function arrangePrices(list: PriceListSettings): PriceList {
  const prices = new PrefixTable<Micros>();
  for (const { prefix, unitPrice } of list.prices) prices.set(prefix, unitPrice);
  return { ...list, prices };
}

function byId<T extends { readonly id: number }>(rows: readonly T[]): ReadonlyMap<number, T> {
  return new Map(rows.map((row) => [row.id, row]));
}
