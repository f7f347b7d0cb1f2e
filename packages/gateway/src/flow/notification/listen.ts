/* Shows an account's notifications live to `morsel listen`. It acknowledges nothing, and nothing waits for it. */

import type { NotificationContent } from '../../core/notification/notification.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Journal } from '../../store/journal.ts';
import type { ListenEvent } from '../../store/tables/notification.ts';

interface ListenNeeds {
  readonly journal: Pick<Journal, 'listen'>;
  /** The content of a notification about it. */
  readonly content: (event: ListenEvent) => Promise<NotificationContent | undefined>;
  readonly clock: Pick<Clock, 'monotonicMs' | 'setTimer'>;
}

/** An event of an account. */
interface ListenedEvent {
  /** Grows by one with each event of the account. */
  readonly number: number;
  readonly content: NotificationContent;
}

export interface Listened {
  readonly events: readonly ListenedEvent[];
  /** Ask again after this one. */
  readonly last: number;
  /** Events before these that were dropped, because there were too many. */
  readonly missed: number;
}

/** Events of one account that are kept for a late listener. */
const eventsMax = 1_000;
const accountsMax = 50;
/** Events whose content is read for one answer: no person reads faster. */
const readingMax = 1_000;
/** After this time without a request there is no listener. */
const forgottenMs = minuteMs;
/** How long a request waits for an event. */
const waitMs = 20 * secondMs;

interface Ear {
  readonly events: ListenedEvent[];
  last: number;
  askedAt: number;
  readonly waiting: Set<() => void>;
}

/**
 * Shows the events of an account to a listener as they happen, whether the account has a destination or not. Nothing is
 * stored and nothing waits for it: it is for watching, not for receiving.
 */
export class Listening {
  readonly #needs: ListenNeeds;
  readonly #ears = new Map<number, Ear>();
  #reading = 0;
  #read = Promise.resolve();
  #isStopping = false;

  constructor(needs: ListenNeeds) {
    this.#needs = needs;
  }

  /**
   * The events of an account after the one with this number. Waits for the next event if there are none, and returns
   * nothing after a while. The first call has no number and starts the listening.
   */
  async listen(account: number, after: number | undefined): Promise<Result<Listened, Rejection>> {
    if (this.#isStopping) return refused({ code: 'unavailable', detail: 'the service is stopping' });
    this.#forgetOld();
    const ear = this.#ears.get(account) ?? this.#begin(account);
    if (!ear) return refused({ code: 'unavailable', detail: `somebody listens to ${accountsMax} accounts already` });
    ear.askedAt = this.#needs.clock.monotonicMs();
    // A number from before the account was dropped, or from another run of the process.
    const newest = newestOf(ear);
    const from = after === undefined ? newest : Math.min(after, newest);
    if (after !== undefined && from === newest) await this.#something(ear);
    ear.askedAt = this.#needs.clock.monotonicMs();
    const events = ear.events.filter((event) => event.number > from);
    const last = newestOf(ear);
    return ok({ events, last, missed: last - from - events.length });
  }

  /** The events of a commit. Under a flood only their number is counted. */
  take(all: readonly ListenEvent[]): void {
    this.#forgetOld();
    for (const event of all) {
      const ear = this.#ears.get(event.account);
      if (!ear) continue;
      ear.last += 1;
      if (this.#reading >= readingMax) continue;
      this.#reading += 1;
      const number = ear.last;
      // One after the other, so that they stay in order.
      this.#read = this.#read.then(() => this.#keep(ear, number, event));
    }
  }

  async #keep(ear: Ear, number: number, event: ListenEvent): Promise<void> {
    const content = await this.#needs.content(event);
    this.#reading -= 1;
    if (!content) return;
    ear.events.push({ number, content });
    if (ear.events.length > eventsMax) ear.events.shift();
    for (const wake of ear.waiting) wake();
  }

  /** Answers all waiting requests, and drops the listener. */
  stop(): void {
    this.#isStopping = true;
    for (const { waiting } of this.#ears.values()) for (const wake of waiting) wake();
  }

  #begin(account: number): Ear | undefined {
    if (this.#ears.size >= accountsMax) return undefined;
    const ear: Ear = { events: [], last: 0, askedAt: 0, waiting: new Set() };
    this.#ears.set(account, ear);
    this.#answer();
    return ear;
  }

  #forgetOld(): void {
    const now = this.#needs.clock.monotonicMs();
    let isFewer = false;
    for (const [account, ear] of this.#ears) {
      if (ear.waiting.size > 0 || now - ear.askedAt < forgottenMs || ear.askedAt === 0) continue;
      isFewer = this.#ears.delete(account);
    }
    if (isFewer) this.#answer();
  }

  #answer(): void {
    this.#needs.journal.listen([...this.#ears.keys()]);
  }

  #something(ear: Ear): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        timer.cancel();
        ear.waiting.delete(end);
        resolve();
      };
      const timer = this.#needs.clock.setTimer(end, waitMs);
      ear.waiting.add(end);
    });
  }
}

/** The number of the newest event. */
function newestOf({ events }: Ear): number {
  return events.at(-1)?.number ?? 0;
}
