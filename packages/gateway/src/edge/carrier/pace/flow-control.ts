import { Chance, RecentShare } from './chance.ts';
import { Bucket, linkBurst, LinkPace } from './pace.ts';
import { PaceFinder } from './pace-finder.ts';

/* Decides how much a link may send now, from its settings and from the carrier's throttling answers. */

/** ESME_RMSGQFUL: the carrier's queue for us is full. */
const queueFull = 0x14;

/**
 * The pause of a link after a throttling answer. It doubles while the next part is throttled, too. Half a second is enough on
 * average for carriers that count by the second. The cap keeps asking a carrier that has an outage.
 */
const pauseMinMs = 500;
const pauseMaxMs = 10_000;

/** RMSGQFUL cuts the parts in flight to the first share, or to the second if it comes again within `queueSoonMs`. */
const queueCutShare = 0.875;
const queueDeepCutShare = 0.5;
const queueSoonMs = 3_000;
/** Windows that the carrier must accept before one part more may be in flight. */
const queueGrowWindows = 20;

/** After a pause one part goes first. The link waits for its answer no longer than this. */
const probeMaxMs = 1_000;

/** Parts in flight, in seconds of the pace. Carriers queue more than that, and throttle for it. */
const inFlightSeconds = 2.5;

/** A throttling answer. */
export interface Throttle {
  readonly commandStatus: number;
  /** When its submit_sm was sent. */
  readonly sentAt: number;
  /** Parts in flight, including this one. */
  readonly inFlight: number;
}

/**
 * Combines the throughput and window of the settings (S2), the pace that the carrier accepts, and the pause after a throttling
 * answer. Pure: the time comes in as monotonic milliseconds.
 */
export class FlowControl {
  #windowMax: number;
  readonly #throughput: number;
  readonly #limit: LinkPace;
  readonly #found: Bucket;
  readonly #finder: PaceFinder;
  readonly #chance = new Chance();
  readonly #recent = new RecentShare();
  /** The window that the carrier's queue accepts. RMSGQFUL cuts it; accepted windows raise it by one. */
  #queue: number;
  #acceptedOfWindow = 0;
  #queueCutAt = Number.NEGATIVE_INFINITY;
  /** The most parts in flight since the last throttling answer that counted. */
  #inFlightMost = 0;
  /** The parts that may be in flight: the least of the window, the carrier's queue and the pace. */
  #window = 0;
  #pauseMs = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** Throttling answers to parts sent before this time are ignored, because they do not reflect the last change. */
  #changedAt = Number.NEGATIVE_INFINITY;
  /** Until then one part goes alone after a pause, unless it is accepted earlier. */
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

  /** Changes the window. What was learned about the carrier stays. */
  useWindow(max: number): void {
    this.#queue = this.#queue === this.#windowMax ? max : Math.min(this.#queue, max);
    this.#windowMax = max;
    this.#setWindow();
  }

  /** submit_sm a second: the pace that was found, or the throughput; null if there is neither. */
  get pace(): number | null {
    const pace = this.#pace;
    if (pace !== Number.POSITIVE_INFINITY) return pace;
    return this.#throughput === 0 ? null : this.#throughput;
  }

  /** The share of throttling answers among the newest. */
  get throttledShare(): number {
    return this.#recent.share;
  }

  /** The share of submit_sm that the carrier throttles by chance; 0 while none is known. */
  get chanceShare(): number {
    return this.#chance.share;
  }

  isPaused(now: number): boolean {
    return now < this.#pausedUntil;
  }

  /** The rest of the pause. */
  pauseMs(now: number): number {
    return Math.max(0, this.#pausedUntil - now);
  }

  /** How many more parts may be claimed when `used` are in flight or claimed. */
  room(now: number, used: number): number {
    if (now < this.#pausedUntil) return 0;
    const free = (now < this.#probesUntil ? 1 : this.#window) - used;
    if (free <= 0) return 0;
    const limit = this.#limit.available(now);
    const found = this.#found.available(now);
    if (found < 1 && limit >= 1) this.#grow(now);
    return Math.min(free, limit, found);
  }

  /** How long until there may be room without any answer; 0 if only an answer makes room. */
  waitMs(now: number): number {
    if (now < this.#pausedUntil) return this.#pausedUntil - now;
    if (now < this.#probesUntil) return this.#probesUntil - now;
    return Math.max(this.#limit.waitMs(now), this.#found.waitMs(now));
  }

  take(count: number): void {
    this.#limit.take(count);
    this.#found.take(count);
  }

  /** Returns tokens that were taken and not used. */
  giveBack(count: number): void {
    this.#limit.giveBack(count);
    this.#found.giveBack(count);
  }

  /** Call when a part was sent. `inFlight` includes it. */
  sent(inFlight: number): void {
    if (inFlight > this.#inFlightMost) this.#inFlightMost = inFlight;
  }

  /** Call when the carrier accepted a part. */
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
   * Call for a throttling answer. The whole link pauses, longer each time, and then sends more slowly. If the carrier
   * throttles by chance, only the part is sent again.
   */
  throttled(now: number, { commandStatus, sentAt, inFlight }: Throttle): void {
    this.#recent.add(true);
    if (commandStatus !== queueFull) {
      this.#heard(now, true);
      if (this.#chance.explains) return;
    }
    // Parts that were in flight together are refused together, and count once.
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
      // The carrier accepts nothing just now. That calls for a pause, and says nothing about the pace.
      this.#finder.paused(this.#pausedUntil);
    } else if (commandStatus === queueFull && held > 1) {
      // The carrier holds too many parts at once, which says nothing about the pace. With one in flight it must mean the pace.
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

  /** Passes an answer to the detection of chance, and follows its verdict. A trial has its own pace. */
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

  /** Sets the bucket to the pace that was found. */
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
