/*
 * `npm run points`: kills the gateway at every pass of every point of the script, and lets every write, sync and read of
 * the database's files fail once. Words restrict the steps: `npm run points -- commit` or `-- "read EIO"`.
 */

import { join } from 'node:path';
import { compileShim, failAt, failures, killAt, points, type StepResult } from './steps.ts';
import { Place } from './script.ts';

type Step = readonly [name: string, run: (place: Place, nth: number) => Promise<StepResult>];

// The gateways share compiled code.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../../../../../node_modules/.cache/compile');

const placesCount = 2;
const every: readonly Step[] = [
  ...points.map((point): Step => [point, (place, nth) => killAt(place, point, nth)]),
  ...failures.map((failure): Step => [failure, (place, nth) => failAt(place, failure, nth)]),
];
const words = process.argv.slice(2);
const chosen = every.filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)));
let total = 0;
let broken = 0;

/** Runs a step's first pass, its second, and so on, until the script ends without it. Returns a line about them. */
async function runPasses(place: Place, [name, run]: Step): Promise<string> {
  const ends = new Map<string, number>();
  for (let nth = 1; ; nth++) {
    const { isReached, lost, end = 'went on' } = await run(place, nth);
    for (const fault of lost) process.stdout.write(`${name} #${nth}: ${fault}\n`);
    if (lost.length > 0) broken += 1;
    if (!isReached) break;
    total += 1;
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  return `${name}: ${[...ends].map(([end, times]) => `${times} ${end}`).join(', ') || 'never reached'}\n`;
}

async function work(): Promise<void> {
  using place = await Place.make();
  compileShim(place);
  for (let step = chosen.shift(); step; step = chosen.shift()) process.stdout.write(await runPasses(place, step));
}

await Promise.all(Array.from({ length: placesCount }, work));
process.stdout.write(`${total} points, ${broken} with something lost or double\n`);
process.exit(broken === 0 && total > 0 ? 0 : 1);
