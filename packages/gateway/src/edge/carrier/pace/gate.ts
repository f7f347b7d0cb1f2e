import type { Clock, Timer } from '../../../runtime/clock.ts';
import { LastSecond } from './pace.ts';

/* Delays parts just before they are sent, so that the link never sends more than the throughput in a second. */

interface GateNeeds<T> {
  readonly clock: Pick<Clock, 'monotonicMs' | 'setTimer'>;
  /** Whether the link is bound and not paused. */
  readonly isOpen: (now: number) => boolean;
  readonly send: (item: T, now: number) => void;
  /** Takes back a part that the link cannot send now. */
  readonly giveBack: (item: T) => void;
}

/**
 * Makes sure just before sending that no second has more parts than the throughput (S2): delays parts, in order. A gate holds at
 * most as many parts as the window, because room was reserved for each part.
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

  /** Sends a part as soon as the throughput allows, after the parts that are held already. */
  pass(item: T): void {
    this.#held.push(item);
    this.sendHeld();
  }

  /** Gives back all held parts. */
  close(): void {
    this.#timer?.cancel();
    for (const item of this.#held.splice(0)) this.#needs.giveBack(item);
  }

  /** Sends the held parts that the throughput allows now, or gives all held parts back if the link is down or paused. */
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
