/* Rate limits of a link: token buckets, and the guard that no second gets more parts than the throughput. */

/**
 * Shares of the throughput. `burstShare` may go out at once. `marginShare` is never used, because parts that leave evenly arrive
 * less evenly. The rest is the steady rate, so no second has more than the throughput.
 */
const burstShare = 0.05;
const marginShare = 0.05;

/** A token bucket: `perMs` tokens a millisecond, and at most `burst` at once. Times are monotonic milliseconds. */
export class Bucket {
  #perMs: number;
  #burst: number;
  #leave: number;
  #at: number;

  /** An infinite `burst` means no limit. */
  constructor(perMs: number, burst: number, now: number) {
    this.#perMs = perMs;
    this.#burst = burst;
    this.#leave = burst;
    this.#at = now;
  }

  /** How many parts may go now. */
  available(now: number): number {
    if (this.#burst === Number.POSITIVE_INFINITY) return this.#burst;
    this.#leave = Math.min(this.#burst, this.#leave + Math.max(0, now - this.#at) * this.#perMs);
    this.#at = now;
    return Math.floor(this.#leave);
  }

  take(count: number): void {
    this.#leave -= count;
  }

  /** Returns tokens that were taken and not used. */
  giveBack(count: number): void {
    this.#leave += count;
  }

  /** Changes the rate. Tokens stay, as far as the burst allows. */
  set(perMs: number, burst: number, now: number): void {
    const leave = this.available(now);
    this.#perMs = perMs;
    this.#burst = burst;
    this.#leave = Math.min(burst, leave === Number.POSITIVE_INFINITY ? 0 : this.#leave);
    this.#at = now;
  }

  /** How long to wait before the next claim. It waits for half a burst, because each claim costs a commit. */
  waitMs(now: number): number {
    if (this.available(now) >= 1) return 0;
    return Math.ceil((Math.max(1, this.#burst / 2) - this.#leave) / this.#perMs);
  }
}

/** The bucket of a link: never more than `throughput` in any second (S2); 0 for no limit. */
export class LinkPace extends Bucket {
  constructor(throughput: number, now: number) {
    const burst = linkBurst(throughput);
    const perMs = (burst === 1 ? throughput : throughput * (1 - marginShare) - burst) / 1_000;
    super(perMs, throughput === 0 ? Number.POSITIVE_INFINITY : burst, now);
  }
}

/** The burst for a pace: what it sends in a twentieth of a second, so that timers that fire late cost no throughput. */
export function linkBurst(perSecond: number): number {
  return Math.max(1, Math.floor(perSecond * burstShare));
}

/** A little more than a second, because two turns of the event loop may be written to the socket at once. */
const secondMs = 1_010;

/**
 * Keeps S2 at the moment of sending. Tokens alone do not: while the disk is slow, parts that took theirs earlier may all be sent at
 * once.
 */
export class LastSecond {
  readonly #sentAt: Float64Array;
  #next = 0;

  constructor(throughput: number) {
    this.#sentAt = new Float64Array(throughput).fill(Number.NEGATIVE_INFINITY);
  }

  /** How long until one more part may be sent. */
  waitMs(now: number): number {
    return Math.max(0, (this.#sentAt[this.#next] ?? 0) + secondMs - now);
  }

  sent(now: number): void {
    this.#sentAt[this.#next] = now;
    this.#next = (this.#next + 1) % this.#sentAt.length;
  }
}
