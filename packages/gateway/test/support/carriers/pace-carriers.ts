/* Carriers that throttle in different ways, simulated, for tests of pacing. */

import { FlowControl } from '../../../src/edge/carriers/smpp/pace/flow-control.ts';

/** Whether the carrier accepts a submit_sm at this moment. */
type Takes = (now: number) => boolean;

/* The ways in which carriers count the submit_sm of a second. */

/** Accepts at most `perSecond` submit_sm in any period of a second. */
function inAnySecond(perSecond: () => number): Takes {
  const taken: number[] = [];
  return (now) => {
    while (taken.length > 0 && (taken[0] ?? 0) <= now - 1_000) taken.shift();
    if (taken.length >= perSecond()) return false;
    taken.push(now);
    return true;
  };
}

/** Accepts at most `perSecond` submit_sm in each second of the carrier's clock. */
function bySecondOfClock(perSecond: () => number): Takes {
  let second = -1;
  let taken = 0;
  return (now) => {
    const current = Math.floor(now / 1_000);
    if (current !== second) taken = 0;
    second = current;
    taken += 1;
    return taken <= perSecond();
  };
}

/** Accepts submit_sm at an even pace, and at once at most a tenth of those of a second. */
function byBucket(perSecond: () => number): Takes {
  let leave = Math.max(1, perSecond() / 10);
  let at = 0;
  return (now) => {
    leave = Math.min(Math.max(1, perSecond() / 10), leave + ((now - at) / 1_000) * perSecond());
    at = now;
    if (leave < 1) return false;
    leave -= 1;
    return true;
  };
}

export const carriers = { inAnySecond, bySecondOfClock, byBucket } as const;

/** Throttles a random share of all submit_sm, the same ones in each run. `takes` decides on the others. */
export function unlucky(share: () => number, takes: Takes = () => true): Takes {
  // A linear congruential generator (Numerical Recipes), whose high bits are even enough.
  let state = 4_711;
  return (now) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 >= share() && takes(now);
  };
}

export interface Run {
  readonly acceptedAt: readonly number[];
  readonly refusedAt: readonly number[];
  readonly sentAt: readonly number[];
  readonly inFlightMost: number;
  readonly flow: FlowControl;
}

/** Simulates a link that sends parts to such a carrier, each time the gateway's flow control allows one. */
export function run(given: {
  readonly takes: Takes;
  readonly forMs: number;
  readonly window?: number;
  readonly throughput?: number;
  /** The time from a submit_sm to its answer. */
  readonly answerMs?: number;
  /** The delay with which timers fire. */
  readonly lateMs?: number;
}): Run {
  const { window = 50, throughput = 0, answerMs = 20, lateMs = 3 } = given;
  const flow = new FlowControl({ window, throughput }, 0);
  const acceptedAt: number[] = [];
  const refusedAt: number[] = [];
  const sentAt: number[] = [];
  const answers: { readonly at: number; readonly sent: number; readonly isTaken: boolean }[] = [];
  let inFlightMost = 0;
  for (let now = 0; now < given.forMs; now += 1) {
    while (answers[0] && answers[0].at <= now) {
      const answer = answers.shift();
      if (!answer) break;
      (answer.isTaken ? acceptedAt : refusedAt).push(now);
      if (answer.isTaken) flow.accepted(now, answer.sent);
      else flow.throttled(now, answer.sent);
    }
    if (now % (lateMs + 1) !== 0) continue;
    for (let room = flow.room(now, answers.length); room >= 1; room = flow.room(now, answers.length)) {
      flow.take(1);
      sentAt.push(now);
      answers.push({ at: now + answerMs, sent: now, isTaken: given.takes(now) });
    }
    inFlightMost = Math.max(inFlightMost, answers.length);
  }
  return { acceptedAt, refusedAt, sentAt, inFlightMost, flow };
}

/** Counts the times between two moments. */
export function between(times: readonly number[], fromMs: number, toMs: number): number {
  return times.filter((at) => at >= fromMs && at < toMs).length;
}

/** The largest number of these times in any period of a second. */
export function mostInASecond(times: readonly number[]): number {
  let most = 0;
  for (let first = 0, last = 0; last < times.length; last++) {
    while ((times[first] ?? 0) <= (times[last] ?? 0) - 1_000) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
