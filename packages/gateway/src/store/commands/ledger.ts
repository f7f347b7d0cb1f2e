import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* What is posted by hand. */

export interface TopUp {
  readonly kind: 'top-up';
  readonly at: Instant;
  readonly account: string;
  readonly amount: Micros;
  readonly reason: string;
  readonly actor: string;
  /** The same once more, under the same key, changes nothing. */
  readonly key?: string | undefined;
}

/** Put a balance right by hand, up or down: not below its limit, unless it is forced. */
export interface Adjust extends Omit<TopUp, 'kind'> {
  readonly kind: 'adjust';
  readonly isForced: boolean;
}

/** What a top-up or an adjustment came to: when it is a replay, that of the first one. */
export interface Posted {
  readonly balance: Micros;
  readonly entry: number;
  readonly isReplay: boolean;
  /** The balance fell below a threshold of the account of which nobody was told yet. */
  readonly alert?: LowBalance;
}

/** An alert: the balance fell below a threshold. */
export interface LowBalance {
  readonly threshold: Micros;
  readonly balance: Micros;
}
