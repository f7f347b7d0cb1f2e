/* The time of a node, which no step of its machine's clock moves. */

import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { Clock } from './clock.ts';

/** `stop` ends the timer of this clock. */
export interface SteadyClock extends Clock {
  wall(): Instant;
  /** Continues from this time, whatever the machine's clock shows. */
  goOnFrom(at: Instant): void;
  follow(): void;
  stop(): void;
}

/** If the machine's clock differs by this much, it made a step. A smaller difference is a usual correction. */
const stepMs = 5 * secondMs;
const compareEveryMs = secondMs;

/**
 * Follows small corrections of the machine's clock but ignores its steps, so that a step makes nothing expire (P5).
 * Time in which the machine was suspended is no step: other nodes went on meanwhile.
 * After a restart it trusts the machine's clock again, if that fits the newest record in the store.
 */
export function startSteadyClock(machine: Clock, onStep: (driftMs: number) => void): SteadyClock {
  const { monotonicMs } = machine;
  /** The value of `origin` at which this clock shows the time `at` now. */
  const originFor = (at: Instant) => at - monotonicMs();
  let origin = originFor(machine.now());
  /** How long the machine was suspended since its start. That time has passed, so it is no step of the clock. */
  const suspended = () => machine.bootMs() - monotonicMs();
  let suspendedMs = suspended();
  let isReported = false;
  const compare = () => {
    const moreMs = suspended() - suspendedMs;
    if (moreMs > secondMs) {
      origin += moreMs;
      suspendedMs += moreMs;
    }
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
    bootMs: machine.bootMs,
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
