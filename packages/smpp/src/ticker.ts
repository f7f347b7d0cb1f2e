import { performance } from 'node:perf_hooks';
import type { SessionLimits } from './session-state.ts';

// One timer a session, at a tenth of its shortest wait: deadlines are late by that much at most.
const TICK_MIN_MS = 5;
const TICK_MAX_MS = 250;
// A process that was stopped or blocked has not lived through that time: its peers' answers wait unread in the kernel.
const TICKS_AT_ONCE = 4;

/** The time of one session, as it passes: tells how much each time. Starts with `use`. */
export class Ticker {
  readonly #onTick: (elapsedMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #ms = TICK_MAX_MS;
  #at = performance.now();

  constructor(onTick: (elapsedMs: number) => void) {
    this.#onTick = onTick;
  }

  /** From one tick to the next. */
  get ms(): number {
    return this.#ms;
  }

  /** Ticks as these waits need it, from now on. */
  use({ enquireLinkMs, responseTimeoutMs, bindTimeoutMs }: SessionLimits): void {
    const shortest = Math.min(enquireLinkMs, responseTimeoutMs, bindTimeoutMs);
    this.#ms = Math.min(TICK_MAX_MS, Math.max(TICK_MIN_MS, shortest / 10));
    this.stop();
    this.#timer = setInterval(() => this.#tick(), this.#ms);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const at = performance.now();
    const elapsedMs = Math.min(at - this.#at, TICKS_AT_ONCE * this.#ms);
    this.#at = at;
    this.#onTick(elapsedMs);
  }
}
