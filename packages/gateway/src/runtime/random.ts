import { randomBytes } from 'node:crypto';

/** Where chance comes from. The gateway gets it when it starts, as it gets its clock. */
export interface Random {
  /** From 0 up to 1. */
  readonly chance: () => number;
  readonly bytes: (count: number) => Buffer;
}

export const machineRandom: Random = { chance: () => Math.random(), bytes: (count) => randomBytes(count) };
