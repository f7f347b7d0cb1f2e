/*
 * Some carriers throttle a share of all submit_sm by chance, at any pace. This file detects them, so that the link does not slow
 * down without need: it suspects chance, tests the suspicion with a trial at a slow pace, and then knows the share.
 */

/*
 * Suspicion: `lowRefusals` refusals below `lowShare` of the first pace, over at least `lowMs`, each within `togetherMs` of the last.
 * A real limit stops refusing at a slower pace, once the second that it counts is over.
 */
const lowRefusals = 3;
const lowMs = 1_000;
const togetherMs = 60_000;
const lowShare = 0.85;

/*
 * Trial: the link sends at these shares of the pace of the first refusal and of what the carrier accepted in a second. A real limit
 * refuses nothing then, while chance refuses the same share as before.
 */
const trialPaceShare = 0.7;
const trialTakenShare = 0.6;
const trialPaceMin = 1;
/** So many refusals end a trial at once. After `trialShortMs` fewer are enough, because a slow link would need minutes for more. */
const trialRefusals = 30;
const trialRefusalsMin = 2;
const trialShortMs = 3_000;
const trialMaxMs = 60_000;
/** Chance is ruled out when it should have caused so many refusals by now and there were none, or too few. */
const dueOfNone = 4;
const dueOfFew = 6;
/** The trial confirms the suspicion if its share of refusals is at least this part of the suspected one. */
const sameShare = 1 / 3;
/** A higher share than this is not chance: the carrier accepts less than we think, or nothing. It needs so many answers. */
const chanceMax = 0.6;
const chanceMaxAnswers = 20;

/** When a known share is tested again: soon while few refusals are known, but not before so many times the last trial's length. */
const trialSoonMs = 5_000;
const trialEveryMs = 30_000;
const fewRefusals = 20;
const trialRarity = 10;
/** Refusals that count from before a trial. The limit lets the share follow changes. */
const rememberedMax = 50;

/** The lowest share for the test of an excess, so that two refusals in a row do not count as one. */
const testedMin = 0.005;
/** The test assumes a share so many standard errors above the known one. */
const sureErrors = 1.5;
/** The excess that the test looks for: the share of refusals when the link sends about a seventh too fast. */
const excessShare = 0.15;
/** The evidence for an excess, as a logarithm of odds. By chance alone it occurs about once in ten thousand answers. */
const excessMin = 7;

/** Answers of a carrier. */
interface Answers {
  all: number;
  throttled: number;
}

/** A run of refusals. None came at a faster pace than the first. */
interface Series extends Answers {
  /** Parts sent a second at the first refusal. */
  readonly pace: number;
  /** The most parts that the carrier accepted in a second before a refusal. */
  taken: number;
  readonly firstAt: number;
  lastAt: number;
  low: number;
}

interface Trial extends Answers {
  readonly pace: number;
  readonly beganAt: number;
  /** The share of refusals that the trial expects. */
  readonly expected: number;
  /** The refusals that led to the trial; undefined if it tests a known share again. */
  readonly series: Series | undefined;
}

/** How fast the link is, in submit_sm a second. */
export interface PaceNow {
  /** The limit; infinite for none. */
  readonly pace: number;
  /** The rate that the link reaches. */
  readonly reached: number;
  /** What the carrier accepted in the last second. */
  readonly taken: number;
}

/** The result of a trial: the pace to continue with; undefined if the carrier accepts even less. */
export interface PaceVerdict {
  readonly pace: number | undefined;
}

/**
 * Tells throttling for our pace from throttling by chance. If a slower pace does not lower the share of refusals, they are chance.
 * Once the share is known, only an excess over it counts. Pure: times are monotonic milliseconds, paces are submit_sm a second.
 */
export class Chance {
  #series: Series | undefined;
  #trial: Trial | undefined;
  #known: Answers = { all: 0, throttled: 0 };
  #nextTrialAt = 0;
  #excess = 0;

  /** The share of submit_sm that the carrier throttles by chance; 0 while none is known. */
  get share(): number {
    return shareOf(this.#known);
  }

  /** The pace of the trial in progress. */
  get trialPace(): number | undefined {
    return this.#trial?.pace;
  }

  /** Whether a throttling answer now says nothing about our pace. */
  get explains(): boolean {
    return this.#trial !== undefined || (this.share > 0 && this.#excess < excessMin);
  }

  /** Whether it is time to test the known share again. */
  isTrialDue(now: number): boolean {
    return this.share > 0 && this.#trial === undefined && now >= this.#nextTrialAt;
  }

  /** Call when the carrier accepted or throttled a part. Returns the verdict if this ends a trial. */
  heard(now: number, isThrottled: boolean): PaceVerdict | undefined {
    if (this.#series) count(this.#series, isThrottled);
    if (this.#trial) {
      count(this.#trial, isThrottled);
      return this.#judge(now, this.#trial);
    }
    if (this.share > 0) this.#excess = Math.max(0, this.#excess + this.#odds(isThrottled));
    return undefined;
  }

  /** Call for a refusal that chance does not explain. After some of them a trial begins. */
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

  /** Begins a trial of the known share. */
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
    // The carrier accepts at least the pace of the trial.
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

/** At twice this number of answers, all counts are halved. */
const recentMax = 1_000;

/** The share of throttling answers among the last thousand or so. */
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
