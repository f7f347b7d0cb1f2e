import { Bucket, linkBurst, LinkPace } from './pace.ts';
import { PaceFinder } from './pace-finder.ts';

/* Decides how much a link may send now, from its settings and from the carrier's throttling answers. */

/** After so many refusals in a row the link pauses, because they are no coincidence. */
const inARow = 12;

/**
 * The pause doubles while the first part after a pause is throttled, too. Half a second is enough for carriers that
 * limit each second. The cap makes a link try at least every 10 seconds during an outage.
 */
const pauseMinMs = 500;
const pauseMaxMs = 10_000;

/** After a pause the link sends one part, and waits at most this long for its answer before it sends more. */
const probeMaxMs = 1_000;

/** The parts in flight are at most so many seconds of the pace. With more, carriers queue parts and then throttle. */
const inFlightSeconds = 2.5;

/**
 * Combines the settings (S2), the pace that the carrier accepts, and the pause after many throttling answers. Times are
 * monotonic milliseconds.
 */
export class FlowControl {
  #windowMax: number;
  readonly #throughput: number;
  readonly #limit: LinkPace;
  readonly #found: Bucket;
  readonly #finder: PaceFinder;
  #refusedInARow = 0;
  /** The most parts that may be in flight now: the lower of the window and what the pace allows. */
  #window = 0;
  #pauseMs = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  /** Answers to parts that were sent before this time are not counted, because the link has slowed down since. */
  #changedAt = Number.NEGATIVE_INFINITY;
  /** Until this time at most one part is in flight after a pause; an accepted part ends this limit earlier. */
  #probesUntil = Number.NEGATIVE_INFINITY;

  constructor({ window, throughput }: { readonly window: number; readonly throughput: number }, now: number) {
    this.#windowMax = window;
    this.#throughput = throughput;
    this.#limit = new LinkPace(throughput, now);
    this.#found = new Bucket(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, now);
    this.#finder = new PaceFinder(throughput, now);
    this.#setWindow();
  }

  /** Uses a new window, and keeps the pace that was found for the carrier. */
  useWindow(max: number): void {
    this.#windowMax = max;
    this.#setWindow();
  }

  /** The pace that was found, otherwise the throughput, in submit_sm a second; null if there is no limit. */
  get pace(): number | null {
    const { pace } = this.#finder;
    if (pace !== Number.POSITIVE_INFINITY) return pace;
    return this.#throughput === 0 ? null : this.#throughput;
  }

  get throttledShare(): number {
    return this.#finder.recentShare;
  }

  /** The share of submit_sm that the carrier throttles at any pace. */
  get chanceShare(): number {
    return this.#finder.chance;
  }

  isPaused(now: number): boolean {
    return now < this.#pausedUntil;
  }

  pauseMs(now: number): number {
    return Math.max(0, this.#pausedUntil - now);
  }

  /** The number of parts that may be sent now. `used` parts are in flight or claimed already. */
  room(now: number, used: number): number {
    if (now < this.#pausedUntil) return 0;
    const free = (now < this.#probesUntil ? 1 : this.#window) - used;
    if (free <= 0) return 0;
    const limit = this.#limit.available(now);
    const found = this.#found.available(now);
    if (found < 1 && limit >= 1 && this.#finder.lacked(now)) this.#follow(now);
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

  /** Call this for each accepted part, with the time at which the part was sent. */
  accepted(now: number, sentAt: number): void {
    this.#refusedInARow = 0;
    if (sentAt >= this.#changedAt) {
      this.#probesUntil = Number.NEGATIVE_INFINITY;
      this.#pauseMs = 0;
    }
    this.#noteAnswer(now, { isRefused: false, isCurrent: sentAt >= this.#changedAt });
  }

  /** Call this for each throttling answer, whether the carrier reports a too high rate or a full queue. */
  throttled(now: number, sentAt: number): void {
    this.#refusedInARow += 1;
    const isProbe = sentAt >= this.#pausedUntil && sentAt < this.#probesUntil;
    // Parts that were in flight together are refused together, so they make one pause.
    const isPause = isProbe || (this.#refusedInARow >= inARow && sentAt >= this.#pausedUntil);
    this.#noteAnswer(now, { isRefused: true, isCurrent: sentAt >= this.#changedAt && !isPause });
    if (!isPause) return;
    this.#pauseMs = Math.min(pauseMaxMs, Math.max(pauseMinMs, this.#pauseMs * 2));
    this.#pausedUntil = now + this.#pauseMs;
    this.#changedAt = this.#pausedUntil;
    this.#probesUntil = this.#pausedUntil + probeMaxMs;
    this.#refusedInARow = 0;
    // A throttled first part needs another pause. It does not mean that the pace is too high.
    if (isProbe) this.#finder.paused(this.#pausedUntil);
    else this.#finder.stopped(now, this.#pausedUntil);
    this.#follow(now);
  }

  #noteAnswer(now: number, answer: { readonly isRefused: boolean; readonly isCurrent: boolean }): void {
    if (!this.#finder.noteAnswer(now, answer)) return;
    this.#changedAt = now;
    this.#follow(now);
  }

  #follow(now: number): void {
    const { pace } = this.#finder;
    if (pace === Number.POSITIVE_INFINITY) this.#found.set(pace, pace, now);
    else this.#found.set(pace / 1_000, linkBurst(pace), now);
    this.#setWindow();
  }

  #setWindow(): void {
    const pace = this.pace ?? Number.POSITIVE_INFINITY;
    this.#window = Math.min(this.#windowMax, Math.max(1, Math.ceil(pace * inFlightSeconds)));
  }
}
