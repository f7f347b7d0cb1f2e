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
  /** When the request times out, in milliseconds of the session's clock. */
  readonly deadline: number;
  /** The caller's data, which the caller needs to report the outcome of the request. */
  readonly waiter: T;
}

export interface WindowOptions {
  /** The most requests in flight. */
  readonly max: number;
  /** The sequence number of the first request. */
  readonly first?: number;
  /** The highest sequence number. */
  readonly last?: number;
  /** How many sequence numbers of timed-out requests to remember, in order to recognize late answers. */
  readonly lateMax?: number;
}

// The largest windows in use have 1,000 requests, and all of them may time out at once.
const lateMax = 1024;

/**
 * The requests in flight of one session, by sequence number. Has no clock: the caller passes the time in milliseconds
 * of a monotonic clock. Each deadline is at least as late as the deadline of the request before. Therefore `expire`
 * checks only the oldest requests.
 */
export class Window<T> {
  /** The most requests in flight. The caller may change this limit; requests already in flight remain. */
  max: number;
  readonly #lateMax: number;
  // A Map keeps the order of insertion, and this is also the order of deadlines.
  readonly #waiting = new Map<number, Waiting<T>>();
  readonly #late = new Set<number>();
  readonly #last: number;
  #next: number;
  /** How many requests have timed out since the peer last sent a PDU. */
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
   * How many requests may be added to the window. Timed-out requests occupy the window until the peer sends a PDU. If
   * all requests time out and the peer stays silent, the peer gets no new requests.
   */
  get room(): number {
    return Math.max(0, this.max - this.#waiting.size - this.#unheard);
  }

  /** Whether any request has timed out since the peer last sent a PDU. */
  get isUnheard(): boolean {
    return this.#unheard > 0;
  }

  /** To call when the peer sends a PDU. */
  heard(): void {
    this.#unheard = 0;
  }

  /**
   * Returns a sequence number for a request that does not count in the window, such as an enquire_link of the session.
   */
  number(): number {
    while (this.#waiting.has(this.#next)) this.#next = this.#following(this.#next);
    const number = this.#next;
    this.#next = this.#following(number);
    return number;
  }

  /**
   * Adds a request with a new sequence number. Throws RangeError if `room` is 0; the caller must check `room` first.
   */
  add(command: RequestName, deadline: number, waiter: T): Waiting<T> {
    if (this.room <= 0) throw new RangeError('the window is full; check `room` first');
    const sequence_number = this.number();
    // If no request is in flight, the new deadline may be earlier than the previous deadline.
    this.#lastDeadline = this.#waiting.size === 0 ? deadline : Math.max(this.#lastDeadline, deadline);
    const waiting = { sequence_number, command, deadline: this.#lastDeadline, waiter };
    this.#waiting.set(sequence_number, waiting);
    // Sequence numbers start again at 1 after the highest number. Therefore this sequence number may still be in the
    // list of late requests.
    if (this.#late.size > 0) this.#late.delete(sequence_number);
    return waiting;
  }

  /** Returns the request with this sequence number, and does not remove it. */
  find(sequence_number: number): Waiting<T> | undefined {
    return this.#waiting.get(sequence_number);
  }

  /** The request that has waited longest. */
  oldest(): Waiting<T> | undefined {
    return this.#waiting.values().next().value;
  }

  /**
   * Removes and returns the request with this sequence number. Returns `late` if the request timed out before, and
   * `unknown` if no such request is known.
   */
  take(sequence_number: number): Waiting<T> | 'late' | 'unknown' {
    const waiting = this.#waiting.get(sequence_number);
    if (waiting === undefined) return this.#late.delete(sequence_number) ? 'late' : 'unknown';
    this.#waiting.delete(sequence_number);
    return waiting;
  }

  /** Removes and returns the requests whose deadline has passed, oldest first. */
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

  /** Removes and returns all requests, oldest first, because the session is over. */
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
