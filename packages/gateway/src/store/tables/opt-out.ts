import type { MessageId } from '../../core/base/message-id.ts';
import type { OptOutHandling } from '../../core/number/opt-out.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* Rows of opt-out lists. */

export interface OptOutRow {
  readonly account: number;
  readonly receiver: string;
  /** Empty for every sender. */
  readonly sender: string;
  readonly since: Instant;
  /** The event that put it on the list. */
  readonly event: number;
}

/** A change of a list. Events are never changed. */
export interface OptOutEventRow extends Omit<OptOutRow, 'since' | 'event'>, OptOutCause {
  readonly id: number;
  readonly wish: 'out' | 'in';
}

/** Why a list changed: an inbound message and its word, or an operator and a reason. */
export interface OptOutCause {
  readonly at: Instant;
  readonly inbound: MessageId | null;
  readonly word: string | null;
  readonly actor: string | null;
  readonly reason: string | null;
}

/** A change of a list, in the order in which they were decided. */
export interface OptOutStep {
  readonly event: OptOutEventRow;
  readonly row: OptOutRow;
}

/** Opt-out lists that one group has loaded and changed. Empty in nearly every group. */
export class OptOutRows {
  /** The entries of the receivers that commands name, by `receiverKey`. Other receivers have none. */
  readonly byReceiver = new Map<string, readonly OptOutRow[]>();
  readonly steps: OptOutStep[] = [];
  /** When the lists of a number changed last, by `receiverKey`: of the senders of replayed messages. */
  readonly changedAt = new Map<string, Instant>();
  /** Settings of accounts that differ from the usual ones. Groups share one map. */
  handlings: Map<number, OptOutHandling> = new Map();
  readonly handlingsChanged = new Set<number>();
  /** The next free id of an event. */
  nextEvent = 1;
}

export function receiverKey({ account, receiver }: Pick<OptOutRow, 'account' | 'receiver'>): string {
  return `${account} ${receiver}`;
}
