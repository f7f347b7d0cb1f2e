/* Runs many seeds of the simulation, on all cores. */

import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { simulate, type Report } from './run.ts';

/** How a run went. Of its story, only the end is known, and only if a promise was broken. */
export interface Told extends Omit<Report, 'story'> {
  readonly end: readonly string[];
}

interface Seeds {
  readonly from: number;
  readonly count: number;
  /** How many nodes there are; undefined as the seed draws. */
  readonly nodes?: number | undefined;
}

/** The lines of a story that tell how a promise was broken, mostly. */
const endLines = 20;

/** Calls the function after each run. Throws if a run throws. */
export async function simulateMany(seeds: Seeds, hear: (told: Told) => void): Promise<void> {
  const taken = new Int32Array(new SharedArrayBuffer(4));
  await Promise.all(
    Array.from({ length: availableParallelism() }, () => {
      const thread = new Worker(new URL(import.meta.url), { workerData: { ...seeds, taken } });
      thread.on('message', hear);
      return new Promise<void>((resolve, reject) => {
        thread.on('error', reject);
        thread.on('exit', () => resolve());
      });
    }),
  );
}

/** Each thread takes the next seed that no thread has taken. */
async function work({ from, count, nodes, taken }: Seeds & { readonly taken: Int32Array }): Promise<void> {
  for (let at; (at = Atomics.add(taken, 0, 1)) < count;) {
    const { story, ...told } = await simulate(from + at, { nodes });
    parentPort?.postMessage({ ...told, end: told.broken.length > 0 ? story.slice(-endLines) : [] } satisfies Told);
  }
}

if (!isMainThread) await work(workerData);
