/* The worker of a destination: what it delivers, and what it must read. */

import type { Notification, TryOutcome } from '../../core/notification/notification.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Timer } from '../../runtime/clock.ts';
import type { DestinationKey } from '../../state/tables/notification.ts';

/** A webhook, the bound sessions of an account, or the callbacks of its messages. */
export interface Destination {
  /** How many more notifications the destination accepts now. */
  room(): number;
  /** Gives up after a timeout. Never rejects. */
  deliver(notification: Notification): Promise<TryOutcome>;
}

export class Worker {
  readonly of: DestinationKey;
  readonly destination: Destination;
  /** Notifications that were read, or came with the news of a commit, and are delivered next. */
  ahead: Notification[] = [];
  /** New notifications that came during the present read. The read may return them, too. */
  #arrived: Notification[] = [];
  readonly underWay = new Set<number>();
  readonly deliveries = new Set<Promise<void>>();
  isOpen = true;
  isReading = false;
  mayHaveMore = true;
  /** The present read must be dropped, because another worker may deliver these notifications now. */
  isStale = false;
  /** Notifications whose delivery ended during the present read. The read may still return them. */
  ended = new Set<number>();
  timer: Timer | undefined;
  looksAt: Instant = Number.POSITIVE_INFINITY;

  constructor(of: DestinationKey, destination: Destination) {
    this.of = of;
    this.destination = destination;
  }

  /** How many notifications wait in memory. */
  get waiting(): number {
    return this.ahead.length + this.#arrived.length;
  }

  /** Takes all new notifications of a commit, unless there are none or others must be read before. Returns whether it did. */
  takes(made: readonly Notification[]): boolean {
    if (made.length === 0 || this.mayHaveMore) return false;
    (this.isReading ? this.#arrived : this.ahead).push(...made);
    return true;
  }

  beginRead(): void {
    this.isReading = true;
    this.mayHaveMore = false;
    this.isStale = false;
    this.ended = new Set();
    this.#arrived = [];
  }

  /** Takes what came during a read that left nothing else in the store. Returns whether there was anything. */
  takeArrived(): boolean {
    const known = new Set(this.ahead.map(({ id }) => id));
    const arrived = this.#arrived;
    this.#arrived = [];
    this.ahead.push(...arrived.filter(({ id }) => !known.has(id)));
    return arrived.length > 0;
  }

  /** Drops notifications that were read ahead, so that another worker can read them. */
  forget(): void {
    this.ahead = [];
    this.mayHaveMore = true;
    this.isStale = true;
  }
}

export function keyOfDestination(destination: DestinationKey): string {
  return `${destination.kind} ${destination.kind === 'webhook' ? destination.webhook : destination.account}`;
}
