import { spreadOf } from './measured.ts';

/** The cost of a step of a message, in microseconds. */
export interface Cost {
  readonly part: string;
  readonly microseconds: number;
  /** Whether the step is part of the step above, so the sum leaves it out. */
  readonly isWithin?: boolean;
}

const rounds = 9;
const roundMs = 100;

/** The median time of a call in microseconds, after many calls. */
export function timeOf(call: () => unknown): number {
  let calls = 1;
  let took = 0;
  // Finds how many calls fill a round. The growing rounds warm the code up.
  while ((took = timeCalls(call, calls)) < roundMs) calls *= 2;
  const perRound = Math.max(1, Math.round((calls * roundMs) / took));
  return spreadOf(Array.from({ length: rounds }, () => (timeCalls(call, perRound) * 1_000) / perRound)).median;
}

/** Results are stored so that the compiler cannot remove the calls. */
let kept: unknown;

function timeCalls(call: () => unknown, calls: number): number {
  const begin = performance.now();
  for (let count = 0; count < calls; count++) kept = call();
  return performance.now() - begin;
}

export function lastResult(): unknown {
  return kept;
}

/** User and system time of this process, in microseconds. Use it if other processes take part in the work. */
export async function cpuOf(run: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
