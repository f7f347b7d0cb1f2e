import { uptime } from 'node:os';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';

/** The source of time. The gateway gets its clock when it starts, so tests can pass a clock that they control. */
export interface Clock {
  /** The current time, for records and deadlines. */
  readonly now: () => Instant;
  /** Milliseconds of a clock that nobody can set, to measure how long something takes. */
  readonly monotonicMs: () => number;
  /** Milliseconds since the machine started. Unlike the monotonic clock, it goes on while the machine is suspended. */
  readonly bootMs: () => number;
  /** Calls the function once, after `afterMs` milliseconds. A timer never keeps the process alive. */
  readonly setTimer: (call: () => void, afterMs: number) => Timer;
}

export interface Timer {
  cancel(): void;
}

/** The longest time that setTimeout accepts: a signed 32-bit number of milliseconds, about 24 days. */
const timeoutMaxMs = 2 ** 31 - 1;

export const machineClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  bootMs: () => uptime() * secondMs,
  setTimer: (call, afterMs) => {
    let timeout: NodeJS.Timeout;
    const wait = (ms: number): void => {
      timeout = setTimeout(
        () => (ms > timeoutMaxMs ? wait(ms - timeoutMaxMs) : call()),
        Math.min(timeoutMaxMs, Math.ceil(ms)),
      ).unref();
    };
    wait(afterMs);
    return { cancel: () => clearTimeout(timeout) };
  },
};

/** Waits for `ms` milliseconds, or until the signal is aborted. Never rejects. */
export function sleep(clock: Pick<Clock, 'setTimer'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const end = () => {
      timer.cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimer(end, ms);
    signal?.addEventListener('abort', end);
  });
}
