import { performance } from 'node:perf_hooks';
import type { SessionLimits } from '../session/session-state.ts';

// Each session has one timer. The interval of the timer is a tenth of the session's shortest time limit, so a timeout
// is late by at most that interval.
const tickMinMs = 5;
const tickMaxMs = 250;
// A tick counts at most this many intervals. Time in which the process was blocked is ignored, because answers may wait
// unread in the kernel.
const ticksAtOnce = 4;

/** Reports the elapsed time to a session at regular intervals. `use` starts the timer. */
export class Ticker {
  readonly #onTick: (elapsedMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #ms = tickMaxMs;
  #at = performance.now();

  constructor(onTick: (elapsedMs: number) => void) {
    this.#onTick = onTick;
  }

  /** The time from one tick to the next. */
  get ms(): number {
    return this.#ms;
  }

  /** Starts or restarts the timer with an interval that suits these time limits. */
  use({ enquireLinkMs, responseTimeoutMs, bindTimeoutMs }: SessionLimits): void {
    const shortest = Math.min(enquireLinkMs, responseTimeoutMs, bindTimeoutMs);
    this.#ms = Math.min(tickMaxMs, Math.max(tickMinMs, shortest / 10));
    this.stop();
    this.#timer = setInterval(() => this.#tick(), this.#ms);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const at = performance.now();
    const elapsedMs = Math.min(at - this.#at, ticksAtOnce * this.#ms);
    this.#at = at;
    this.#onTick(elapsedMs);
  }
}
