/*
 * The clock of the database, which all nodes share: that of this machine, corrected. So a message that is due at one node is
 * due at the others, too, however far apart the clocks of their machines are.
 */

import type { Instant } from '@morsel/api/values/time.ts';
import type { ClockReading } from '../../core/nodes/members.ts';
import type { Clock } from '../../runtime/clock.ts';

export class DatabaseClock implements Clock {
  readonly machine: Clock;
  readonly monotonicMs: Clock['monotonicMs'];
  readonly bootMs: Clock['bootMs'];
  readonly setTimer: Clock['setTimer'];
  /** How far the clock of the database is ahead of that of the machine. */
  #aheadMs = 0;

  constructor(machine: Clock) {
    this.machine = machine;
    this.monotonicMs = machine.monotonicMs;
    this.bootMs = machine.bootMs;
    this.setTimer = machine.setTimer;
  }

  readonly now = (): Instant => this.machine.now() + this.#aheadMs;

  /** How far the clock of the machine is ahead of that of the database. Negative if it is behind. */
  get offMs(): number {
    return -this.#aheadMs;
  }

  /**
   * Corrects the clock as far as a reading proves it wrong: the answer may have been under way for all of the time between
   * the two looks, so a slow answer corrects nothing.
   */
  hear({ sentAt, at, answeredAt }: ClockReading): void {
    if (answeredAt < sentAt) return;
    this.#aheadMs = Math.max(at - answeredAt, Math.min(at - sentAt, this.#aheadMs));
  }
}
