import { RecentTable } from '../base/recent-table.ts';
import { minuteMs, secondMs } from '@morsel/api/values/time.ts';

/** How long a failure counts. */
const forgetMs = 10 * minuteMs;
/** Most networks that are remembered. Beyond that the oldest failures are forgotten first. */
const networksMax = 20_000;

/**
 * Time from the arrival of a bind to the refusal. It is longer than a password check takes, so it reveals nothing about
 * the check.
 */
const delayMinMs = secondMs;
/** The first failures, such as typing errors, add no delay. */
const failuresFree = 3;
/** Less than the ten seconds that a client has to bind, so the client still gets the answer. */
const delayMaxMs = 8 * secondMs;

/** Recent failed binds by network, and the delay of the next refusal. */
export class BindFailures {
  readonly #table = new RecentTable<string>(forgetMs, { left: networksMax });

  /** A bind from there failed. */
  note(network: string, nowMs: number): void {
    this.#table.add(network, nowMs);
  }

  /** The delay for a network, whatever the system_id: it doubles with each failure beyond the first few. */
  delayMs(network: string, nowMs: number): number {
    const beyond = Math.max(0, this.#table.sum(network, nowMs) - failuresFree);
    return Math.min(delayMaxMs, delayMinMs * 2 ** Math.min(beyond, 10));
  }
}
