import { RecentTable } from '../base/recent-table.ts';
import { minuteMs, secondMs } from '@morsel/api/values/time.ts';

/** A failure counts for so long. */
const forgetMs = 10 * minuteMs;
/** Networks that are remembered at a time; with more of them the oldest failures are forgotten first. */
const networksMax = 20_000;

/** From the arrival of a bind to our refusal: longer than a password takes to be looked at, so that it tells nothing of it. */
const delayMinMs = secondMs;
/** A slip of the keyboard or two costs no more than that. */
const failuresFree = 3;
/** Below the ten seconds that a bind has from its connection on: the client still hears it. */
const delayMaxMs = 8 * secondMs;

/** How often binds from a network failed of late, and how long the next one that fails waits for its answer. */
export class BindFailures {
  readonly #table = new RecentTable<string>(forgetMs, { left: networksMax });

  /** A bind from there failed. */
  note(network: string, nowMs: number): void {
    this.#table.add(network, nowMs);
  }

  /** Whoever's password it is: twice as long with each failure beyond the first few. */
  delayMs(network: string, nowMs: number): number {
    const beyond = Math.max(0, this.#table.sum(network, nowMs) - failuresFree);
    return Math.min(delayMaxMs, delayMinMs * 2 ** Math.min(beyond, 10));
  }
}
