/**
 * The share of the throughput that may go out at once, and the share kept back because what leaves evenly arrives less
 * evenly; the rest of it is the steady rate, so no second has more than all of it.
 */
const burstShare = 0.05;
const marginShare = 0.05;

/** Hands out leave to send: never more than `throughput` in any second (S2). Times are monotonic milliseconds. */
export class Pace {
  readonly #perMs: number;
  readonly #burst: number;
  #leave: number;
  #at: number;

  /** `throughput` a second; 0 for no limit. */
  constructor(throughput: number, now: number) {
    const burst = Math.max(1, Math.floor(throughput * burstShare));
    this.#burst = throughput === 0 ? Number.POSITIVE_INFINITY : burst;
    this.#perMs = (burst === 1 ? throughput : throughput * (1 - marginShare) - burst) / 1_000;
    this.#leave = this.#burst;
    this.#at = now;
  }

  /** How many may go now. */
  available(now: number): number {
    if (this.#burst === Number.POSITIVE_INFINITY) return this.#burst;
    this.#leave = Math.min(this.#burst, this.#leave + Math.max(0, now - this.#at) * this.#perMs);
    this.#at = now;
    return Math.floor(this.#leave);
  }

  take(count: number): void {
    this.#leave -= count;
  }

  /** Gives back what was taken and not used. */
  giveBack(count: number): void {
    this.#leave += count;
  }

  /** How long until one more may go. */
  waitMs(now: number): number {
    if (this.available(now) >= 1) return 0;
    return Math.ceil((1 - this.#leave) / this.#perMs);
  }
}
