import type { Instant } from '@morsel/api/values/time.ts';

/** A clock for deadlines and records. `stop` ends its own timer. */
export interface Clock {
  now(): Instant;
  /** What the clock of the machine says. */
  wall(): Instant;
  /** Goes on from this instant, however the clock of the machine stands. */
  goOnFrom(at: Instant): void;
  /** Takes the time of the machine again. */
  follow(): void;
  stop(): void;
}

/** The wall clock may run this far from ours before it counts as a step and not as the usual correction. */
const stepMs = 5_000;
const compareEveryMs = 1_000;

/** What the monotonic clock is to be added to, so that it is `at` now. */
function goesFrom(at: Instant): number {
  return at - performance.now();
}

/**
 * A clock that follows the wall clock's small corrections and not its steps: it goes on with the monotonic clock, so that
 * a step makes nothing expire (P5). After a restart the wall clock is believed again, if the newest record bears it out.
 */
export function startClock(onStep: (driftMs: number) => void, wall: () => Instant = () => Date.now()): Clock {
  let origin = goesFrom(wall());
  let reported = false;
  const timer = setInterval(() => {
    const drift = goesFrom(wall()) - origin;
    if (Math.abs(drift) < stepMs) {
      origin += drift;
      reported = false;
    } else if (!reported) {
      reported = true;
      onStep(drift);
    }
  }, compareEveryMs);
  timer.unref();
  return {
    now: () => Math.floor(origin + performance.now()),
    wall: () => Math.floor(wall()),
    goOnFrom: (at) => {
      origin = goesFrom(at);
      reported = true;
    },
    follow: () => {
      origin = goesFrom(wall());
      reported = false;
    },
    stop: () => clearInterval(timer),
  };
}
