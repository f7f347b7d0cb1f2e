import { parseArgs } from 'node:util';
import { walk, type WalkSummary } from '../crash/ledger-walk.ts';

/*
 * Checks a hundred thousand random steps of money against a model of ten lines: walks of five hundred steps on stores
 * of their own. The first that disagrees ends it, with its seed and step.
 */

const stepsPerWalk = 500;

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
  },
});
const steps = Number(values.steps);
const firstSeed = Number(values.seed);
if (!Number.isInteger(steps) || steps < 1 || !Number.isInteger(firstSeed)) {
  throw new RangeError('--steps and --seed are whole numbers, and there is at least one step');
}

const startedAt = performance.now();
const walks: WalkSummary[] = [];
for (let done = 0, seed = firstSeed; done < steps; done += stepsPerWalk, seed++) {
  walks.push(await walk(seed, Math.min(stepsPerWalk, steps - done)));
  if (walks.length % 20 === 0) console.log(`${done + stepsPerWalk} steps`);
}

const sum = (count: (summary: WalkSummary) => number) => walks.reduce((total, each) => total + count(each), 0);
console.log(`
${sum((each) => each.steps)} steps in ${Math.round((performance.now() - startedAt) / 1_000)} s, from seed ${firstSeed}
messages   ${sum((each) => each.accepted)} paid, ${sum((each) => each.refused)} refused for their price, ${sum((each) => each.retries)} sent again, ${sum((each) => each.replays)} of them with their key
entries    ${sum((each) => each.entries)}, of which ${sum((each) => each.refunds)} refunds
crashes    ${sum((each) => each.crashes)} in the middle of a commit
faults     0`);
