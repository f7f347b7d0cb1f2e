import type { RefundPolicy } from './account.ts';
import type { FinalEvent } from './message.ts';
import { toMicros } from './money.ts';
import type { Micros } from './money.ts';

export type EntryKind = 'top-up' | 'charge' | 'refund' | 'adjustment';

/** The balance after a debit of `cost`, or undefined when it would pass below `-creditLimit` (promise M2). */
export function debit(balance: Micros, creditLimit: Micros, cost: Micros): Micros | undefined {
  const after = toMicros(balance - cost);
  return after < -creditLimit ? undefined : after;
}

/** What is known of a part at its end that decides whether its price goes back. */
export interface PartEnd {
  readonly state: FinalEvent;
  /** A carrier accepted it, or answered it in any way: it reached one. */
  readonly reachedCarrier: boolean;
  /** It was in doubt at least once: nobody can say that it did not reach one. */
  readonly everInDoubt: boolean;
}

/** Whether the part's price goes back under the account's policy. What is in doubt never does (decisions, section 4). */
export function isRefunded(end: PartEnd, policy: RefundPolicy): boolean {
  if (end.everInDoubt || end.state === 'delivered' || end.state === 'unknown') return false;
  switch (policy) {
    case 'never':
      return false;
    case 'unsent':
      return !end.reachedCarrier;
    case 'undelivered':
      return true;
  }
}
