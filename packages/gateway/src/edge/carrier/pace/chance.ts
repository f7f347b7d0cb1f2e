/*
 * Suspicion: so many refusals, over this time, at most so far apart, from the first one on at no faster pace and below this share of
 * the first pace. A true limit that is sent more slowly refuses no more, once the second that it counts is over.
 */
const lowRefusals = 3;
const lowMs = 1_000;
const togetherMs = 60_000;
const lowShare = 0.85;

/*
 * Trial: sending goes on, at this share of the pace of the first refusal, and of what the carrier took in a second. A true limit
 * refuses nothing then, and chance refuses the share that it refused before.
 */
const trialPaceShare = 0.7;
const trialTakenShare = 0.6;
const trialPaceMin = 1;
/** So many refusals end it at once. A slow link does with fewer after a while: it would take minutes to see more. */
const trialRefusals = 30;
const trialRefusalsMin = 2;
const trialShortMs = 3_000;
const trialMaxMs = 60_000;
/** How many refusals chance would have brought by now, when it is ruled out because there were none, or fewer than the least. */
const dueOfNone = 4;
const dueOfFew = 6;
/** A share this much lower than the one that was suspected is another. */
const sameShare = 1 / 3;
/** A carrier that refuses more than this takes less than we think, or nothing: seen after so many answers. */
const chanceMax = 0.6;
const chanceMaxAnswers = 20;

/** When a known share is tried again: soon while few refusals are known, and after so many times the length of the last trial. */
const trialSoonMs = 5_000;
const trialEveryMs = 30_000;
const fewRefusals = 20;
const trialRarity = 10;
/** Refusals that are remembered from before a trial: a share that changes is followed. */
const rememberedMax = 50;

/** A share below this one is tested as this one: two refusals that meet by chance are no excess. */
const testedMin = 0.005;
/** So many standard errors above the known share it is taken to be. */
const sureErrors = 1.5;
/** The excess that is looked for: the share of refusals while we send about a seventh too fast. */
const excessShare = 0.15;
/** The evidence for an excess, as a logarithm of odds: by chance alone it comes about once in ten thousand answers. */
const excessMin = 7;

/** Answers of a carrier. */
interface Answers {
  all: number;
  throttled: number;
}

/** Refusals from the first one on, of which none came at a faster pace. */
interface Series extends Answers {
  /** What was sent a second when the carrier refused first. */
  readonly pace: number;
  /** The most that it took in a second before it refused. */
  taken: number;
  readonly firstAt: number;
  lastAt: number;
  low: number;
}

interface Trial extends Answers {
  readonly pace: number;
  readonly beganAt: number;
  /** The share that is to be found again. */
  readonly expected: number;
  /** What led to it; none where a known share is tried again. */
  readonly series: Series | undefined;
}

/** How fast the link is. */
export interface PaceNow {
  /** What it may send a second; infinite for no bound. */
  readonly pace: number;
  /** What it sends a second. */
  readonly reached: number;
  /** What the carrier took in the last second. */
  readonly taken: number;
}

/** What came of a trial: the pace to go on from, unless the carrier takes less still. */
export interface PaceVerdict {
  readonly pace: number | undefined;
}

/**
 * Tells throttling answers for our pace from those that a carrier gives by chance: a share of refusals that a slower pace
 * does not lower is not our pace. Once such a share is known, only what exceeds it counts. Pure; times are monotonic
 * milliseconds, paces submit_sm a second.
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

  /** The pace to send at while a trial lasts. */
  get trialPace(): number | undefined {
    return this.#trial?.pace;
  }

  /** Whether a throttling answer says nothing of our pace now. */
  get explains(): boolean {
    return this.#trial !== undefined || (this.share > 0 && this.#excess < excessMin);
  }

  /** Whether the known share is to be tried again. */
  isTrialDue(now: number): boolean {
    return this.share > 0 && this.#trial === undefined && now >= this.#nextTrialAt;
  }

  /** The carrier took a part or throttled it. Returns the verdict if that ends a trial. */
  heard(now: number, isThrottled: boolean): PaceVerdict | undefined {
    if (this.#series) count(this.#series, isThrottled);
    if (this.#trial) {
      count(this.#trial, isThrottled);
      return this.#judge(now, this.#trial);
    }
    if (this.share > 0) this.#excess = Math.max(0, this.#excess + this.#odds(isThrottled));
    return undefined;
  }

  /** A refusal that nothing explains. After some of them a trial begins. */
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

  /** Tries the known share again. */
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
    // What the trial sent the carrier takes, at least.
    return { pace: isKnown ? series?.pace : trial.pace };
  }

  /** How much more an answer fits a pace that is too fast, as a logarithm of odds. */
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

/** Answers that count fully: of twice as many the older half counts half. */
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
