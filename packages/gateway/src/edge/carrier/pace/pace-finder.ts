import type { PaceNow } from './chance.ts';
import { RecentRate } from './recent-rate.ts';

/* Finds the pace that a carrier accepts from its throttling answers: additive increase, multiplicative decrease. */

/** After a throttling answer the pace is this share of what the carrier accepted (multiplicative decrease). */
const cutShare = 0.9;
/** The share if the throttling answer before came less than a second ago: the pace is far too high. */
const deepCutShare = 0.7;
/**
 * Additive increase, in shares a second of the ceiling, the pace at which the link was throttled last. It is quick up to a tenth
 * below the ceiling, and slow around it, where each step costs a refusal. One refusal follows the other after about 20 seconds.
 */
const climbShare = 0.05;
const nearShare = 0.9;
const probeShare = 0.005;
/** After so long without a refusal the ceiling is in doubt: the share of the increase then doubles every few seconds. */
const doubtedAfterMs = 20_000;
const doubtDoublesMs = 5_000;
/** This far above the old ceiling, the ceiling no longer holds: the search starts again. */
const outgrownShare = 1.15;
/** While no ceiling is known the pace grows by this factor a second. */
const searchFactor = 1.5;
/** But it never exceeds this multiple of what the carrier accepted in the last second, because its answers may be slow. */
const searchLead = 2;
/** Fewer parts than this in a second say nothing about the carrier's limit. */
const fewParts = 10;
const paceMin = 1;
/** A pace above this is unlimited. It is the highest throughput that can be set. */
const paceMax = 100_000;
/** The pace grows at most by this time at once. If it was not asked to grow for longer, it was not needed. */
const growMaxMs = 2_000;

interface PaceRefusal {
  readonly inFlight: number;
  readonly resumesAt: number;
  readonly chance: number;
}

/**
 * Finds the pace, in submit_sm a second, that a carrier accepts. The pace is infinite until the first
 * throttling answer, and again once it has grown to the cap. Pure: the time comes in as monotonic milliseconds.
 */
export class PaceFinder {
  readonly #cap: number;
  readonly #taken: RecentRate;
  #pace = Number.POSITIVE_INFINITY;
  /** What the carrier accepted when it last throttled. Unknown while only the start without a pace was throttled. */
  #ceiling: number | undefined;
  /** The end of the last pause. */
  #runsSince: number;
  /** The time up to which growth was applied. */
  #grownAt = 0;

  /** `throughput` limits the pace; 0 for no limit. */
  constructor(throughput: number, now: number) {
    this.#cap = throughput === 0 ? paceMax : throughput;
    this.#taken = new RecentRate(now);
    this.#runsSince = now;
  }

  /** submit_sm a second; infinite while no limit of the carrier is known. */
  get pace(): number {
    return this.#pace;
  }

  /** Call when the carrier accepted a part. */
  accepted(now: number): void {
    this.#taken.add(now);
    // Parts that were in flight at the refusal and are accepted after it show more of what the carrier accepts.
    if (this.#ceiling === undefined && now < this.#runsSince) {
      this.#pace = Math.max(this.#pace, this.#kept(cutShare * this.#taken.lastSecond(now)));
    }
  }

  /** Call when only the pace holds back a part. The pace grows only then, because an unused pace proves nothing. */
  lacked(now: number): void {
    const seconds = Math.min(growMaxMs, now - this.#grownAt) / 1_000;
    if (seconds <= 0 || this.#pace === Number.POSITIVE_INFINITY) return;
    this.#grownAt = now;
    this.#pace = Math.max(this.#pace, this.#grown(now, seconds));
    if (this.#pace >= this.#cap) this.#pace = Number.POSITIVE_INFINITY;
  }

  /** The pace now, and the rate that the link reaches with it. */
  at(now: number): PaceNow {
    const taken = this.#taken.lastSecond(now);
    return { pace: this.#pace, reached: Math.min(this.#pace, Math.max(fewParts, taken)), taken };
  }

  /** Call when past refusals were not about the pace. The search starts again from this pace. */
  restore(pace: number): void {
    this.#pace = this.#kept(Math.max(pace, this.#pace));
    this.#ceiling = undefined;
  }

  /**
   * Call when the carrier refused a part because it came too fast. The link pauses until `resumesAt`. `chance` is the
   * share that the carrier refuses at any pace.
   */
  throttled(now: number, { inFlight, resumesAt, chance }: PaceRefusal): void {
    const wasFree = this.#pace === Number.POSITIVE_INFINITY;
    const taken = this.#taken.lastSecond(now) / (1 - chance);
    if (wasFree) {
      // One refusal after a quiet time says little: the best second so far is a better guess.
      const isBusy = taken > 0 && taken + inFlight >= fewParts;
      this.#pace = this.#kept(cutShare * (isBusy ? taken : Math.max(this.#taken.peak, fewParts)));
      this.#ceiling = undefined;
    } else if (now - this.#runsSince < 1_000) {
      this.#ceiling = this.#pace;
      this.#pace = this.#kept(deepCutShare * this.#pace);
    } else {
      const isNeeded = now - this.#grownAt <= growMaxMs;
      // Plus one, because the last second is counted in whole parts.
      this.#ceiling = this.#kept(isNeeded ? Math.min(this.#pace, taken + 1) : this.#pace);
      this.#pace = this.#kept(cutShare * this.#ceiling);
    }
    this.paused(resumesAt);
  }

  /** Call when the link pauses until `resumesAt`. */
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
