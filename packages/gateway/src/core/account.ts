import type { Micros } from './money.ts';

export type AccountStatus = 'active' | 'suspended';

/** When a part's price goes back: never, when it certainly never reached a carrier, or whenever it was not delivered. */
export const refundPolicies = ['never', 'unsent', 'undelivered'] as const;
export type RefundPolicy = (typeof refundPolicies)[number];

/** Who pays (the interface's "client"). The balance is not here: it lives in the store and moves only by entries. */
export interface Account {
  readonly id: number;
  readonly name: string;
  readonly currency: string;
  readonly status: AccountStatus;
  readonly creditLimit: Micros;
  readonly priceList: number;
  /** Parts a message may have: 1 to 255. */
  readonly partsMax: number;
  /** How long after the validity's end a receipt is waited for. */
  readonly receiptWaitMs: number;
  readonly refundPolicy: RefundPolicy;
}

const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/i;

/** Names of accounts, carriers and price lists: what a person can type without quoting it. */
export function isName(input: string): boolean {
  return namePattern.test(input);
}
