import { RecentRate } from './recent-rate.ts';

/*
 * Finds the pace that a carrier accepts. Below its limit a carrier refuses nothing; one that throttles by chance refuses
 * the same share at any pace. So after too many refusals the link goes a little slower and compares.
 */

/** The pace after too many refusals, as a share of what the carrier accepted in a second. */
const cutShare = 0.93;

/**
 * Too many: a sum that each refusal raises by one, and each answer lowers by what is expected. A refusal is forgotten
 * after 500 answers. A known chance varies, so it takes more refusals, and makes a false alarm rare.
 */
const expectedFactor = 1.3;
const expectedLeast = 0.002;
const tooMany = 1.5;
const tooManyKnown = 10;
const tooManyByChance = 25;
/** Without a pace, the first answers come too close together to tell how many there are in a second. */
const answersLeast = 20;

/** A comparison lasts a second at least, as carriers count by the second, and ends with so many refusals, or this late. */
const compareMs = 1_000;
const refusalsEnough = 8;
const shortMs = 3_000;
const refusalsAfterShort = 3;
const longMs = 20_000;
const longWithoutMs = 10_000;
/** It ends, too, when so many refusals were due at the share of before. */
const dueEnough = 8;
const dueShareMin = 0.005;
/** By chance: the odds of a refusal are at least this share of what they were before. Above `chanceMax` it is a limit. */
const sameOdds = 1 / 3;
const chanceMax = 0.5;
/** Earlier refusals that still count when a chance is measured again. */
const rememberedMax = 50;
/** The share of the newest answers covers so many; the first of them say little. */
const recentAnswers = 1_000;
const recentLeast = 20;

/** Growth in a second, as a share of the ceiling: quick up to 90 % of it, then slow, and quicker again after a long time. */
const climbShare = 0.05;
const nearShare = 0.9;
const probeShare = 0.005;
const doubtedAfterMs = 20_000;
const doubtDoublesMs = 5_000;
/** Without a ceiling, or above it by this factor, the pace grows by `searchFactor` a second, up to `searchLead` of what is accepted. */
const outgrownShare = 1.15;
const searchFactor = 1.5;
const searchLead = 2;
/** Fewer parts in a second say little about a limit. */
const fewParts = 10;
const paceMin = 1;
/** A pace above this value counts as unlimited. An operator cannot set a higher throughput than this value. */
const paceMax = 100_000;
/** Most growth in one step, as a time. If no part had to wait for so long, the pace did not limit the link. */
const growMaxMs = 2_000;

interface Answers {
  all: number;
  refused: number;
}

/** What was before the pace was lowered. */
interface Faster {
  readonly pace: number;
  readonly share: number;
  /** Whether one comparison is enough: what a carrier accepts in a second is not known well at first. */
  readonly isLast: boolean;
}

/** In submit_sm a second, infinite while no limit is known. Times are monotonic milliseconds. */
export class PaceFinder {
  readonly #cap: number;
  readonly #taken: RecentRate;
  #pace = Number.POSITIVE_INFINITY;
  /** What the carrier accepted when it last refused too many. */
  #ceiling: number | undefined;
  /** Answers since the pace was changed, and when the first of them came. */
  #answers: Answers = { all: 0, refused: 0 };
  #since: number;
  #excess = 0;
  #recentShare = 0;
  #counted = 0;
  /** Answers while the throttling was by chance, and their share. */
  #known: Answers = { all: 0, refused: 0 };
  #chance = 0;
  /** Undefined once it is known whether the slower pace helped. */
  #faster: Faster | undefined;
  #grownAt = 0;

  /** `throughput` limits the pace; 0 means no limit. */
  constructor(throughput: number, now: number) {
    this.#cap = throughput === 0 ? paceMax : throughput;
    this.#taken = new RecentRate(now);
    this.#since = now;
  }

  get pace(): number {
    return this.#pace;
  }

  /** The share of submit_sm that the carrier refuses at any pace. */
  get chance(): number {
    return this.#chance;
  }

  /** The share of the newest answers that were refusals. */
  get recentShare(): number {
    return this.#recentShare;
  }

