import { Chance, RecentShare } from './chance.ts';
import { Bucket, linkBurst, LinkPace } from './pace.ts';
import { PaceFinder } from './pace-finder.ts';

/** ESME_RMSGQFUL: the carrier's queue for us is full. */
const queueFull = 0x14;

/**
 * How long a link pauses after a throttling answer, doubling while what it sends then is throttled, too. Half a second is
 * enough for carriers that count by the second and have counted half of one; the cap keeps a carrier that is ill asked.
 */
const pauseMinMs = 500;
const pauseMaxMs = 10_000;

/** RMSGQFUL cuts what may be in flight to a share of what was: to the smaller one if it comes again within a short time. */
const queueCutShare = 0.875;
const queueDeepCutShare = 0.5;
const queueSoonMs = 3_000;
/** Windows accepted until one part more may be in flight. */
const queueGrowWindows = 20;

/** How long the first part after a pause goes alone. A carrier that is slow to answer is not waited for any longer. */
const probeMaxMs = 1_000;

/** What may be in flight, in seconds of the pace: carriers queue what is more, and throttle for it (smpp-in-the-wild, 16). */
const inFlightSeconds = 2.5;

/** What a link is told of a throttling answer. */
export interface Throttle {
  readonly commandStatus: number;
  /** When its submit_sm was sent. */
  readonly sentAt: number;
  /** Parts in flight, this one among them. */
  readonly inFlight: number;
}

/**
 * When and how much a link may send: the throughput and the window that were set (S2), the pace that the carrier takes, and
 * the pause after it said slow down. Pure: the time comes in as monotonic milliseconds.
 */
export class FlowControl {
  #windowMax: number;
  readonly #throughput: number;
  readonly #limit: LinkPace;
  readonly #found: Bucket;
  readonly #finder: PaceFinder;
  readonly #chance = new Chance();
  readonly #recent = new RecentShare();
  /** The window that the carrier's queue takes: cut by RMSGQFUL, and one more each time so many windows were accepted. */
  #queue: number;
  #acceptedOfWindow = 0;
  #queueCutAt = Number.NEGATIVE_INFINITY;
  /** Since the last throttling answer that counted. */
  #inFlightMost = 0;
  /** What may be in flight: the window, the carrier's queue, and the pace taken together. */
  #window = 0;
  #pauseMs = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** Answers to what was sent before speak of what is over. */
  #changedAt = Number.NEGATIVE_INFINITY;
  /** After a pause one part goes first, until it is accepted or a while has passed. */
  #probesUntil = Number.NEGATIVE_INFINITY;

  constructor({ window, throughput }: { readonly window: number; readonly throughput: number }, now: number) {
    this.#windowMax = window;
    this.#throughput = throughput;
    this.#queue = window;
    this.#limit = new LinkPace(throughput, now);
    this.#found = new Bucket(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, now);
    this.#finder = new PaceFinder(throughput, now);
    this.#setWindow();
  }

  /** Goes by another window; what was found of the carrier stays. */
  useWindow(max: number): void {
    this.#queue = this.#queue === this.#windowMax ? max : Math.min(this.#queue, max);
    this.#windowMax = max;
    this.#setWindow();
  }

  /** Submit_sm a second: what was found, or else the throughput; null while neither sets a bound. */
  get pace(): number | null {
    const pace = this.#pace;
    if (pace !== Number.POSITIVE_INFINITY) return pace;
    return this.#throughput === 0 ? null : this.#throughput;
  }

  /** The share of throttling answers among the newest. */
  get throttledShare(): number {
    return this.#recent.share;
  }

  /** The share that the carrier throttles by chance; 0 while none is known. */
  get chanceShare(): number {
    return this.#chance.share;
  }

  isPaused(now: number): boolean {
    return now < this.#pausedUntil;
  }

