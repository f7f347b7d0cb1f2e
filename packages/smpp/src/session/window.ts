import type { RequestName } from '../codec/commands.ts';

/** Sequence numbers go from 1 to 0x7FFFFFFF and then from 1 again (SMPP 3.4 section 5.1.4). */
export const sequenceNumberMax = 0x7fffffff;

/** A request that was sent and has no answer yet. */
export interface Waiting<T> {
  readonly sequence_number: number;
  readonly command: RequestName;
  /** Milliseconds on the clock of the session. */
  readonly deadline: number;
  /** Whatever the owner needs to settle it. */
  readonly waiter: T;
}

export interface WindowOptions {
  /** Requests that may wait at the same time. */
  readonly max: number;
  /** Sequence number of the first request. */
  readonly first?: number;
  /** Highest sequence number, after which comes 1. */
  readonly last?: number;
  /** How many expired numbers are remembered, to tell a late answer from an unknown one. */
  readonly lateMax?: number;
}

// A window of the largest size in use (1,000) may expire whole and still be recognised.
const lateMax = 1024;

/**
 * The requests in flight of one session, by sequence number. Pure: time comes in as milliseconds of any one monotonic
 * clock. Deadlines form a queue: one that is earlier than the request before it is raised to that one's, so expiry
 * looks at the oldest only.
 */
export class Window<T> {
  /** May change: what is in flight then stays. */
  max: number;
  readonly #lateMax: number;
  // Maps and sets keep the order of insertion, which is the order of the deadlines.
  readonly #waiting = new Map<number, Waiting<T>>();
  readonly #late = new Set<number>();
  readonly #last: number;
  #next: number;
  /** Requests that expired since the peer was last heard. */
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
   * How many requests more may be added. Those that expired keep their places until the peer is heard: one that has let them all
   * expire and says nothing may be gone, and gets nothing new.
   */
  get room(): number {
    return Math.max(0, this.max - this.#waiting.size - this.#unheard);
  }

  /** Whether requests expired and the peer was not heard since. */
  get isUnheard(): boolean {
    return this.#unheard > 0;
  }

  /** The peer said something, whatever it was. */
  heard(): void {
    this.#unheard = 0;
  }

  /** Takes a sequence number for a request that does not count, such as our own enquire_link. */
  number(): number {
    while (this.#waiting.has(this.#next)) this.#next = this.#following(this.#next);
    const number = this.#next;
    this.#next = this.#following(number);
    return number;
  }

  /**
   * Adds a request under a new sequence number.
   *
   * @throws RangeError when there is no room; the caller has to look before.
   */
  add(command: RequestName, deadline: number, waiter: T): Waiting<T> {
    if (this.room <= 0) throw new RangeError('the window is full');
    const sequence_number = this.number();
    // With nothing in flight there is nothing to be behind.
    this.#lastDeadline = this.#waiting.size === 0 ? deadline : Math.max(this.#lastDeadline, deadline);
    const waiting = { sequence_number, command, deadline: this.#lastDeadline, waiter };
    this.#waiting.set(sequence_number, waiting);
    // After a full turn of the numbers this one may still be remembered as late; it no longer is.
    if (this.#late.size > 0) this.#late.delete(sequence_number);
    return waiting;
  }

  /** The request under that number, which stays in the window. */
  find(sequence_number: number): Waiting<T> | undefined {
    return this.#waiting.get(sequence_number);
  }

  /** The request that waits longest. */
  oldest(): Waiting<T> | undefined {
    return this.#waiting.values().next().value;
  }

  /** Removes the request that this number answers; `late` had expired before, `unknown` was never asked. */
  take(sequence_number: number): Waiting<T> | 'late' | 'unknown' {
    const waiting = this.#waiting.get(sequence_number);
    if (waiting === undefined) return this.#late.delete(sequence_number) ? 'late' : 'unknown';
    this.#waiting.delete(sequence_number);
    return waiting;
  }

  /** Removes the requests whose deadline has come, oldest first. */
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

  /** Removes them all, oldest first: the session is over. */
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
