import type { Clock, Timer } from '../../src/runtime/clock.ts';
import { waitUntil } from './wait-until.ts';

/*
 * Clocks that tests advance. A still clock moves only when a test advances it, for tests without sockets or threads.
 * A flowing clock moves with the machine's clock, because real sockets, threads and disks need real time. A test lets
 * it jump ahead instead of waiting for a deadline.
 */

interface Waiting {
  readonly call: () => void;
  readonly dueMs: number;
  real?: NodeJS.Timeout;
}

export class TestClock implements Clock {
  /** The machine's time at which a flowing clock started; undefined for a still clock. */
  readonly #flowsFromMs: number | undefined;
  readonly #startAt: number;
  readonly #timers = new Set<Waiting>();
  #skippedMs = 0;
  /** The error of the wall clock. The monotonic clock has none. */
  wallAheadMs = 0;
  /** The time for which the machine was suspended. */
  suspendedMs = 0;

  private constructor(startAt: number, flowsFromMs?: number) {
    this.#startAt = startAt;
    this.#flowsFromMs = flowsFromMs;
  }

  /** The clock moves only by `advance`. */
  static still(startAt = 0): TestClock {
    return new TestClock(startAt);
  }

  /** The clock goes as fast as that of the machine, and jumps ahead by `advance`. */
  static flowing(startAt = Date.now()): TestClock {
    return new TestClock(startAt, performance.now());
  }

  readonly now = (): number => Math.floor(this.#startAt + this.monotonicMs() + this.wallAheadMs);
  readonly monotonicMs = (): number =>
    this.#skippedMs + (this.#flowsFromMs === undefined ? 0 : performance.now() - this.#flowsFromMs);
  readonly bootMs = (): number => this.monotonicMs() + this.suspendedMs;

  readonly setTimer = (call: () => void, afterMs: number): Timer => {
    const timer: Waiting = { call, dueMs: this.monotonicMs() + afterMs };
    this.#timers.add(timer);
    this.#arm(timer);
    return { cancel: () => this.#forget(timer) };
  };

  /** Lets this time pass at once, and runs the timers that are due, the earliest first. */
  advance(ms: number): void {
    this.#skippedMs += ms;
    const now = this.monotonicMs();
    const due = [...this.#timers].filter(({ dueMs }) => dueMs <= now).toSorted((a, b) => a.dueMs - b.dueMs);
    for (const timer of due) if (this.#timers.has(timer)) this.#fire(timer);
    for (const timer of this.#timers) this.#arm(timer);
  }

  /** Advances step by step until the condition holds. */
  advanceUntil<T>(
    what: string | (() => string),
    condition: () => T | undefined | false | Promise<T | undefined | false>,
    stepMs = 1_000,
  ): Promise<T> {
    return waitUntil(what, async () => {
      const value = await condition();
      if (value === undefined || value === false) this.advance(stepMs);
      return value;
    });
  }

  /** Sets a real timer for a timer of a flowing clock. A real timer waits at most 24 days. */
  #arm(timer: Waiting): void {
    clearTimeout(timer.real);
    const waitMs = timer.dueMs - this.monotonicMs();
    const isReal = this.#flowsFromMs !== undefined && waitMs < 2 ** 31;
    if (isReal) timer.real = setTimeout(() => this.#fire(timer), waitMs).unref();
  }

  #fire(timer: Waiting): void {
    this.#forget(timer);
    timer.call();
  }

  #forget(timer: Waiting): void {
    clearTimeout(timer.real);
    this.#timers.delete(timer);
  }
}
