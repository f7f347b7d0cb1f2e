import type { MessageId } from '../../core/base/message-id.ts';
import type { OptOutHandling } from '../../core/number/opt-out.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* The rows of opt-out lists that a group works on. */

export interface OptOutRow {
  readonly account: number;
  readonly receiver: string;
  /** Empty for every sender. */
  readonly sender: string;
  readonly since: Instant;
  /** What put it on the list. */
  readonly event: number;
}

/** A change of a list; none is ever changed itself. */
export interface OptOutEventRow extends Omit<OptOutRow, 'since' | 'event'>, OptOutCause {
  readonly id: number;
  readonly wish: 'out' | 'in';
}

/** Why a list changed: a phone's message and its word, or an operator and a reason. */
export interface OptOutCause {
  readonly at: Instant;
  readonly inbound: MessageId | null;
  readonly word: string | null;
  readonly actor: string | null;
  readonly reason: string | null;
}

/** One change of a list, written in the order in which they were decided. */
export interface OptOutStep {
  readonly event: OptOutEventRow;
  readonly row: OptOutRow;
}

/** What one group has loaded and made of opt-out lists. Nothing, in nearly every group. */
export class OptOutRows {
  /** The lists of those receivers that commands name, by `receiverKey`. Of others nothing is known to be on a list. */
  readonly byReceiver = new Map<string, readonly OptOutRow[]>();
  readonly steps: OptOutStep[] = [];
  /** When the lists of a phone changed last, by `receiverKey`: of phones whose messages are replayed. */
  readonly changedAt = new Map<string, Instant>();
  /** Accounts that are handled otherwise than usual: the same map from group to group. */
  handlings: Map<number, OptOutHandling> = new Map();
  readonly handlingsChanged = new Set<number>();
  /** The next free id of an event. */
  nextEvent = 1;
}

export function receiverKey({ account, receiver }: Pick<OptOutRow, 'account' | 'receiver'>): string {
  return `${account} ${receiver}`;
}