  /** `isCurrent`: the part was sent since the pace changed. Returns whether the pace changed now. */
  noteAnswer(
    now: number,
    { isRefused, isCurrent }: { readonly isRefused: boolean; readonly isCurrent: boolean },
  ): boolean {
    const refusals = isRefused ? 1 : 0;
    if (!isRefused) this.#taken.add(now);
    this.#counted = Math.min(recentAnswers, this.#counted + 1);
    this.#recentShare += (refusals - this.#recentShare) / (recentLeast + this.#counted);
    if (!isCurrent) return false;
    const answers = this.#answers;
    if (answers.all === 0) this.#since = now;
    answers.all += 1;
    answers.refused += refusals;
    if (this.#faster) return this.#compare(now, this.#faster);
    this.#excess = Math.max(0, this.#excess + refusals - this.#chance * expectedFactor - expectedLeast);
    // A chance that has become smaller is followed.
    this.#chance = Math.min(this.#chance, 2 * this.#recentShare + expectedLeast);
    const most = this.#chance === 0 ? tooMany : tooManyKnown + tooManyByChance * this.#chance;
    if (!isRefused || this.#excess < most) return false;
    if (this.#pace === Number.POSITIVE_INFINITY && answers.all < answersLeast) return false;
    this.#slow(now, this.#rate(now));
    return true;
  }

  /** Call when the carrier accepts nothing more, and the link pauses. */
  stopped(now: number, until: number): void {
    const isFirst = (this.#faster?.pace ?? this.#pace) === Number.POSITIVE_INFINITY;
    this.#slow(now, Math.max(fewParts, this.#taken.lastSecond(now)));
    // What was accepted in a moment is no ceiling.
    if (isFirst) this.#ceiling = undefined;
    this.paused(until);
  }

  paused(until: number): void {
    this.#faster = undefined;
    this.#begin(until);
  }

  /** Call when only the pace makes a part wait: an unused pace does not show that the carrier accepts more. Returns whether it grew. */
  lacked(now: number): boolean {
    const seconds = Math.min(growMaxMs, now - this.#grownAt) / 1_000;
    if (seconds <= 0 || this.#pace === Number.POSITIVE_INFINITY) return false;
    this.#grownAt = now;
    if (this.#faster) return false;
    this.#pace = Math.max(this.#pace, this.#grown(now, seconds));
    if (this.#pace >= this.#cap) this.#pace = Number.POSITIVE_INFINITY;
    return true;
  }

  #begin(now: number): void {
    this.#answers = { all: 0, refused: 0 };
    this.#since = now;
    this.#excess = 0;
    this.#grownAt = now;
  }

  /** What the carrier accepts in a second. A short time has less than a second; in a comparison the pace stays the same. */
  #rate(now: number): number {
    const { all, refused } = this.#answers;
    const tookMs = now - this.#since;
    if (this.#faster || tookMs <= growMaxMs) return ((all - refused) * 1_000) / Math.max(5, tookMs);
    return now - this.#grownAt > growMaxMs ? this.#pace : this.#taken.lastSecond(now) + 1;
  }

  #slow(now: number, taken: number): void {
    const { all, refused } = this.#answers;
    this.#faster = { pace: this.#pace, share: refused / all, isLast: this.#chance > 0 };
    const reached = Math.min(this.#pace, taken / (1 - this.#chance));
    this.#ceiling = this.#kept(reached);
    this.#pace = this.#kept(reached * cutShare);
    this.#begin(now);
  }

  #compare(now: number, faster: Faster): boolean {
    const { all, refused } = this.#answers;
    const tookMs = now - this.#since;
    if (tookMs < compareMs) return false;
    if (refused >= (tookMs < shortMs ? refusalsEnough : refusalsAfterShort)) {
      const share = refused / all;
      const isSame = share <= chanceMax && oddsOf(share) >= sameOdds * oddsOf(faster.share);
      if (!isSame || !faster.isLast) {
        this.#slow(now, this.#rate(now));
        if (isSame) this.#faster = { ...faster, isLast: true };
        return true;
      }
      this.#learn({ all, refused });
      this.#pace = faster.pace;
      this.#ceiling = undefined;
    } else {
      const isDue = all * Math.max(dueShareMin, faster.share) >= dueEnough;
      if (!isDue && tookMs < (refused === 0 ? longWithoutMs : longMs)) return false;
      if (refused === 0) this.#forget();
    }
    this.paused(now);
    return true;
  }

  #learn({ all, refused }: Answers): void {
    const kept = Math.min(1, rememberedMax / Math.max(1, this.#known.refused));
    this.#known = { all: this.#known.all * kept + all, refused: this.#known.refused * kept + refused };
    this.#chance = this.#known.refused / this.#known.all;
  }

  #forget(): void {
    this.#known = { all: 0, refused: 0 };
    this.#chance = 0;
  }

  #grown(now: number, seconds: number): number {
    const ceiling = this.#ceiling;
    if (ceiling === undefined || this.#pace > ceiling * outgrownShare) {
      this.#ceiling = undefined;
      const lead = Math.max(paceMin, this.#taken.lastSecond(now)) * searchLead;
      return Math.min(lead, this.#pace * searchFactor ** seconds);
    }
    const doubtedMs = Math.max(0, now - this.#since - doubtedAfterMs);
    const near = Math.min(climbShare, probeShare * 2 ** (doubtedMs / doubtDoublesMs));
    return this.#pace + ceiling * seconds * (this.#pace < ceiling * nearShare ? climbShare : near);
  }

  #kept(pace: number): number {
    return Math.min(this.#cap, Math.max(paceMin, pace));
  }
}

function oddsOf(share: number): number {
  return share / (1 - share);
}
