/* Shows an account's notifications live to `morsel listen`, without acknowledging them. */

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
  /** Reads the content of a notification about an event. */
  readonly content: (event: ListenEvent) => Promise<NotificationContent | undefined>;
  readonly clock: Pick<Clock, 'monotonicMs' | 'setTimer'>;
}

/** An event of an account, as a listener gets it. */
interface ListenedEvent {
  /** The number of the event: one more than the number of the account's event before. */
  readonly number: number;
  readonly content: NotificationContent;
}

export interface Listened {
  readonly events: readonly ListenedEvent[];
  /** The number of the newest event, to send with the next request. */
  readonly last: number;
  /** How many earlier events were dropped, because there were too many. */
  readonly missed: number;
}

/** How many events of one account are kept in memory for its listener. */
const eventsMax = 1_000;
const accountsMax = 50;
/** How many events may wait for their content to be read. More events at once are only counted. */
const readingMax = 1_000;
/** After this time without a request, a listener is forgotten. */
const forgottenMs = minuteMs;
/** How long a request waits for the next event. */
const waitMs = 20 * secondMs;

interface Ear {
  readonly events: ListenedEvent[];
  last: number;
  askedAt: number;
  readonly waiting: Set<() => void>;
}

/**
 * Shows the events of an account to a listener as they happen, whether the account has a webhook or sessions or not.
 * Events are not stored, so a listener may miss some.
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
   * Returns the events of an account with numbers above `after`. If there are none, waits up to 20 seconds for the next
   * event. The first call has no number and starts the listening.
   */
  async listen(account: number, after: number | undefined): Promise<Result<Listened, Rejection>> {
    if (this.#isStopping) return refused({ code: 'unavailable', detail: 'the service is stopping' });
    this.#forgetOld();
    const ear = this.#ears.get(account) ?? this.#begin(account);
    if (!ear)
      return refused({
        code: 'unavailable',
        detail: `listeners already watch ${accountsMax} accounts, which is the maximum: stop another "morsel listen" first`,
      });
    ear.askedAt = this.#needs.clock.monotonicMs();
    // The number may be too high: it may come from before a restart, or from before the listener was forgotten.
    const newest = newestOf(ear);
    const from = after === undefined ? newest : Math.min(after, newest);
    if (after !== undefined && from === newest) await this.#something(ear);
    ear.askedAt = this.#needs.clock.monotonicMs();
    const events = ear.events.filter((event) => event.number > from);
    const last = newestOf(ear);
    return ok({ events, last, missed: last - from - events.length });
  }

  /** Adds the events of a commit. If there are too many, events are counted without reading their content. */
  take(all: readonly ListenEvent[]): void {
    this.#forgetOld();
    for (const event of all) {
      const ear = this.#ears.get(event.account);
      if (!ear) continue;
      ear.last += 1;
      if (this.#reading >= readingMax) continue;
      this.#reading += 1;
      const number = ear.last;
      // Contents are read one after the other, so that the events stay in order.
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

  /** Answers all waiting requests, and refuses new ones. */
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

function newestOf({ events }: Ear): number {
  return events.at(-1)?.number ?? 0;
}
