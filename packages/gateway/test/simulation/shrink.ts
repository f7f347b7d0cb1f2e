/* Shrinks the script of a seed that breaks a promise. */

import { simulate, type Report } from './run.ts';

/**
 * Leaves out actions while the same promise is broken. Returns the run of the shortest script, and its length. `shorter`
 * is called with each length on the way.
 */
export async function shrink(
  first: Report,
  { nodes, shorter: told }: { readonly nodes: number | undefined; readonly shorter: (left: number) => void },
): Promise<{ report: Report; left: number }> {
  const promise = promiseOf(first);
  let report = first;
  const all = Array.from({ length: first.planned }, (_, number) => number);
  let left = all;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < left.length;) {
      const fewer = left.toSpliced(at, size);
      const skipped = new Set(all.filter((number) => !fewer.includes(number)));
      const shorter = await simulate(first.seed, { nodes, skipped });
      if (promiseOf(shorter) === promise) {
        [left, report] = [fewer, shorter];
        told(left.length);
      } else at += size;
    }
  }
  return { report, left: left.length };
}

/** The promise that a run broke first; undefined if none. */
function promiseOf({ broken }: Report): string | undefined {
  return broken[0]?.split(':', 1)[0];
}
