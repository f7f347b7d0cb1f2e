import type { PaceNow } from './chance.ts';
import { RecentRate } from './recent-rate.ts';

/* Finds the pace that a carrier accepts, from its throttling answers, with additive increase and multiplicative decrease. */

/** After a throttling answer the pace is cut to this share of the parts that the carrier accepted in a second. */
const cutShare = 0.9;
/** The deeper cut if two throttling answers come within a second, because the pace is then far too high. */
const deepCutShare = 0.7;
/**
 * Growth in each second, as a share of the ceiling: the pace at which the link was last throttled. It is quick up to 90
 * % of the ceiling, then slow: a throttling answer about every 20 seconds.
 */
const climbShare = 0.05;
const nearShare = 0.9;
const probeShare = 0.005;
/** After this time without a refusal the ceiling may be too low, so the growth doubles every 5 seconds. */
const doubtedAfterMs = 20_000;
const doubtDoublesMs = 5_000;
/** When the pace exceeds the ceiling by this factor, the ceiling is dropped and the search starts again. */
const outgrownShare = 1.15;
/** While no ceiling is known, the pace grows by this factor each second. */
const searchFactor = 1.5;
/** While no ceiling is known, the pace is limited to this multiple of the parts that the carrier accepted in the last second. */
const searchLead = 2;
/** A ceiling counts only if the carrier accepted at least this many parts in a second. */
const fewParts = 10;
const paceMin = 1;
/** A pace above this value counts as unlimited. An operator cannot set a higher throughput than this value. */
const paceMax = 100_000;
/** Most growth in one step, as a time. If no part had to wait for so long, the pace did not limit the link. */
const growMaxMs = 2_000;

interface PaceRefusal {
  readonly inFlight: number;
  readonly resumesAt: number;
  readonly chance: number;
}

/**
 * Infinite until the first throttling answer, and again at the cap; in submit_sm a second. Times are monotonic
 * milliseconds.
 */
export class PaceFinder {
  readonly #cap: number;
  readonly #taken: RecentRate;
  #pace = Number.POSITIVE_INFINITY;
  /** The pace that the carrier accepted when it last throttled the link. Undefined while no ceiling is known. */
  #ceiling: number | undefined;
  #runsSince: number;
  #grownAt = 0;

  /** `throughput` limits the pace; 0 means no limit. */
  constructor(throughput: number, now: number) {
    this.#cap = throughput === 0 ? paceMax : throughput;
    this.#taken = new RecentRate(now);
    this.#runsSince = now;
  }

  /** In submit_sm a second; infinite while no limit of the carrier is known. */
  get pace(): number {
    return this.#pace;
  }

  accepted(now: number): void {
    this.#taken.add(now);
    // While no ceiling is known, parts that the carrier accepts during a pause can raise the pace.
    if (this.#ceiling === undefined && now < this.#runsSince) {
      this.#pace = Math.max(this.#pace, this.#kept(cutShare * this.#taken.lastSecond(now)));
    }
  }

  /** Call when only the pace makes a part wait: an unused pace does not show that the carrier accepts more. */
  lacked(now: number): void {
    const seconds = Math.min(growMaxMs, now - this.#grownAt) / 1_000;
    if (seconds <= 0 || this.#pace === Number.POSITIVE_INFINITY) return;
    this.#grownAt = now;
    this.#pace = Math.max(this.#pace, this.#grown(now, seconds));
    if (this.#pace >= this.#cap) this.#pace = Number.POSITIVE_INFINITY;
  }

  at(now: number): PaceNow {
    const taken = this.#taken.lastSecond(now);
    return { pace: this.#pace, reached: Math.min(this.#pace, Math.max(fewParts, taken)), taken };
  }

  /** Call when a fast pace was not the cause of past refusals. The search starts again from this pace. */
  restore(pace: number): void {
    this.#pace = this.#kept(Math.max(pace, this.#pace));
    this.#ceiling = undefined;
  }

  /**
   * Call when the pace is too fast. The link pauses until `resumesAt`. `chance` is the share of submit_sm that the
   * carrier throttles at random, at any pace.
   */
  throttled(now: number, { inFlight, resumesAt, chance }: PaceRefusal): void {
    const wasFree = this.#pace === Number.POSITIVE_INFINITY;
    const taken = this.#taken.lastSecond(now) / (1 - chance);
    if (wasFree) {
      // After a second with few parts, the most parts that the carrier ever accepted in a second are a better estimate.
      const isBusy = taken > 0 && taken + inFlight >= fewParts;
      this.#pace = this.#kept(cutShare * (isBusy ? taken : Math.max(this.#taken.peak, fewParts)));
      this.#ceiling = undefined;
    } else if (now - this.#runsSince < 1_000) {
      this.#ceiling = this.#pace;
      this.#pace = this.#kept(deepCutShare * this.#pace);
    } else {
      const isNeeded = now - this.#grownAt <= growMaxMs;
      this.#ceiling = this.#kept(isNeeded ? Math.min(this.#pace, taken + 1) : this.#pace);
      this.#pace = this.#kept(cutShare * this.#ceiling);
    }
    this.paused(resumesAt);
  }

  /** Call when the link begins a pause, with the end of the pause. */
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
