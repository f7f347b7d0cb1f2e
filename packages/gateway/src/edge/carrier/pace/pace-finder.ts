import type { PaceNow } from './chance.ts';
import { RecentRate } from './recent-rate.ts';

/** After a throttling answer the link goes at this share of what the carrier took (multiplicative decrease). */
const cutShare = 0.9;
/** The same when the answer before it came less than a second ago: we are far above what it takes now. */
const deepCutShare = 0.7;
/**
 * Additive increase, as shares a second of the pace at which it was throttled last, the ceiling: quick up to a tenth below
 * it, and slow around it, where every step costs a refusal; from the one refusal to the next it takes about twenty seconds.
 */
const climbShare = 0.05;
const nearShare = 0.9;
const probeShare = 0.005;
/** A ceiling that has held nothing back for so long was no ceiling: from then on the share doubles each few seconds. */
const doubtedAfterMs = 20_000;
const doubtDoublesMs = 5_000;
/** So far above the old ceiling the carrier has grown: the pace is looked for anew. */
const outgrownShare = 1.15;
/** While no ceiling is known the pace grows by this factor a second. */
const searchFactor = 1.5;
/** But never beyond this many times what the carrier took in the last second: its answers may be slow. */
const searchLead = 2;
/** Fewer parts than this in a second say nothing of what a carrier takes. */
const fewParts = 10;
const paceMin = 1;
/** Beyond it there is none: the most that a throughput can be set to. */
const paceMax = 100_000;
/** The longest time without a look for which the pace grows at once, and without one it was not needed. */
const growMaxMs = 2_000;

interface PaceRefusal {
  readonly inFlight: number;
  readonly resumesAt: number;
  readonly chance: number;
}

/**
 * Finds the pace, in submit_sm a second, that a carrier takes (smpp-in-the-wild, 16). There is none until the first
 * throttling answer, and none again once it has grown to `cap`. Pure: the time comes in as monotonic milliseconds.
 */
export class PaceFinder {
  readonly #cap: number;
  readonly #taken: RecentRate;
  #pace = Number.POSITIVE_INFINITY;
  /** What the carrier took when it was throttled last. Unknown while nothing but the unbounded start was throttled. */
  #ceiling: number | undefined;
  /** Since when the link sends, without a pause. */
  #runsSince: number;
  /** Until when the pace has grown. */
  #grownAt = 0;

  /** `throughput` bounds the pace; 0 for no bound. */
  constructor(throughput: number, now: number) {
    this.#cap = throughput === 0 ? paceMax : throughput;
    this.#taken = new RecentRate(now);
    this.#runsSince = now;
  }

  /** Submit_sm a second; infinite while nothing says that the carrier does not take more. */
  get pace(): number {
    return this.#pace;
  }

  /** The carrier took a part. */
  accepted(now: number): void {
    this.#taken.add(now);
    // What was in flight when the carrier refused tells more than what it had answered until then.
    if (this.#ceiling === undefined && now < this.#runsSince) {
      this.#pace = Math.max(this.#pace, this.#kept(cutShare * this.#taken.lastSecond(now)));
    }
  }

  /** A part would go now, and only the pace is against it. Only then it grows: a pace that nobody needs proves nothing. */
  lacked(now: number): void {
    const seconds = Math.min(growMaxMs, now - this.#grownAt) / 1_000;
    if (seconds <= 0 || this.#pace === Number.POSITIVE_INFINITY) return;
    this.#grownAt = now;
    this.#pace = Math.max(this.#pace, this.#grown(now, seconds));
    if (this.#pace >= this.#cap) this.#pace = Number.POSITIVE_INFINITY;
  }

  /** How fast it is: without a pace, as fast as the carrier took it of late. */
  at(now: number): PaceNow {
    const taken = this.#taken.lastSecond(now);
    return { pace: this.#pace, reached: Math.min(this.#pace, Math.max(fewParts, taken)), taken };
  }

  /** The refusals that cut it were not for the pace: from this one on it is looked for anew. */
  restore(pace: number): void {
    this.#pace = this.#kept(Math.max(pace, this.#pace));
    this.#ceiling = undefined;
  }

  /**
   * The carrier refused a part because it came too fast; the link pauses until `resumesAt`. It refuses a share of what is sent by
   * `chance`, whatever the pace is.
   */
  throttled(now: number, { inFlight, resumesAt, chance }: PaceRefusal): void {
    const wasFree = this.#pace === Number.POSITIVE_INFINITY;
    const taken = this.#taken.lastSecond(now) / (1 - chance);
    if (wasFree) {
      // One refusal after a quiet time says little: what it took at its best is the better guess.
      const isBusy = taken > 0 && taken + inFlight >= fewParts;
      this.#pace = this.#kept(cutShare * (isBusy ? taken : Math.max(this.#taken.peak, fewParts)));
      this.#ceiling = undefined;
    } else if (now - this.#runsSince < 1_000) {
      this.#ceiling = this.#pace;
      this.#pace = this.#kept(deepCutShare * this.#pace);
    } else {
      const isNeeded = now - this.#grownAt <= growMaxMs;
      // One more: what came in the last second was counted in whole parts.
      this.#ceiling = this.#kept(isNeeded ? Math.min(this.#pace, taken + 1) : this.#pace);
      this.#pace = this.#kept(cutShare * this.#ceiling);
    }
    this.paused(resumesAt);
  }

  /** The link sends nothing until then. */
  paused(resumesAt: number): void {
    this.#runsSince = resumesAt;
    this.#grownAt = resumesAt;
  }

  #grown(now: number, seconds: number): number {
    const ceiling = this.#ceiling;
    if (ceiling === undefined || this.#pace > ceiling * outgrownShare) {
      this.#ceiling = undefined;
      const lead = Math.max(paceMin, this.#taken.lastSecond(now)) * searchLead;
      return Math.min(lead, this.#pace * searchFactor ** seconds);
    }
    return this.#pace + ceiling * seconds * (this.#pace < ceiling * nearShare ? climbShare : this.#probeShare(now));
  }

  #probeShare(now: number): number {
    const doubtedMs = Math.max(0, now - this.#runsSince - doubtedAfterMs);
    return Math.min(climbShare, probeShare * 2 ** (doubtedMs / doubtDoublesMs));
  }

  #kept(pace: number): number {
    return Math.min(this.#cap, Math.max(paceMin, pace));
  }
}
