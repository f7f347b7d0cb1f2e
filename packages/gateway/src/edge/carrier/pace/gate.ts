import type { Clock, Timer } from '../../../runtime/clock.ts';
import { LastSecond } from './pace.ts';

interface GateNeeds<T> {
  readonly clock: Pick<Clock, 'monotonicMs' | 'setTimer'>;
  /** Whether the link is bound and not paused. */
  readonly isOpen: (now: number) => boolean;
  readonly send: (item: T, now: number) => void;
  /** It will not go: the link may send nothing for a while. */
  readonly giveBack: (item: T) => void;
}

/**
 * Keeps S2 at the moment of sending: what the last second has no place for is held back until it has, in order. It holds no
 * more than what room was reserved for, a window at most.
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

  /** Sends it now or, behind what is held already, as soon as it may go. */
  pass(item: T): void {
    this.#held.push(item);
    this.sendHeld();
  }

  /** Gives back all that it holds. */
  close(): void {
    this.#timer?.cancel();
    for (const item of this.#held.splice(0)) this.#needs.giveBack(item);
  }

  /** Sends what may go now; gives all of it back if the link may send nothing. */
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
