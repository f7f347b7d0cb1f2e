import { performance } from 'node:perf_hooks';
import type { SessionLimits } from '../session/session-state.ts';

// One timer a session, at a tenth of its shortest wait: deadlines are late by that much at most.
const tickMinMs = 5;
const tickMaxMs = 250;
// A process that was stopped or blocked has not lived through that time: its peers' answers wait unread in the kernel.
const ticksAtOnce = 4;

/** The time of one session, as it passes: tells how much each time. Starts with `use`. */
export class Ticker {
  readonly #onTick: (elapsedMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #ms = tickMaxMs;
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
