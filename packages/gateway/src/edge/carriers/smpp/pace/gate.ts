import type { Clock, Timer } from '../../../../runtime/clock.ts';
import { LastSecond } from './pace.ts';

/* Delays parts just before they are sent, so that no second has more than the throughput. */

/**
 * Sends at most `throughput` parts in any second (S2). Holds at most as many parts as the window, because each has
 * reserved room.
 */
export class Gate<T> {
  #lastSecond: LastSecond;
  readonly #needs;
  readonly #held: T[] = [];
  #timer: Timer | undefined;

  constructor(
    throughput: number,
    needs: {
      readonly clock: Pick<Clock, 'monotonicMs' | 'setTimer'>;
      readonly isOpen: (now: number) => boolean;
      readonly send: (item: T, now: number) => void;
      /** Takes back a part that the link cannot send now. */
      readonly giveBack: (item: T) => void;
    },
  ) {
    this.#lastSecond = new LastSecond(throughput);
    this.#needs = needs;
  }

  /** Uses another throughput from now on; the parts of the last second count. Without one, closes and returns false. */
  use(throughput: number): boolean {
    if (throughput === 0) this.close();
    else {
      this.#lastSecond = new LastSecond(throughput, this.#lastSecond);
      this.sendHeld();
    }
    return throughput > 0;
  }

  get held(): number {
    return this.#held.length;
  }

  /** Sends the part, or holds it behind the parts that are held already. */
  pass(item: T): void {
    this.#held.push(item);
    this.sendHeld();
  }

  close(): void {
    this.#timer?.cancel();
    for (const item of this.#held.splice(0)) this.#needs.giveBack(item);
  }

  /** Sends what the throughput allows now. If the link is down or paused, gives back all held parts. */
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
