import { parseArgs } from 'node:util';
import { runTrial, type TrialSummary } from '../crash/trial.ts';

/*
 * kill -9 in the middle of a load, hundreds of times: trials of twenty kills, each on a data directory of its own. Ends
 * with status 1 on a fault, and names the stores and journals that show it.
 */

const killsPerTrial = 20;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
  },
});
const rounds = Number(values.rounds);
const firstSeed = Number(values.seed);
if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(firstSeed)) {
  throw new RangeError('--rounds and --seed are whole numbers, and there is at least one round');
}

const startedAt = performance.now();
const summaries: TrialSummary[] = [];
for (let done = 0, seed = firstSeed; done < rounds; done += killsPerTrial, seed++) {
  const summary = await runTrial({ seed, kills: Math.min(killsPerTrial, rounds - done) });
  summaries.push(summary);
  const { faults, ...counts } = summary;
  console.log(`seed ${seed}: ${faults.length} faults ${JSON.stringify(counts)}`);
  for (const fault of faults) console.log(`  ${fault}`);
}

const sum = (count: (summary: TrialSummary) => number) => summaries.reduce((total, each) => total + count(each), 0);
const faults = sum((each) => each.faults.length);
console.log(`
${sum((each) => each.kills)} kills under load and ${sum((each) => each.killsAtStart)} during a start, in ${Math.round((performance.now() - startedAt) / 1_000)} s, from seed ${firstSeed}
requests   ${sum((each) => each.requests)}: ${sum((each) => each.accepted)} accepted, ${sum((each) => each.refused)} refused, ${sum((each) => each.unanswered)} without an answer
messages   ${sum((each) => each.messages)} in the stores, ${sum((each) => each.submits)} submit_sm read by the carriers
in doubt   ${sum((each) => each.everInDoubt)} parts ever, ${sum((each) => each.heldInDoubt)} held for a person to decide, at most ${Math.max(...summaries.map((each) => each.doubtsPerKillMost))} by one kill
faults     ${faults}`);
process.exitCode = faults === 0 ? 0 : 1;
