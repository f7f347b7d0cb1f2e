import { secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Clock } from './clock.ts';

/** The clock that the gateway goes by. `stop` ends its own timer. */
export interface SteadyClock extends Clock {
  /** The time of the machine's clock. */
  wall(): Instant;
  /** Continues from this instant, whatever the machine's clock shows. */
  goOnFrom(at: Instant): void;
  /** Takes the time of the machine again. */
  follow(): void;
  stop(): void;
}

/** A wall clock this far from ours has stepped; less is the usual correction. */
const stepMs = 5 * secondMs;
const compareEveryMs = secondMs;

/**
 * A clock that follows small corrections of the wall clock and ignores its steps, so that a step makes nothing expire (P5).
 * After a restart the gateway trusts the wall clock again, if the newest record agrees with it.
 */
export function startSteadyClock(machine: Clock, onStep: (driftMs: number) => void): SteadyClock {
  const { monotonicMs } = machine;
  /** The origin with which the monotonic clock shows `at` now. */
  const originFor = (at: Instant) => at - monotonicMs();
  let origin = originFor(machine.now());
  let isReported = false;
  const compare = () => {
    const drift = originFor(machine.now()) - origin;
    if (Math.abs(drift) < stepMs) {
      origin += drift;
      isReported = false;
    } else if (!isReported) {
      isReported = true;
      onStep(drift);
    }
    timer = machine.setTimer(compare, compareEveryMs);
  };
  let timer = machine.setTimer(compare, compareEveryMs);
  return {
    now: () => Math.floor(origin + monotonicMs()),
    monotonicMs,
    setTimer: machine.setTimer,
    wall: () => Math.floor(machine.now()),
    goOnFrom: (at) => {
      origin = originFor(at);
      isReported = true;
    },
    follow: () => {
      origin = originFor(machine.now());
      isReported = false;
    },
    stop: () => timer.cancel(),
  };
}
