import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { boardHead } from './board.ts';
import { type Chance, chanceOf } from './chance.ts';
import { type TargetName, targetOf } from './plants.ts';
import { readSeeds } from './seeds.ts';
import type { Target } from './target.ts';

/** One thread of the fuzzer. It takes every n-th input until the end or the first finding. */

export interface ThreadData {
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  /** This thread runs the inputs from `from + offset` in steps of `step`. */
  readonly offset: number;
  readonly step: number;
  readonly only: readonly TargetName[];
  readonly planted: TargetName | undefined;
  /** Shared with the main thread: the number of finished inputs, the length of the current one, and its octets. */
  readonly board: SharedArrayBuffer;
}

export type ThreadReport =
  | { readonly kind: 'found'; readonly target: TargetName; readonly input: number; readonly property: string }
  | { readonly kind: 'done'; readonly ends: Readonly<Record<string, number>> };

/** The time limit of one input. Even the slowest inputs need only a tenth of this time. */
const budgetMs = 200;
const memoryEvery = 0x10000;
/** The limit of memory outside the heap. Node's limit for the thread covers the heap. */
const outsideMaxOctets = 256 * 1024 * 1024;

if (parentPort !== null) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- given by fuzz.ts
  parentPort.postMessage(work(workerData as ThreadData));
}

function work(data: ThreadData): ThreadReport {
  const { seed, from, to, offset, step, only, planted } = data;
  const seeds = readSeeds(() => undefined);
  const targets = only.map((name): [TargetName, Target] => [name, targetOf(name, name === planted)]);
  const ends: Record<string, number> = {};
  for (const [name, target] of targets) for (const end of target.ends) ends[`${name}: ${end}`] = 0;
  const board = new Int32Array(data.board, 0, boardHead / 4);
  const shown = new Uint8Array(data.board, boardHead);
  for (let input = from + offset; input < to; input += step) {
    const [name, target] = targets[input % targets.length] ?? ['framer', undefined];
    if (target === undefined) break;
    const octets = target.make(chanceOf(seed, input), seeds);
    shown.set(octets.subarray(0, shown.length));
    Atomics.store(board, 1, octets.length);
    try {
      const key = `${name}: ${runInTime(target, octets, { seed, input })}`;
      ends[key] = (ends[key] ?? 0) + 1;
      if (input % memoryEvery < step) checkMemory();
    } catch (error) {
      return { kind: 'found', target: name, input, property: String(error) };
    }
    Atomics.add(board, 0, 1);
  }
  return { kind: 'done', ends };
}

/** Checks the clock first, which is cheap, then the thread's CPU time, which stops while other threads run. */
function runInTime(target: Target, octets: Buffer, of: { readonly seed: number; readonly input: number }): string {
  const chance = (): Chance => chanceOf(of.seed + 1, of.input);
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
