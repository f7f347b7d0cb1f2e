import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/*
 * What is written of price lists. A version of few prices is one command (`set-prices`). One of many is staged under a
 * number that no reader asks for yet, and then made valid by a command that writes one row: other commands never wait
 * for it.
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
  /** Makes the list if there is none; null if it has to be there. */
  readonly currency: string | null;
  /** Of a new list; null for none, or as it is. */
  readonly base: string | null;
  /** The version that holds when they take effect, and that the changes were made for: they are worth nothing for another one. 0 for none. */
  readonly from: number;
  readonly effectiveAt: Instant | null;
  /** The changes make it all that the list says: no change that takes effect before it reaches into it. */
  readonly isWhole: boolean;
}

interface PriceImportBegun {
  readonly priceList: number;
  readonly version: number;
}

/** A price, or null: the list says nothing of this prefix from then on. */
export interface PriceChanged {
  readonly prefix: string;
  readonly unitPrice: Micros | null;
}

/** Some prices of the version of an import, none of which it had before. */
export interface StagePrices {
  readonly kind: 'stage-prices';
  readonly at: Instant;
  readonly id: string;
  readonly prices: readonly PriceChanged[];
}

/** Makes the version of an import valid, from `effectiveAt` on, or from now. */
export interface PublishPrices {
  readonly kind: 'publish-prices';
  readonly at: Instant;
  readonly id: string;
  readonly effectiveAt: Instant | null;
  /** How many prices were staged. */
  readonly changes: number;
}

export interface PricesPublished {
  readonly list: string;
  readonly version: number;
  readonly effectiveAt: Instant;
}

/** Deletes at most `max` prices of what came to nothing; it takes no more from then on. */
export interface SweepPrices {
  readonly kind: 'sweep-prices';
  readonly at: Instant;
  readonly id: string;
  readonly max: number;
}

/** Takes back the newest version of a list, before it takes effect; its prices are left to be swept. */
export interface WithdrawPrices {
  readonly kind: 'withdraw-prices';
  readonly at: Instant;
  /** Under which they are swept. */
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

/** Removes a list that nothing uses. Messages still name it, with a name that no other list can have. */
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
