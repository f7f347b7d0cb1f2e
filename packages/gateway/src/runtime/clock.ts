import type { Instant } from '../core/time.ts';

/** A clock for deadlines and records. `stop` ends its own timer. */
export interface Clock {
  now(): Instant;
  stop(): void;
}

/** The wall clock may run this far from ours before it counts as a step and not as the usual correction. */
const stepMs = 5_000;
const compareEveryMs = 1_000;

/**
 * A clock that follows the wall clock's small corrections and not its steps: it goes on with the monotonic clock, so that
 * a step makes nothing expire (P5). After a restart the wall clock is believed again.
 */
export function startClock(onStep: (driftMs: number) => void): Clock {
  let origin = Date.now() - performance.now();
  let reported = false;
  const timer = setInterval(() => {
    const drift = Date.now() - performance.now() - origin;
    if (Math.abs(drift) < stepMs) {
      origin += drift;
      reported = false;
    } else if (!reported) {
      reported = true;
      onStep(drift);
    }
  }, compareEveryMs);
  timer.unref();
  return { now: () => Math.floor(origin + performance.now()), stop: () => clearInterval(timer) };
}
