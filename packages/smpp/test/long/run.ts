import { performance } from 'node:perf_hooks';
import { type Chance, chanceOf } from './chance.ts';
import type { Seeds } from './seeds.ts';
import type { Target } from './target.ts';

/** Runs the inputs of the fuzzer, of a range and a seed, until the end or the first finding. */

export interface Inputs {
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  /** Every n-th input is run, because other threads run the others. */
  readonly step: number;
}

export type Ending =
  | { readonly kind: 'found'; readonly target: string; readonly input: number; readonly finding: string }
  | { readonly kind: 'done'; readonly ends: Readonly<Record<string, number>> };

/** The time limit of one input. Even the slowest inputs need only a tenth of this time. */
const budgetMs = 200;
const memoryEvery = 0x10000;
/** The limit of memory outside the heap. Node's limit for the thread covers the heap. */
const outsideMaxOctets = 256 * 1024 * 1024;
/** The most octets of a failing input to print. */
const shownMaxOctets = 4096;

/** Calls `begin` before each input. */
export function runInputs(
  targets: Readonly<Record<string, Target>>,
  seeds: Seeds,
  { seed, from, to, step }: Inputs,
  begin: (input: number) => void = () => undefined,
): Ending {
  const all = Object.entries(targets);
  const ends: Record<string, number> = {};
  for (const [name, target] of all) for (const end of target.ends) ends[`${name}: ${end}`] = 0;
  for (let input = from; input < to; input += step) {
    begin(input);
    const [name, target] = all[input % all.length] ?? [];
    if (name === undefined || target === undefined) break;
    const octets = target.make(chanceOf(seed, input), seeds);
    try {
      const key = `${name}: ${runInTime(target, octets, () => chanceOf(seed + 1, input))}`;
      ends[key] = (ends[key] ?? 0) + 1;
      if (input % memoryEvery < step) checkMemory();
    } catch (error) {
      const shown = octets.subarray(0, shownMaxOctets).toString('hex');
      return { kind: 'found', target: name, input, finding: `${String(error)}\ninput: ${shown}` };
    }
  }
  return { kind: 'done', ends };
}

/** Checks the clock first, which is cheap, then the thread's CPU time, which stops while other threads run. */
function runInTime(target: Target, octets: Buffer, chance: () => Chance): string {
  const startedMs = performance.now();
  const end = target.run(octets, chance());
  if (performance.now() - startedMs < budgetMs) return end;
  const before = process.threadCpuUsage();
  target.run(octets, chance());
  const { user, system } = process.threadCpuUsage(before);
  const tookMs = (user + system) / 1000;
  if (tookMs >= budgetMs) throw new RangeError(`took ${Math.round(tookMs)} ms`);
  return end;
}

function checkMemory(): void {
  const { arrayBuffers } = process.memoryUsage();
  if (arrayBuffers > outsideMaxOctets) throw new RangeError(`holds ${arrayBuffers} octets outside of the heap`);
}
