/*
 * Detects carriers that throttle a random share at any pace, so that a link does not slow down without need. If that is
 * suspected, the link sends at a slow pace for a while to measure the share: a trial.
 */

/*
 * A trial begins after so many refusals below `lowShare` of the first pace, spanning at least `lowMs`. A carrier with a
 * real rate limit stops refusing about a second after the link slows down.
 */
const lowRefusals = 3;
const lowMs = 1_000;
const togetherMs = 60_000;
const lowShare = 0.85;

/*
 * The pace of a trial: the lower of this share of the pace at the first refusal, and `trialTakenShare` of the parts
 * accepted in a second. There, a real rate limit refuses nothing, and random throttling the same share as ever.
 */
const trialPaceShare = 0.7;
const trialTakenShare = 0.6;
const trialPaceMin = 1;
/** Ends a trial at once. After `trialShortMs` fewer refusals do, because a slow link would need minutes to get more. */
const trialRefusals = 30;
const trialRefusalsMin = 2;
const trialShortMs = 3_000;
const trialMaxMs = 60_000;
/** Rules out random throttling: so many refusals were expected and none came, or `dueOfFew` and too few came. */
const dueOfNone = 4;
const dueOfFew = 6;
/** A trial confirms random throttling if the share of refusals in the trial is at least a third of the expected share. */
const sameShare = 1 / 3;
/** Above this share, the carrier accepts less than the pace. Compared only after `chanceMaxAnswers` answers. */
const chanceMax = 0.6;
const chanceMaxAnswers = 20;

/**
 * A share is tested again after `trialEveryMs`, or after this while it rests on few refusals. The wait is at least
 * `trialRarity` times the length of the last trial.
 */
const trialSoonMs = 5_000;
const trialEveryMs = 30_000;
const fewRefusals = 20;
const trialRarity = 10;
/** Earlier refusals that still count after a new trial: the measured share must follow changes of the carrier. */
const rememberedMax = 50;

/** Least share that the test assumes. With a lower share, two refusals in a row would slow the link down. */
const testedMin = 0.005;
/** The test for too many refusals assumes a share that is 1.5 standard errors above the measured share. */
const sureErrors = 1.5;
/** The test looks for this share of further refusals, which a link gets when its pace is about a seventh too fast. */
const excessShare = 0.15;
/** A logarithm of odds. Random throttling alone reaches this evidence about once in ten thousand answers. */
const excessMin = 7;

interface Answers {
  all: number;
  throttled: number;
}

/** A series of refusals, none of them at a faster pace than the first refusal. */
interface Series extends Answers {
  /** The parts that the link sent in the second before the first refusal. */
  readonly pace: number;
  /** The most parts that the carrier accepted in the second before a refusal. */
  taken: number;
  readonly firstAt: number;
  lastAt: number;
  low: number;
}

interface Trial extends Answers {
  readonly pace: number;
  readonly beganAt: number;
  /** The share of refusals that the trial expects if the throttling is random. */
  readonly expected: number;
  /** The refusals that led to the trial; undefined if the trial tests a measured share again. */
  readonly series: Series | undefined;
}

export interface PaceNow {
  /** Infinite if there is no limit. */
  readonly pace: number;
  /** May be lower than the pace. */
  readonly reached: number;
  /** Parts that the carrier accepted in the last second. */
  readonly taken: number;
}

/** Undefined if the carrier accepts less than the pace of the trial. */
export interface PaceVerdict {
  readonly pace: number | undefined;
}

/**
 * If a slower pace does not lower the share of refusals, the throttling is random. Then the link slows down only above
 * the measured share. Times are monotonic milliseconds, paces submit_sm a second.
 */
export class Chance {
  #series: Series | undefined;
  #trial: Trial | undefined;
  #known: Answers = { all: 0, throttled: 0 };
  #nextTrialAt = 0;
  #excess = 0;

