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

/** How many slots a window has at first. It gets more before half of them are in use. */
const slotsAtFirst = 32;

/**
 * The requests in flight of one session, by sequence number. Has no clock: the caller passes the time in milliseconds
 * of a monotonic clock.
 *
 * The request with number n is in slot n modulo their count, and a number whose slot is in use is left out: numbers
 * only have to grow (3.4 section 3.2). A Map is no good for entries that come and go with each message. When it has no
 * room, it copies itself, and its old table, which may live on among old objects, keeps the new one alive. So each
 * request survived until the next major collection, and collecting garbage took a fifth of the time of a message.
 */
export class Window<T> {
  /** The most requests in flight. The caller may change this limit; requests already in flight remain. */
  max: number;
  readonly #lateMax: number;
  #slots: (Waiting<T> | undefined)[] = emptySlots(slotsAtFirst);
  #size = 0;
  readonly #late = new Set<number>();
  readonly #last: number;
  #next: number;
  /** How many requests have timed out since the peer last sent a PDU. */
  #unheard = 0;

  constructor(options: WindowOptions) {
    this.max = options.max;
    this.#lateMax = options.lateMax ?? lateMax;
    this.#last = options.last ?? sequenceNumberMax;
    this.#next = options.first ?? 1;
  }

  /** Requests in flight. */
  get size(): number {
    return this.#size;
  }

  /**
   * How many requests may be added to the window. Timed-out requests occupy the window until the peer sends a PDU. If
   * all requests time out and the peer stays silent, the peer gets no new requests.
   */
  get room(): number {
    return Math.max(0, this.max - this.#size - this.#unheard);
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
    while (this.#slots[this.#next % this.#slots.length] !== undefined) this.#next = this.#following(this.#next);
    const number = this.#next;
    this.#next = this.#following(number);
    return number;
  }

  /**
   * Adds a request with a new sequence number. Throws RangeError if `room` is 0; the caller must check `room` first.
   */
  add(command: RequestName, deadline: number, waiter: T): Waiting<T> {
    if (this.room <= 0) throw new RangeError('the window is full; check `room` first');
    this.#size += 1;
    if (this.#size * 2 > this.#slots.length) this.#grow();
    const sequence_number = this.number();
    const waiting = { sequence_number, command, deadline, waiter };
    this.#slots[sequence_number % this.#slots.length] = waiting;
    // Sequence numbers start again at 1 after the highest number. Therefore this sequence number may still be in the
    // list of late requests.
    if (this.#late.size > 0) this.#late.delete(sequence_number);
    return waiting;
  }

  /** Returns the request with this sequence number, and does not remove it. */
  find(sequence_number: number): Waiting<T> | undefined {
    const waiting = this.#slots[sequence_number % this.#slots.length];
    return waiting?.sequence_number === sequence_number ? waiting : undefined;
  }

  /** The request that has waited longest. */
  oldest(): Waiting<T> | undefined {
    return this.#inOrder()[0];
  }

  /**
   * Removes and returns the request with this sequence number. Returns `late` if the request timed out before, and
   * `unknown` if no such request is known.
   */
  take(sequence_number: number): Waiting<T> | 'late' | 'unknown' {
    const waiting = this.find(sequence_number);
    if (waiting === undefined) return this.#late.delete(sequence_number) ? 'late' : 'unknown';
    this.#remove(waiting);
    return waiting;
  }

  /** Removes and returns the requests whose deadline has passed, oldest first. Looks at all: call it some times a second. */
  expire(now: number): Waiting<T>[] {
    const expired = this.#inOrder(now);
    this.#unheard += expired.length;
    for (const waiting of expired) {
      this.#remove(waiting);
      this.#remember(waiting.sequence_number);
    }
    return expired;
  }

  /** Removes and returns all requests, oldest first, because the session is over. */
  drain(): Waiting<T>[] {
    const all = this.#inOrder();
    for (const waiting of all) this.#remove(waiting);
    return all;
  }

  /** The requests in flight whose deadline is not after `until`, oldest first. */
  #inOrder(until = Infinity): Waiting<T>[] {
    // Numbers start again, so the oldest request is the one whose number would be given out next.
    const place = ({ sequence_number }: Waiting<T>) => (sequence_number - this.#next + this.#last) % this.#last;
    return this.#slots
      .filter((waiting): waiting is Waiting<T> => waiting !== undefined && waiting.deadline <= until)
      .toSorted((one, other) => place(one) - place(other));
  }

  #remove({ sequence_number }: Waiting<T>): void {
    this.#slots[sequence_number % this.#slots.length] = undefined;
    this.#size -= 1;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = emptySlots(2 * before.length);
    for (const waiting of before) if (waiting) this.#slots[waiting.sequence_number % this.#slots.length] = waiting;
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

function emptySlots(count: number): undefined[] {
  return Array.from({ length: count }, () => undefined);
}