  /** How long it is paused still. */
  pauseMs(now: number): number {
    return Math.max(0, this.#pausedUntil - now);
  }

  /** How many parts more may be claimed when `used` are in flight or on their way. */
  room(now: number, used: number): number {
    if (now < this.#pausedUntil) return 0;
    const free = (now < this.#probesUntil ? 1 : this.#window) - used;
    if (free <= 0) return 0;
    const limit = this.#limit.available(now);
    const found = this.#found.available(now);
    if (found < 1 && limit >= 1) this.#grow(now);
    return Math.min(free, limit, found);
  }

  /** How long until there may be room without an answer; 0 if only answers make room. */
  waitMs(now: number): number {
    if (now < this.#pausedUntil) return this.#pausedUntil - now;
    if (now < this.#probesUntil) return this.#probesUntil - now;
    return Math.max(this.#limit.waitMs(now), this.#found.waitMs(now));
  }

  take(count: number): void {
    this.#limit.take(count);
    this.#found.take(count);
  }

  /** Gives back what was taken and not sent. */
  giveBack(count: number): void {
    this.#limit.giveBack(count);
    this.#found.giveBack(count);
  }

  /** A part was sent, and so many are in flight with it. */
  sent(inFlight: number): void {
    if (inFlight > this.#inFlightMost) this.#inFlightMost = inFlight;
  }

  /** The carrier took a part. */
  accepted(now: number, sentAt: number): void {
    this.#recent.add(false);
    this.#finder.accepted(now);
    this.#heard(now, false);
    if (sentAt >= this.#changedAt) {
      this.#probesUntil = Number.NEGATIVE_INFINITY;
      this.#pauseMs = 0;
    }
    if (this.#queue < this.#windowMax && ++this.#acceptedOfWindow >= this.#queue * queueGrowWindows) {
      this.#acceptedOfWindow = 0;
      this.#queue += 1;
      this.#setWindow();
    }
  }

  /**
   * The carrier said slow down: the whole link pauses, longer each time, and goes on more slowly. Not so where it says that by
   * chance: then the part only goes again.
   */
  throttled(now: number, { commandStatus, sentAt, inFlight }: Throttle): void {
    this.#recent.add(true);
    if (commandStatus !== queueFull) {
      this.#heard(now, true);
      if (this.#chance.explains) return;
    }
    // What was in flight together is refused together, and says the same only once.
    if (sentAt < this.#changedAt) return;
    const wasProbe = sentAt < this.#probesUntil;
    this.#pauseMs = Math.min(pauseMaxMs, Math.max(pauseMinMs, this.#pauseMs * 2));
    this.#pausedUntil = now + this.#pauseMs;
    this.#changedAt = now;
    this.#probesUntil = this.#pausedUntil + probeMaxMs;
    const held = Math.min(this.#queue, this.#inFlightMost);
    this.#inFlightMost = 0;
    if (commandStatus !== queueFull) this.#chance.refused(now, this.#finder.at(now));
    if (wasProbe) {
      // It takes nothing at all just now: that is for the pause, and says nothing of the pace.
      this.#finder.paused(this.#pausedUntil);
    } else if (commandStatus === queueFull && held > 1) {
      // It holds too many of ours at once, which says nothing of how many a second; with one in flight it can only mean that.
      const isSoon = now - this.#queueCutAt < queueSoonMs;
      this.#queue = Math.floor(held * (isSoon ? queueDeepCutShare : queueCutShare));
      this.#queueCutAt = now;
      this.#acceptedOfWindow = 0;
    } else {
      this.#finder.throttled(now, { inFlight, resumesAt: this.#pausedUntil, chance: this.#chance.share });
      this.#follow(now);
    }
    this.#setWindow();
  }

  /** What an answer says of chance. A trial goes at a pace of its own. */
  #heard(now: number, isThrottled: boolean): void {
    const verdict = this.#chance.heard(now, isThrottled);
    const isDue = this.#chance.isTrialDue(now);
    if (isDue) this.#chance.tryAgain(now, this.#finder.at(now));
    if (verdict?.pace !== undefined) this.#finder.restore(verdict.pace);
    if (!verdict && !isDue) return;
    this.#finder.paused(Math.max(now, this.#pausedUntil));
    this.#follow(now);
    this.#setWindow();
  }

  get #pace(): number {
    return this.#chance.trialPace ?? this.#finder.pace;
  }

  #grow(now: number): void {
    if (this.#chance.trialPace !== undefined) return;
    const before = this.#finder.pace;
    this.#finder.lacked(now);
    if (this.#finder.pace === before) return;
    this.#follow(now);
    this.#setWindow();
  }

  /** Sends at the pace that was found. */
  #follow(now: number): void {
    const pace = this.#pace;
    if (pace === Number.POSITIVE_INFINITY) this.#found.set(pace, pace, now);
    else this.#found.set(pace / 1_000, linkBurst(pace), now);
  }

  #setWindow(): void {
    const pace = this.pace ?? Number.POSITIVE_INFINITY;
    this.#window = Math.min(this.#windowMax, this.#queue, Math.max(1, Math.ceil(pace * inFlightSeconds)));
  }
}
