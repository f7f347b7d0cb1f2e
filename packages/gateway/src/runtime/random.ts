import { randomBytes } from 'node:crypto';

/** The source of random numbers. The gateway gets this object when it starts, so tests can pass their own. */
export interface Random {
  /** A random number from 0 to 1, without 1. */
  readonly chance: () => number;
  readonly bytes: (count: number) => Buffer;
}

export const machineRandom: Random = { chance: () => Math.random(), bytes: (count) => randomBytes(count) };
