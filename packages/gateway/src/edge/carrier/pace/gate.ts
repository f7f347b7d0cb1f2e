import type { Clock, Timer } from '../../../runtime/clock.ts';
import { LastSecond } from './pace.ts';

/* Holds back parts at the moment of sending, so that no second gets more than the throughput. */

interface GateNeeds<T> {
  readonly clock: Pick<Clock, 'monotonicMs' | 'setTimer'>;
  /** Whether the link is bound and not paused. */
  readonly isOpen: (now: number) => boolean;
  readonly send: (item: T, now: number) => void;
  /** Takes back a part that the link may not send for a while. */
  readonly giveBack: (item: T) => void;
}

/**
 * Keeps S2 at the moment of sending: holds back parts, in order, while the last second is full. It holds no more than the reserved
 * room, which is at most a window.
 */
export class Gate<T> {
  readonly #lastSecond: LastSecond;
  readonly #needs: GateNeeds<T>;
  readonly #held: T[] = [];
  #timer: Timer | undefined;

  constructor(throughput: number, needs: GateNeeds<T>) {
    this.#lastSecond = new LastSecond(throughput);
    this.#needs = needs;
  }

  get held(): number {
    return this.#held.length;
  }

  /** Sends a part now, or after those that are held already as soon as it may go. */
  pass(item: T): void {
    this.#held.push(item);
    this.sendHeld();
  }

  /** Gives back all parts that it holds. */
  close(): void {
    this.#timer?.cancel();
    for (const item of this.#held.splice(0)) this.#needs.giveBack(item);
  }

  /** Sends the held parts that may go now, or gives all of them back if the link may send nothing. */
  sendHeld(): void {
    this.#timer?.cancel();
    const now = this.#needs.clock.monotonicMs();
    while (this.#held.length > 0) {
      const isOpen = this.#needs.isOpen(now);
      const waitMs = this.#lastSecond.waitMs(now);
      if (isOpen && waitMs > 0) {
        this.#timer = this.#needs.clock.setTimer(() => this.sendHeld(), Math.ceil(waitMs));
        return;
      }
      for (const item of this.#held.splice(0, 1)) {
        if (isOpen) this.#lastSecond.sent(now);
        (isOpen ? this.#needs.send : this.#needs.giveBack)(item, now);
      }
    }
  }
}
