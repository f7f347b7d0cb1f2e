import { performance } from 'node:perf_hooks';
import type { SessionLimits } from '../session/session-state.ts';

// Each session has one timer, which ticks at a tenth of its shortest wait. Deadlines are late by that at most.
const tickMinMs = 5;
const tickMaxMs = 250;
// If the process was stopped or blocked, that time does not count, because answers of the peer may wait unread in the
// kernel.
const ticksAtOnce = 4;

/** Tells a session how much time has passed, at regular intervals. `use` starts it. */
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

  /** Ticks as often as these limits need. */
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
