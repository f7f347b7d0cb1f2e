import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* Commands of the operator that change a balance. */

export interface TopUp {
  readonly kind: 'top-up';
  readonly at: Instant;
  readonly account: string;
  readonly amount: Micros;
  readonly reason: string;
  readonly actor: string;
  /** An idempotency key: repeating the command with it changes nothing. */
  readonly key?: string | undefined;
}

/** Corrects a balance by hand, up or down. It does not go below the credit limit unless it is forced. */
export interface Adjust extends Omit<TopUp, 'kind'> {
  readonly kind: 'adjust';
  readonly isForced: boolean;
}

/** The result of a top-up or an adjustment. A repeat gets the result of the first one. */
export interface Posted {
  readonly balance: Micros;
  readonly entry: number;
  readonly isReplay: boolean;
  /** The balance fell below a threshold of the account, and no alert was raised for it yet. */
  readonly alert?: LowBalance;
}

/** An alert: the balance fell below a threshold. */
export interface LowBalance {
  readonly threshold: Micros;
  readonly balance: Micros;
}
