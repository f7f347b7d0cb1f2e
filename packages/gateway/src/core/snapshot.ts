import type { Account } from './account.ts';
import type { Carrier } from './carrier.ts';
import type { Micros } from './money.ts';
import type { PrefixTable } from './prefix-table.ts';
import type { TokenRecord } from './token.ts';

/** Numbers that begin with `prefix` go to `carrier`. */
export interface Route {
  readonly id: number;
  readonly prefix: string;
  readonly carrier: number;
}

/** The prices of one list that are valid now. A message keeps the version it was charged by. */
export interface PriceList {
  readonly id: number;
  readonly name: string;
  readonly currency: string;
  readonly version: number;
  readonly prices: PrefixTable<Micros>;
}

/** What the operator set, as admission reads it: never changed in place, replaced whole after each change. */
export interface Snapshot {
  readonly accounts: ReadonlyMap<number, Account>;
  readonly tokens: ReadonlyMap<string, TokenRecord>;
  readonly carriers: ReadonlyMap<number, Carrier>;
  readonly routes: ReadonlyMap<number, Route>;
  readonly routesByPrefix: PrefixTable<Route>;
  readonly priceLists: ReadonlyMap<number, PriceList>;
}
