/** Returns a random integer from 0 to `below`, exclusive. */
export type Chance = (below: number) => number;

/** A small random number generator (mulberry32). The same seed gives the same numbers, so a finding can be repeated. */
function makeChance(seed: number): Chance {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) % below;
  };
}

/** Each input has its own generator, so that one input can be made again without those before it. */
export function chanceOf(seed: number, input: number): Chance {
  const mixed = Math.imul(seed ^ 0x5eed, 0x9e3779b1) ^ Math.imul(input + 1, 0x85ebca6b);
  return makeChance(mixed ^ Math.floor(input / 0x100000000));
}

export function pick<T>(chance: Chance, list: readonly T[]): T {
  const one = list[chance(list.length)];
  if (one === undefined) throw new RangeError('nothing to pick from');
  return one;
}
