import type { RequestName } from '../codec/commands.ts';

/*
 * The window of a session: sequence numbers, deadlines and the limit of requests in flight.
 */

/** Sequence numbers run from 1 to 0x7FFFFFFF, then start again at 1 (3.4 section 5.1.4). */
export const sequenceNumberMax = 0x7fffffff;

/** A request without an answer. */
export interface Waiting<T> {
  readonly sequence_number: number;
  readonly command: RequestName;
  /** In milliseconds of the session's clock. */
  readonly deadline: number;
  /** What the owner needs to settle the request. */
  readonly waiter: T;
}

export interface WindowOptions {
  /** The most requests in flight. */
  readonly max: number;
  /** Sequence number of the first request. */
  readonly first?: number;
  /** The highest sequence number. */
  readonly last?: number;
  /** How many expired numbers to remember, so that late answers can be told from unknown ones. */
  readonly lateMax?: number;
}

// The largest windows in use have 1,000 requests, all of which may expire at once.
const lateMax = 1024;

/**
 * The requests in flight of one session, by sequence number. Pure: the caller gives the time in milliseconds of a
 * monotonic clock. Deadlines never decrease: one that is earlier than that of the request before is raised to it.
 * Expiry therefore only looks at the oldest requests.
 */
export class Window<T> {
  /** The most requests in flight. It may change; requests in flight stay. */
  max: number;
  readonly #lateMax: number;
  // Maps and sets keep the order of insertion, which is also the order of deadlines.
  readonly #waiting = new Map<number, Waiting<T>>();
  readonly #late = new Set<number>();
  readonly #last: number;
  #next: number;
  /** Requests that expired since the last sign of life of the peer. */
  #unheard = 0;
  #lastDeadline = -Infinity;

  constructor(options: WindowOptions) {
    this.max = options.max;
    this.#lateMax = options.lateMax ?? lateMax;
    this.#last = options.last ?? sequenceNumberMax;
    this.#next = options.first ?? 1;
  }

  /** Requests in flight. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * How many requests may be added. Expired requests keep their places until the peer gives a sign of life. A peer that
   * lets them all expire and stays silent may be gone, and gets no new ones.
   */
  get room(): number {
    return Math.max(0, this.max - this.#waiting.size - this.#unheard);
  }

  /** Whether requests have expired since the last sign of life of the peer. */
  get isUnheard(): boolean {
    return this.#unheard > 0;
  }

  /** The peer gave a sign of life. */
  heard(): void {
    this.#unheard = 0;
  }

  /** A sequence number for a request outside the window, such as our own enquire_link. */
  number(): number {
    while (this.#waiting.has(this.#next)) this.#next = this.#following(this.#next);
    const number = this.#next;
    this.#next = this.#following(number);
    return number;
  }

  /**
   * Adds a request under a new sequence number. Throws RangeError if there is no room, which the caller must check
   * before.
   */
  add(command: RequestName, deadline: number, waiter: T): Waiting<T> {
    if (this.room <= 0) throw new RangeError('the window is full');
    const sequence_number = this.number();
    // With no request in flight the deadline may be earlier than the last one.
    this.#lastDeadline = this.#waiting.size === 0 ? deadline : Math.max(this.#lastDeadline, deadline);
    const waiting = { sequence_number, command, deadline: this.#lastDeadline, waiter };
    this.#waiting.set(sequence_number, waiting);
    // The numbers may have wrapped around while this one was still remembered as late.
    if (this.#late.size > 0) this.#late.delete(sequence_number);
    return waiting;
  }

  /** The request with this number. It stays in the window. */
  find(sequence_number: number): Waiting<T> | undefined {
    return this.#waiting.get(sequence_number);
  }

  /** The request that has waited longest. */
  oldest(): Waiting<T> | undefined {
    return this.#waiting.values().next().value;
  }

  /** Removes the request with this number. `late`: it expired before. `unknown`: it was never sent. */
  take(sequence_number: number): Waiting<T> | 'late' | 'unknown' {
    const waiting = this.#waiting.get(sequence_number);
    if (waiting === undefined) return this.#late.delete(sequence_number) ? 'late' : 'unknown';
    this.#waiting.delete(sequence_number);
    return waiting;
  }

  /** Removes the requests whose deadline has passed, oldest first. */
  expire(now: number): Waiting<T>[] {
    const expired: Waiting<T>[] = [];
    for (const waiting of this.#waiting.values()) {
      if (waiting.deadline > now) break;
      expired.push(waiting);
    }
    this.#unheard += expired.length;
    for (const { sequence_number } of expired) {
      this.#waiting.delete(sequence_number);
      this.#remember(sequence_number);
    }
    return expired;
  }

  /** Removes all requests, oldest first, because the session is over. */
  drain(): Waiting<T>[] {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    return all;
  }

  #following(number: number): number {
    return number >= this.#last ? 1 : number + 1;
  }

  #remember(sequence_number: number): void {
    this.#late.add(sequence_number);
    if (this.#late.size <= this.#lateMax) return;
    const { value } = this.#late.values().next();
    if (value !== undefined) this.#late.delete(value);
  }
}
