import { spreadOf } from './measured.ts';

/** What a part of the path costs, in microseconds a message. */
export interface Cost {
  readonly part: string;
  readonly microseconds: number;
  /** Part of the line above it, and not added to the sum again. */
  readonly isWithin?: boolean;
}

const rounds = 9;
const roundMs = 100;

/** The median time of one call, in microseconds, when it is called all the time. */
export function timeOf(call: () => unknown): number {
  let calls = 1;
  let took = 0;
  // As many calls as fill a round; the growing rounds warm the code up.
  while ((took = timeCalls(call, calls)) < roundMs) calls *= 2;
  const perRound = Math.max(1, Math.round((calls * roundMs) / took));
  return spreadOf(Array.from({ length: rounds }, () => (timeCalls(call, perRound) * 1_000) / perRound)).median;
}

/** Results are kept where the compiler cannot tell that nobody looks at them. */
let kept: unknown;

function timeCalls(call: () => unknown, calls: number): number {
  const begin = performance.now();
  for (let count = 0; count < calls; count++) kept = call();
  return performance.now() - begin;
}

export function lastResult(): unknown {
  return kept;
}

/** User and system time of this process, in microseconds, while something runs that is not of this process alone. */
export async function cpuOf(run: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
