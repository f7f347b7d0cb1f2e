/*
 * Whether this node may send. An answered renewal of its lease proves this for a moment. A pause of the whole machine,
 * which was suspended or moved, ends the proof: the monotonic clock stands still, while the clock that counts suspended
 * time, or the wall clock, goes on. A step of the wall clock looks the same.
 */

import { secondMs } from '@morsel/api/values/time.ts';
import type { Clock } from '../../runtime/clock.ts';

/**
 * How long a renewal proves that no other node has this node's work (P7). Longer than the second between two renewals,
 * and shorter than the time after which others take over (`goneMs`).
 */
export const provenMs = 1_500;

const pauseMinMs = secondMs;
/** CLOCK_BOOTTIME is read from a file, so it is not read for each write to a socket. */
const bootEveryMs = 100;

/** The monotonic clock, and how far the wall clock and the clock since boot are ahead of it. A pause changes these. */
interface Reading {
  readonly at: number;
  readonly wall: number;
  readonly boot: number;
}

export class Proof {
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs' | 'bootMs'>;
  readonly #needed: (isPause: boolean) => void;
  #boot = { at: Number.NEGATIVE_INFINITY, distance: 0 };
  /** The reading when the last answered renewal was sent. */
  #last: Reading;
  /** Set while a proof is missing, as before the first one. */
  #missing: PromiseWithResolvers<void> | undefined = Promise.withResolvers();

  /** Calls `needed` when there is no proof any more: a renewal must be sent. */
  constructor(clock: Pick<Clock, 'now' | 'monotonicMs' | 'bootMs'>, needed: (isPause: boolean) => void) {
    this.#clock = clock;
    this.#needed = needed;
    this.#last = this.read();
  }

  /** When the last answered renewal was sent, on the monotonic clock. */
  get at(): number {
    return this.#last.at;
  }

  /** Call this when a renewal is sent. */
  read(): Reading {
    const at = this.#clock.monotonicMs();
    if (at - this.#boot.at >= bootEveryMs) this.#boot = { at, distance: this.#clock.bootMs() - at };
    return { at, wall: this.#clock.now() - at, boot: this.#boot.distance };
  }

  /** Undefined while there is a proof. Else resolves with the next one. */
  whenProven(): Promise<void> | undefined {
    const now = this.read();
    if (!this.#missing && !isProof(this.#last, now)) {
      this.#missing = Promise.withResolvers();
      this.#needed(isPause(this.#last, now));
    }
    return this.#missing?.promise;
  }

  /** Call this when a renewal is answered, with what `read` returned when it was sent. */
  renewed(sent: Reading): void {
    if (sent.at >= this.#last.at) this.#last = sent;
    if (!isProof(this.#last, this.read())) return;
    this.#missing?.resolve();
    this.#missing = undefined;
  }
}

function isProof(sent: Reading, now: Reading): boolean {
  return now.at - sent.at < provenMs && !isPause(sent, now);
}

function isPause(one: Reading, other: Reading): boolean {
  return Math.abs(one.wall - other.wall) > pauseMinMs || Math.abs(one.boot - other.boot) > pauseMinMs;
}
