/* The database's clock, which all nodes share: a message that is due at one node is due at the others, too. */

import type { Instant } from '@morsel/api/values/time.ts';
import type { ClockReading } from '../../core/nodes/members.ts';
import type { Clock } from '../../runtime/clock.ts';

export class DatabaseClock implements Clock {
  readonly machine: Clock;
  readonly monotonicMs: Clock['monotonicMs'];
  readonly bootMs: Clock['bootMs'];
  readonly setTimer: Clock['setTimer'];
  #aheadMs = 0;

  constructor(machine: Clock) {
    this.machine = machine;
    this.monotonicMs = machine.monotonicMs;
    this.bootMs = machine.bootMs;
    this.setTimer = machine.setTimer;
  }

  readonly now = (): Instant => this.machine.now() + this.#aheadMs;

  /** How far the machine's clock is ahead of this clock. Negative if it is behind. */
  get offMs(): number {
    return -this.#aheadMs;
  }

  /** Corrects only a proven error: the database read its clock at some moment from `sentAt` to `answeredAt`. */
  hear({ sentAt, at, answeredAt }: ClockReading): void {
    if (answeredAt < sentAt) return;
    this.#aheadMs = Math.max(at - answeredAt, Math.min(at - sentAt, this.#aheadMs));
  }
}
