import { Chance, RecentShare } from './chance.ts';
import { Bucket, linkBurst, LinkPace } from './pace.ts';
import { PaceFinder } from './pace-finder.ts';

/* Decides how much a link may send now, from its settings and from the carrier's throttling answers. */

/** ESME_RMSGQFUL: the carrier's queue for us is full. */
const queueFull = 0x14;

/**
 * Doubles while the first part after a pause is throttled, too. Half a second is enough for carriers that limit each
 * second. The cap makes a link try at least every 10 seconds during an outage.
 */
const pauseMinMs = 500;
const pauseMaxMs = 10_000;

/** Cuts the window to this share of the parts in flight, or to `queueDeepCutShare` if it comes within `queueSoonMs`. */
const queueCutShare = 0.875;
const queueDeepCutShare = 0.5;
const queueSoonMs = 3_000;
/** After a cut, the window grows by one part each time the carrier has accepted this many full windows. */
const queueGrowWindows = 20;

/** After a pause the link sends one part, and waits at most this long for its answer before it sends more. */
const probeMaxMs = 1_000;

/** Parts in flight, as seconds of the pace. With more, carriers queue the parts and then throttle the link. */
const inFlightSeconds = 2.5;

export interface Throttle {
  readonly commandStatus: number;
  /** The time at which the throttled submit_sm was sent. */
  readonly sentAt: number;
  /** Parts in flight, including the throttled part. */
  readonly inFlight: number;
}

/**
 * Combines the settings (S2), the pace that the carrier accepts, and the pause after a throttling answer. Times are
 * monotonic milliseconds.
 */
export class FlowControl {
  #windowMax: number;
  readonly #throughput: number;
  readonly #limit: LinkPace;
  readonly #found: Bucket;
  readonly #finder: PaceFinder;
  readonly #chance = new Chance();
  readonly #recent = new RecentShare();
  /** Parts in flight that the carrier's queue accepts: ESME_RMSGQFUL cuts it; `queueGrowWindows` windows add one. */
  #queue: number;
  #acceptedOfWindow = 0;
  #queueCutAt = Number.NEGATIVE_INFINITY;
  /** The most parts that were in flight since the last throttling answer that caused a pause. */
  #inFlightMost = 0;
  /** The most parts that may be in flight now: the lowest limit of the window, the carrier's queue and the pace. */
  #window = 0;
  #pauseMs = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** Throttling answers to parts that were sent before this time are ignored, because the link has slowed down since. */
  #changedAt = Number.NEGATIVE_INFINITY;
  /** Until this time at most one part is in flight after a pause; an accepted part ends this limit earlier. */
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

  /** The pace and the queue length that were found for the carrier are kept. */
  useWindow(max: number): void {
    this.#queue = this.#queue === this.#windowMax ? max : Math.min(this.#queue, max);
    this.#windowMax = max;
    this.#setWindow();
  }

  /** The pace that was found, otherwise the throughput, in submit_sm a second; null without a limit. */
  get pace(): number | null {
    const pace = this.#pace;
    if (pace !== Number.POSITIVE_INFINITY) return pace;
    return this.#throughput === 0 ? null : this.#throughput;
  }

  get throttledShare(): number {
    return this.#recent.share;
  }

  /** The share of submit_sm that the carrier throttles at random; 0 until a trial has measured it. */
  get chanceShare(): number {
    return this.#chance.share;
  }

  isPaused(now: number): boolean {
    return now < this.#pausedUntil;
  }

  pauseMs(now: number): number {
    return Math.max(0, this.#pausedUntil - now);
  }

  /** `used` parts are in flight or claimed already. */
  room(now: number, used: number): number {
    if (now < this.#pausedUntil) return 0;
    const free = (now < this.#probesUntil ? 1 : this.#window) - used;
    if (free <= 0) return 0;
    const limit = this.#limit.available(now);
    const found = this.#found.available(now);
    if (found < 1 && limit >= 1) this.#grow(now);
    return Math.min(free, limit, found);
  }

  /** Milliseconds until time alone makes room for a part; 0 if only an answer of the carrier makes room. */
  waitMs(now: number): number {
    if (now < this.#pausedUntil) return this.#pausedUntil - now;
    if (now < this.#probesUntil) return this.#probesUntil - now;
    return Math.max(this.#limit.waitMs(now), this.#found.waitMs(now));
  }

  take(count: number): void {
    this.#limit.take(count);
    this.#found.take(count);
  }

  giveBack(count: number): void {
    this.#limit.giveBack(count);
    this.#found.giveBack(count);
  }

  /** Call after a part was sent. `inFlight` includes it. */
  sent(inFlight: number): void {
    if (inFlight > this.#inFlightMost) this.#inFlightMost = inFlight;
  }

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
   * Each throttling answer makes the pause longer, and the pace slower. If the throttling is random, the link does not
   * pause; only the throttled part is sent again.
   */
  throttled(now: number, { commandStatus, sentAt, inFlight }: Throttle): void {
    this.#recent.add(true);
    if (commandStatus !== queueFull) {
      this.#heard(now, true);
      if (this.#chance.explains) return;
    }
    // Parts that were in flight together are refused together, so their refusals count once.
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
      // The first part after a pause was throttled, so the carrier accepts no parts at the moment. A throttled first part needs
      // another pause, but does not mean that the pace is too fast.
      this.#finder.paused(this.#pausedUntil);
    } else if (commandStatus === queueFull && held > 1) {
      // The carrier's queue holds too many parts, which does not mean that the pace is too fast. If only one part was in flight,
      // a pace that is too fast must be the cause.
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

  /** The detection of random throttling may change the pace. While a trial runs, its pace applies. */
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
