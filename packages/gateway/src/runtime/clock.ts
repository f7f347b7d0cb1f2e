import type { Instant } from '@morsel/api/values/time.ts';

/** Where time comes from. The gateway gets one clock when it starts, so tests can hand it one that they advance. */
export interface Clock {
  /** For records and deadlines. */
  readonly now: () => Instant;
  /** Milliseconds that nobody can set: for how long something takes. */
  readonly monotonicMs: () => number;
  /** Calls once, after so long. A timer never keeps the process alive. */
  readonly setTimer: (call: () => void, afterMs: number) => Timer;
}

export interface Timer {
  cancel(): void;
}

/** setTimeout's own limit: a signed 32-bit number of milliseconds, 24 days. */
const timeoutMaxMs = 2 ** 31 - 1;

/** The clock of the machine. */
export const machineClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
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

/** Waits for so long, or until the signal aborts. Never rejects. */
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
