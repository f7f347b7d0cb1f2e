/* Rate limits of a link: token buckets, and a check that no second has more parts than the throughput. */

/**
 * Shares of the throughput. `burstShare` may be sent at once. `marginShare` stays unused, because parts arrive at the
 * carrier less evenly than they are sent. The rest is the steady rate.
 */
const burstShare = 0.05;
const marginShare = 0.05;

/** A bucket that gains `perMs` tokens a millisecond, and holds at most `burst`. Times are monotonic milliseconds. */
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

  available(now: number): number {
    if (this.#burst === Number.POSITIVE_INFINITY) return this.#burst;
    this.#leave = Math.min(this.#burst, this.#leave + Math.max(0, now - this.#at) * this.#perMs);
    this.#at = now;
    return Math.floor(this.#leave);
  }

  take(count: number): void {
    this.#leave -= count;
  }

  giveBack(count: number): void {
    this.#leave += count;
  }

  /** Changes the rate and the burst. Keeps the tokens, up to the new burst. */
  set(perMs: number, burst: number, now: number): void {
    const leave = this.available(now);
    this.#perMs = perMs;
    this.#burst = burst;
    this.#leave = Math.min(burst, leave === Number.POSITIVE_INFINITY ? 0 : this.#leave);
    this.#at = now;
  }

  /** The wait until the bucket has half a burst of tokens. The wait is so long because each claim costs a commit. */
  waitMs(now: number): number {
    if (this.available(now) >= 1) return 0;
    return Math.ceil((Math.max(1, this.#burst / 2) - this.#leave) / this.#perMs);
  }
}

/** Allows at most `throughput` parts in any second (S2); 0 means no limit. */
export class LinkPace extends Bucket {
  constructor(throughput: number, now: number) {
    const burst = linkBurst(throughput);
    const perMs = (burst === 1 ? throughput : throughput * (1 - marginShare) - burst) / 1_000;
    super(perMs, throughput === 0 ? Number.POSITIVE_INFINITY : burst, now);
  }
}

/** The parts of a twentieth of a second can be sent at once. So a late timer does not reduce the throughput. */
export function linkBurst(perSecond: number): number {
  return Math.max(1, Math.floor(perSecond * burstShare));
}

/** Slightly more than a second, because parts of two turns of the event loop may reach the socket at the same time. */
const secondMs = 1_010;

/**
 * Counts the parts of the last second. On a slow disk, parts with older tokens may be sent at once, so tokens are not
 * enough (S2).
 */
export class LastSecond {
  readonly #sentAt: Float64Array;
  readonly #spanMs: number;
  #next = 0;

  /**
   * A throughput with decimals is counted over a longer time: 0.2 is one part in 5 s, 2.5 is three parts in 1.2 s.
   * `before` has counted the parts with another throughput.
   */
  constructor(throughput: number, before?: LastSecond) {
    const parts = Math.ceil(throughput);
    const sent = before ? [...before.#sentAt.slice(before.#next), ...before.#sentAt.slice(0, before.#next)] : [];
    this.#sentAt = new Float64Array(parts).fill(Number.NEGATIVE_INFINITY);
    this.#sentAt.set(sent.slice(-parts), Math.max(0, parts - sent.length));
    this.#spanMs = (secondMs * parts) / throughput;
  }

  waitMs(now: number): number {
    return Math.max(0, (this.#sentAt[this.#next] ?? 0) + this.#spanMs - now);
  }

  sent(now: number): void {
    this.#sentAt[this.#next] = now;
    this.#next = (this.#next + 1) % this.#sentAt.length;
  }
}
