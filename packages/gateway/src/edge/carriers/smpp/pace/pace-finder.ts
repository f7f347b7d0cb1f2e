import { RecentRate } from './recent-rate.ts';

/*
 * Finds the pace that a carrier accepts. A carrier with a limit refuses nothing below it. A carrier that throttles by
 * chance refuses the same share at any pace. So after too many refusals the link becomes a little slower, and compares.
 */

/** The pace after too many refusals, as a share of the rate that the carrier accepted. */
const cutShare = 0.93;

/**
 * Too many refusals: each refusal adds one to a sum, and each answer subtracts the expected share. A refusal is
 * forgotten after 500 answers. A known chance varies, so its sum must be higher, and a false alarm is rare.
 */
const expectedFactor = 1.3;
const expectedLeast = 0.002;
const tooMany = 1.5;
const tooManyKnown = 10;
const tooManyByChance = 25;
/** While the pace is unlimited, the first answers come too close together to show a rate. */
const answersLeast = 20;

/** A comparison of paces lasts at least a second, because carriers count by the second. Refusals or a limit end it. */
const compareMs = 1_000;
const refusalsEnough = 8;
const shortMs = 3_000;
const refusalsAfterShort = 3;
const longMs = 20_000;
const longWithoutMs = 10_000;
/** A comparison also ends when so many refusals were due at the share from before. */
const dueEnough = 8;
const dueShareMin = 0.005;
/**
 * Throttling is by chance if the odds of a refusal are at least this share of those before. Above `chanceMax` it is
 * not.
 */
const sameOdds = 1 / 3;
const chanceMax = 0.5;
/** The most earlier refusals that count when the chance of a refusal is measured again. */
const rememberedMax = 50;
/** The recent share of refusals covers so many answers. The first few answers have little weight. */
const recentAnswers = 1_000;
const recentLeast = 20;

/** Growth of the pace in a second, as a share of the ceiling: quick up to 90 %, then slow, and quick again later. */
const climbShare = 0.05;
const nearShare = 0.9;
const probeShare = 0.005;
const doubtedAfterMs = 20_000;
const doubtDoublesMs = 5_000;
/**
 * Without a ceiling, or far above it, the pace grows by `searchFactor` a second, to `searchLead` of the accepted rate.
 */
const outgrownShare = 1.15;
const searchFactor = 1.5;
const searchLead = 2;
/** A lower rate says little about a carrier's limit. */
const fewParts = 10;
const paceMin = 1;
/** A pace above this value counts as unlimited. An operator cannot set a higher throughput than this value. */
const paceMax = 100_000;
/** The longest time for which the pace grows in one step. If no part waited for so long, the pace limited nothing. */
const growMaxMs = 2_000;

interface Answers {
  all: number;
  refused: number;
}

/** The pace and the share of refusals before the pace was lowered. */
interface Faster {
  readonly pace: number;
  readonly share: number;
  /** Whether one comparison is enough. Two are needed while the carrier's rate is not known well. */
  readonly isLast: boolean;
}

/** The pace is in submit_sm a second, and infinite while no limit is known. Times are monotonic milliseconds. */
export class PaceFinder {
  readonly #cap: number;
  readonly #taken: RecentRate;
  #pace = Number.POSITIVE_INFINITY;
  /** The rate that the carrier accepted when it last refused too many parts. */
  #ceiling: number | undefined;
  /** The answers since the last change of the pace, and the time of the first of them. */
  #answers: Answers = { all: 0, refused: 0 };
  #since: number;
  #excess = 0;
  #recentShare = 0;
  #counted = 0;
  /** The answers while the carrier throttled by chance, and the share of refusals among them. */
  #known: Answers = { all: 0, refused: 0 };
  #chance = 0;
  /** Undefined when no comparison of a lower pace is in progress. */
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

  /** `isCurrent`: the part was sent after the last change of the pace. Returns whether the pace changed now. */
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
    // The known chance of refusals follows a lower share at once.
    this.#chance = Math.min(this.#chance, 2 * this.#recentShare + expectedLeast);
    const most = this.#chance === 0 ? tooMany : tooManyKnown + tooManyByChance * this.#chance;
    if (!isRefused || this.#excess < most) return false;
    if (this.#pace === Number.POSITIVE_INFINITY && answers.all < answersLeast) return false;
    this.#slow(now, this.#rate(now));
    return true;
  }

  /** Call this when the carrier accepts no more parts, and the link pauses. */
  stopped(now: number, until: number): void {
    const isFirst = (this.#faster?.pace ?? this.#pace) === Number.POSITIVE_INFINITY;
    this.#slow(now, Math.max(fewParts, this.#taken.lastSecond(now)));
    // The rate of so short a time is no ceiling.
    if (isFirst) this.#ceiling = undefined;
    this.paused(until);
  }

  paused(until: number): void {
    this.#faster = undefined;
    this.#begin(until);
  }

  /** Call this when only the pace delays a part: an unused pace proves nothing. Returns whether the pace grew. */
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

  /** The rate that the carrier accepts. A short time has less than a second. In a comparison the pace is constant. */
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
