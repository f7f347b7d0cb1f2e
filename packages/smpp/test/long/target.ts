import type { Chance } from './chance.ts';
import type { Seeds } from './seeds.ts';

/** A target of the fuzzer. */
export interface Target {
  /** Makes the octets of one input. */
  make(chance: Chance, seeds: Seeds): Buffer;
  /**
   * Tests one input and returns its outcome. Throws Finding if a property does not hold; any other error is a
   * finding, too. `chance` is for choices that are not in the octets, such as where to cut a stream.
   */
  run(input: Buffer, chance: Chance): string;
  /** The outcomes that a run must reach. If one is missing, the mutations do not reach a branch. */
  readonly ends: readonly string[];
}

/** The finding of the fuzzer: a property does not hold. */
export class Finding extends Error {
  override readonly name = 'Finding';
}

export function holds(condition: boolean, property: string): void {
  if (!condition) throw new Finding(property);
}