  /** The share of submit_sm that the carrier throttles at random; 0 until a trial has measured it. */
  get share(): number {
    return shareOf(this.#known);
  }

  /** Undefined without a trial. */
  get trialPace(): number | undefined {
    return this.#trial?.pace;
  }

  /** Whether random throttling explains a throttling answer now, so that the link need not slow down. */
  get explains(): boolean {
    return this.#trial !== undefined || (this.share > 0 && this.#excess < excessMin);
  }

  isTrialDue(now: number): boolean {
    return this.share > 0 && this.#trial === undefined && now >= this.#nextTrialAt;
  }

  /** Call when the carrier accepted or throttled a part. Returns the verdict if this answer ends a trial. */
  heard(now: number, isThrottled: boolean): PaceVerdict | undefined {
    if (this.#series) count(this.#series, isThrottled);
    if (this.#trial) {
      count(this.#trial, isThrottled);
      return this.#judge(now, this.#trial);
    }
    if (this.share > 0) this.#excess = Math.max(0, this.#excess + this.#odds(isThrottled));
    return undefined;
  }

  /** Call for a refusal that random throttling does not explain. After several unexplained refusals a trial begins. */
  refused(now: number, { pace, reached, taken }: PaceNow): void {
    this.#excess = 0;
    const series = this.#series;
    if (!series || pace > series.pace || now - series.lastAt > togetherMs) {
      this.#series = { pace: reached, taken, firstAt: now, lastAt: now, low: 1, all: 1, throttled: 1 };
      return;
    }
    series.lastAt = now;
    series.taken = Math.max(series.taken, taken);
    if (pace <= series.pace * lowShare) series.low += 1;
    if (series.low < lowRefusals || now - series.firstAt < lowMs) return;
    this.#series = undefined;
    if (shareOf(series) > chanceMax) return;
    const trialPace = Math.min(series.pace * trialPaceShare, series.taken * trialTakenShare);
    this.#begin(now, Math.max(trialPaceMin, trialPace), series);
  }

  tryAgain(now: number, { reached }: PaceNow): void {
    this.#begin(now, reached * trialPaceShare, undefined);
  }

  #begin(beganAt: number, pace: number, series: Series | undefined): void {
    this.#trial = { pace, beganAt, expected: shareOf(series ?? this.#known), series, all: 0, throttled: 0 };
  }

  #judge(now: number, trial: Trial): PaceVerdict | undefined {
    const { all, throttled, expected, beganAt, series } = trial;
    const share = shareOf(trial);
    const tookMs = now - beganAt;
    const least = tookMs < trialShortMs ? trialRefusals : trialRefusalsMin;
    const isSame = throttled >= least && share >= expected * sameShare && share <= chanceMax;
    const isMore = all >= chanceMaxAnswers && share > chanceMax;
    const due = all * expected;
    const isFewer = due >= dueOfFew && throttled < trialRefusalsMin;
    const isNone = due >= dueOfNone && throttled === 0;
    if (!isSame && !isMore && !isFewer && !isNone && tookMs < trialMaxMs) return undefined;
    this.#trial = undefined;
    const before = series ?? this.#known;
    const isKnown = isSame || (series === undefined && throttled > 0 && !isMore);
    this.#known = isKnown ? pooled(before, trial) : { all: 0, throttled: 0 };
    const everyMs = this.#known.throttled < fewRefusals ? trialSoonMs : trialEveryMs;
    this.#nextTrialAt = now + Math.max(everyMs, tookMs * trialRarity);
    if (isMore) return { pace: undefined };
    // Without random throttling, the carrier accepts at least the pace of the trial.
    return { pace: isKnown ? series?.pace : trial.pace };
  }

  /** The evidence of one answer that the pace is too fast, as a logarithm of odds. */
  #odds(isThrottled: boolean): number {
    const share = Math.max(testedMin, this.share);
    const error = Math.sqrt((share * (1 - share)) / this.#known.all);
    const usual = Math.min(chanceMax, share + sureErrors * error);
    const high = usual + (1 - usual) * excessShare;
    return isThrottled ? Math.log(high / usual) : Math.log((1 - high) / (1 - usual));
  }
}

function pooled(before: Answers, now: Answers): Answers {
  const kept = Math.min(1, rememberedMax / before.throttled);
  return { all: before.all * kept + now.all, throttled: before.throttled * kept + now.throttled };
}

function count(answers: Answers, isThrottled: boolean): void {
  answers.all += 1;
  if (isThrottled) answers.throttled += 1;
}

function shareOf({ all, throttled }: Answers): number {
  return all === 0 ? 0 : throttled / all;
}

/** The share of throttling answers covers about this many answers: at twice this number, all counts are halved. */
const recentMax = 1_000;

export class RecentShare {
  readonly #answers: Answers = { all: 0, throttled: 0 };

  add(isThrottled: boolean): void {
    const answers = this.#answers;
    count(answers, isThrottled);
    if (answers.all < 2 * recentMax) return;
    answers.all /= 2;
    answers.throttled /= 2;
  }

  get share(): number {
    return shareOf(this.#answers);
  }
}
