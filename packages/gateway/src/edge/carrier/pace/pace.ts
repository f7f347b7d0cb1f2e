/**
 * The share of the throughput that may go out at once, and the share kept back because what leaves evenly arrives less
 * evenly; the rest of it is the steady rate, so no second has more than all of it.
 */
const burstShare = 0.05;
const marginShare = 0.05;

/** Hands out leave to send at a rate, up to a burst of it at once. Times are monotonic milliseconds. */
export class Bucket {
  #perMs: number;
  #burst: number;
  #leave: number;
  #at: number;

  /** `perMs` of infinity is no limit. */
  constructor(perMs: number, burst: number, now: number) {
    this.#perMs = perMs;
    this.#burst = burst;
    this.#leave = burst;
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

  /** Goes on at another rate; what has gathered stays, as far as the burst allows. */
  set(perMs: number, burst: number, now: number): void {
    const leave = this.available(now);
    this.#perMs = perMs;
    this.#burst = burst;
    this.#leave = Math.min(burst, leave === Number.POSITIVE_INFINITY ? 0 : this.#leave);
    this.#at = now;
  }

  /** How long until some more may go: half a burst where there is one, as each time costs a claim and its commit. */
  waitMs(now: number): number {
    if (this.available(now) >= 1) return 0;
    return Math.ceil((Math.max(1, this.#burst / 2) - this.#leave) / this.#perMs);
  }
}

/** Hands out leave to send: never more than `throughput` in any second (S2); 0 for no limit. */
export class LinkPace extends Bucket {
  constructor(throughput: number, now: number) {
    const burst = linkBurst(throughput);
    const perMs = (burst === 1 ? throughput : throughput * (1 - marginShare) - burst) / 1_000;
    super(perMs, throughput === 0 ? Number.POSITIVE_INFINITY : burst, now);
  }
}

/** What may go at once at a pace: a twentieth of a second, so that timers that fire late cost nothing. */
export function linkBurst(perSecond: number): number {
  return Math.max(1, Math.floor(perSecond * burstShare));
}

/** A little more than a second: what leaves in two turns of the event loop may be written in one. */
const secondMs = 1_010;

/**
 * The promise of S2 where it is kept, at the moment of sending: leave may have been taken long before, while the disk was
 * slow, and be used all at once.
 */
export class LastSecond {
  readonly #sentAt: Float64Array;
  #next = 0;

  constructor(throughput: number) {
    this.#sentAt = new Float64Array(throughput).fill(Number.NEGATIVE_INFINITY);
  }

  /** How long until one more may be sent. */
  waitMs(now: number): number {
    return Math.max(0, (this.#sentAt[this.#next] ?? 0) + secondMs - now);
  }

  sent(now: number): void {
    this.#sentAt[this.#next] = now;
    this.#next = (this.#next + 1) % this.#sentAt.length;
  }
}
