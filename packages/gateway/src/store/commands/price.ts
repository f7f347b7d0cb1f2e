import type { Micros } from '@morsel/api/values/money.ts';
import type { PriceChange } from '@morsel/api/values/price.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/*
 * Commands about price lists. A version with few prices is one command (`set-prices`). A large one is staged under a
 * number that no reader asks for yet. A command that writes one row then makes it valid, so no other command waits for
 * an import.
 */

export interface SetPrices {
  readonly kind: 'set-prices';
  readonly at: Instant;
  readonly list: string;
  readonly currency: string | null;
  readonly prices: readonly { readonly prefix: string; readonly unitPrice: Micros }[];
}

/** Nothing else changes the prices of this list until the import is published or swept. */
export interface BeginPriceImport {
  readonly kind: 'begin-price-import';
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

/** Adds prices to the version of an import. Each prefix comes once. */
export interface StagePrices {
  readonly kind: 'stage-prices';
  readonly at: Instant;
  readonly id: string;
  readonly prices: readonly PriceChange[];
}

/** Makes the version of an import valid, from `effectiveAt` on, or from now. */
export interface PublishPrices {
  readonly kind: 'publish-prices';
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

/** Deletes at most `max` prices of an import that failed. The import takes no more prices. */
export interface SweepPrices {
  readonly kind: 'sweep-prices';
  readonly at: Instant;
  readonly id: string;
  readonly max: number;
}

/** Withdraws the newest version of a list before it takes effect. Its prices are swept later. */
export interface WithdrawPrices {
  readonly kind: 'withdraw-prices';
  readonly at: Instant;
  /** The id for `sweep-prices`. */
  readonly id: string;
  readonly list: string;
  readonly version: number;
}

export interface SetPriceBase {
  readonly kind: 'set-price-base';
  readonly at: Instant;
  readonly list: string;
  readonly base: string | null;
}

/** Removes a list that nothing uses. Messages still refer to it, so it gets a name that no other list can have. */
export interface RemovePriceList {
  readonly kind: 'remove-price-list';
  readonly at: Instant;
  readonly list: string;
}

export interface PriceResults {
  'set-prices': { readonly version: number };
  'begin-price-import': PriceImportBegun;
  'stage-prices': null;
  'publish-prices': PricesPublished;
  'sweep-prices': { readonly isDone: boolean };
  'withdraw-prices': null;
  'set-price-base': null;
  'remove-price-list': null;
}

export type PriceCommand =
  | SetPrices
  | BeginPriceImport
  | StagePrices
  | PublishPrices
  | SweepPrices
  | WithdrawPrices
  | SetPriceBase
  | RemovePriceList;
