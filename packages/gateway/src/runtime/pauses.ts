/*
 * Notices a pause of the whole machine: it was suspended, or a virtual machine was moved. In a pause the monotonic
 * clock stands still, while the clock that counts suspended time, or the wall clock, goes on. A step of the wall clock
 * looks the same.
 */

import { secondMs } from '@morsel/api/values/time.ts';
import type { Clock } from './clock.ts';

const pauseMinMs = secondMs;
/** CLOCK_BOOTTIME is read from a file, so it is not read for each write to a socket. */
const bootEveryMs = 100;

/** How far the wall clock and the clock since boot are ahead of the monotonic clock. A pause changes this. */
interface Distances {
  readonly wall: number;
  readonly boot: number;
}

export class Pauses {
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs' | 'bootMs'>;
  readonly #paused: () => void;
  #boot = { at: Number.NEGATIVE_INFINITY, distance: 0 };
  /** The distances when the last answered request to the database was sent: up to then no pause matters. */
  #certainAt: Distances;
  #certain: PromiseWithResolvers<void> | undefined;

  /** Calls `paused` after each pause. */
  constructor(clock: Pick<Clock, 'now' | 'monotonicMs' | 'bootMs'>, paused: () => void) {
    this.#clock = clock;
    this.#paused = paused;
    this.#certainAt = this.read();
  }

  read(): Distances {
    const now = this.#clock.monotonicMs();
    if (now - this.#boot.at >= bootEveryMs) this.#boot = { at: now, distance: this.#clock.bootMs() - now };
    return { wall: this.#clock.now() - now, boot: this.#boot.distance };
  }

  /** Undefined if there was no pause since the last answer. Else resolves at the answer to a later request. */
  whenCertain(): Promise<void> | undefined {
    if (!this.#certain && isFar(this.read(), this.#certainAt)) {
      this.#certain = Promise.withResolvers();
      this.#paused();
    }
    return this.#certain?.promise;
  }

  /** Call this after an answer, with the distances that `read` returned when the request was sent. */
  answered(asked: Distances): void {
    this.#certainAt = asked;
    if (isFar(this.read(), asked)) return;
    this.#certain?.resolve();
    this.#certain = undefined;
  }
}

function isFar(one: Distances, other: Distances): boolean {
  return Math.abs(one.wall - other.wall) > pauseMinMs || Math.abs(one.boot - other.boot) > pauseMinMs;
}
