import type { Chance } from './chance.ts';
import type { Seeds } from './seeds.ts';

/** Something to fuzz. */
export interface Target {
  /** The octets of one input. */
  make(chance: Chance, seeds: Seeds): Buffer;
  /**
   * Does with an input what is to be tested, and gives what kind of end it came to. Throws Finding for a property that does
   * not hold; whatever else is thrown is one too. `chance` is for what is not in the octets, such as where a stream is cut.
   */
  run(input: Buffer, chance: Chance): string;
  /** The ends that a run has to come to now and then, or the mutations have missed something. */
  readonly ends: readonly string[];
}

/** A property does not hold. */
export class Finding extends Error {
  override readonly name = 'Finding';
}

export function holds(condition: boolean, property: string): void {
  if (!condition) throw new Finding(property);
}
