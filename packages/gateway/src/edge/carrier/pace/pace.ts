/* Rate limits of a link: token buckets, and a check that no second has more parts than the throughput. */

/**
 * Shares of the throughput. A link may send `burstShare` of the throughput at once. A link never uses `marginShare` of the
 * throughput, because evenly sent parts arrive at the carrier less evenly. The remaining share of the throughput is the steady
 * rate. With these shares, a link never sends more than the throughput in a second.
 */
const burstShare = 0.05;
const marginShare = 0.05;

/** A token bucket: it gains `perMs` tokens a millisecond, and holds at most `burst` tokens. Times are monotonic milliseconds. */
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

  /** How many parts may be sent now. */
  available(now: number): number {
    if (this.#burst === Number.POSITIVE_INFINITY) return this.#burst;
    this.#leave = Math.min(this.#burst, this.#leave + Math.max(0, now - this.#at) * this.#perMs);
    this.#at = now;
    return Math.floor(this.#leave);
  }

  take(count: number): void {
    this.#leave -= count;
  }

  /** Returns tokens to the bucket that were taken for unsent parts. */
  giveBack(count: number): void {
    this.#leave += count;
  }

  /** Changes the rate. The bucket keeps its tokens, up to the new burst. */
  set(perMs: number, burst: number, now: number): void {
    const leave = this.available(now);
    this.#perMs = perMs;
    this.#burst = burst;
    this.#leave = Math.min(burst, leave === Number.POSITIVE_INFINITY ? 0 : this.#leave);
    this.#at = now;
  }

  /**
   * Milliseconds to wait before the next claim of parts. The wait is long enough for half a burst of tokens, because each claim
   * costs a commit.
   */
  waitMs(now: number): number {
    if (this.available(now) >= 1) return 0;
    return Math.ceil((Math.max(1, this.#burst / 2) - this.#leave) / this.#perMs);
  }
}

/** The token bucket of a link: it allows at most `throughput` parts in any second (S2); 0 means no limit. */
export class LinkPace extends Bucket {
  constructor(throughput: number, now: number) {
    const burst = linkBurst(throughput);
    const perMs = (burst === 1 ? throughput : throughput * (1 - marginShare) - burst) / 1_000;
    super(perMs, throughput === 0 ? Number.POSITIVE_INFINITY : burst, now);
  }
}

/** The burst of a pace: the parts of a twentieth of a second. With this burst, a late timer does not reduce the throughput. */
export function linkBurst(perSecond: number): number {
  return Math.max(1, Math.floor(perSecond * burstShare));
}

/** Slightly more than a second, because the parts of two turns of the event loop may reach the socket together. */
const secondMs = 1_010;

/**
 * Checks just before sending that no second has more parts than the throughput (S2). Tokens alone are not enough: when the disk
 * is slow, parts that took their tokens earlier may all be sent at once.
 */
export class LastSecond {
  readonly #sentAt: Float64Array;
  readonly #spanMs: number;
  #next = 0;

  /** A throughput with decimals is counted over a longer time: 0.2 is one part in five seconds, 2.5 are three in 1.2 s. */
  constructor(throughput: number) {
    const parts = Math.ceil(throughput);
    this.#sentAt = new Float64Array(parts).fill(Number.NEGATIVE_INFINITY);
    this.#spanMs = (secondMs * parts) / throughput;
  }

  /** Milliseconds until one more part may be sent. */
  waitMs(now: number): number {
    return Math.max(0, (this.#sentAt[this.#next] ?? 0) + this.#spanMs - now);
  }

  sent(now: number): void {
    this.#sentAt[this.#next] = now;
    this.#next = (this.#next + 1) % this.#sentAt.length;
  }
}
