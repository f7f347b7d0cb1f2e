import { RecentTable } from '../base/recent-table.ts';
import { minuteMs, secondMs } from '@morsel/api/values/time.ts';

const forgetMs = 10 * minuteMs;
/** When there are more networks, the oldest failures are forgotten first. */
const networksMax = 20_000;

/** Shortest time from a bind to its refusal: longer than a password check, so the delay reveals nothing about it. */
const delayMinMs = secondMs;
/** Number of failed binds, such as typing errors, that do not increase the delay. */
const failuresFree = 3;
/** Longest time from a bind to its refusal. A client has ten seconds to bind, so it still gets the answer. */
const delayMaxMs = 8 * secondMs;

/** Counts recent failed binds of each network and says how long the next refusal is delayed. */
export class BindFailures {
  readonly #table = new RecentTable(forgetMs, networksMax);

  note(network: string, nowMs: number): void {
    this.#table.add(network, nowMs);
  }

  /** After the first few failures the delay doubles with each failure of any system_id. */
  delayMs(network: string, nowMs: number): number {
    const beyond = Math.max(0, this.#table.sum(network, nowMs) - failuresFree);
    return Math.min(delayMaxMs, delayMinMs * 2 ** Math.min(beyond, 10));
  }
}
