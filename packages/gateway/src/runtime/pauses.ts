/*
 * Notices a pause of the whole machine, such as a suspended one or a virtual one that was moved: its monotonic clock stands
 * still meanwhile. The clock that counts suspended time, or the wall clock, has gone on. A step of the wall clock looks the
 * same.
 */

import { secondMs } from '@morsel/api/values/time.ts';
import type { Clock } from './clock.ts';

const pauseMinMs = secondMs;
/** CLOCK_BOOTTIME is read from a file, so it is not read for each write to a socket. */
const bootEveryMs = 100;

/** How far two clocks that go on are from the monotonic one. */
interface Distances {
  readonly wall: number;
  readonly boot: number;
}

export class Pauses {
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs' | 'bootMs'>;
  readonly #paused: () => void;
  #boot = { at: Number.NEGATIVE_INFINITY, distance: 0 };
  /** When it was certain for the last time what happened meanwhile. */
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

  /** Undefined if there was no pause. Otherwise it resolves when `answered` is called for something that began after the pause. */
  whenCertain(): Promise<void> | undefined {
    if (!this.#certain && isFar(this.read(), this.#certainAt)) {
      this.#certain = Promise.withResolvers();
      this.#paused();
    }
    return this.#certain?.promise;
  }

  /** Others have answered what was asked when the clocks had these distances. */
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
