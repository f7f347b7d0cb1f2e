/* `npm run simulate`: runs seeds on all cores, and prints what broke. */

import { parseArgs } from 'node:util';
import { coverageText, missingIn } from './coverage.ts';
import { simulateMany, type Told } from './many.ts';
import { simulate, type Report } from './run.ts';
import { shrink } from './shrink.ts';

const usage = `Simulates clients, carriers, faults and crashes under virtual time, and checks the promises.

  npm run simulate -- [options]

  --seeds N   how many seeds run (default: 1,000)
  --from N    the first seed (default: 1)
  --seed N    runs one seed
  --nodes N   how many nodes there are (default: as the seed draws, 1 to 3)
  --trace     tells what happens, on standard error; use it with --seed
  --shrink    leaves out what does not matter, and tells that story; use it with --seed

The exit status is 1 if a promise was broken, or if something never occurred in 1,000 seeds or more.
`;

/** In so many seeds, everything occurs that can. */
const completeSeeds = 1_000;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    nodes: { type: 'string' },
    trace: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const nodesGiven = values.nodes === undefined ? undefined : Number(values.nodes);

if (values.help) process.stdout.write(usage);
else if (values.seed !== undefined) {
  const whole = await simulate(Number(values.seed), { isTold: values.trace, nodes: nodesGiven });
  const report = values.shrink && whole.broken.length > 0 ? await shortest(whole) : whole;
  for (const line of report.broken) process.stdout.write(`${line}\n`);
  process.stdout.write(`${report.messages} messages, ${report.steps} steps, ${report.crashes} crashes\n`);
  process.exit(report.broken.length > 0 ? 1 : 0);
} else await runAll(Number(values.from), Number(values.seeds));

async function shortest(whole: Report): Promise<Report> {
  const { report, left } = await shrink(whole, {
    nodes: nodesGiven,
    shorter: (length) => process.stderr.write(`${length} of ${whole.planned} actions\n`),
  });
  process.stdout.write(`${left} of ${whole.planned} actions are enough:\n${report.story.join('\n')}\n`);
  return report;
}

async function runAll(from: number, count: number): Promise<void> {
  const sum = { seeds: 0, failed: 0, steps: 0, messages: 0, crashes: 0 };
  const counts = new Map<string, number>();
  const hear = (told: Told) => {
    sum.seeds += 1;
    sum.steps += told.steps;
    sum.messages += told.messages;
    sum.crashes += told.crashes;
    for (const [name, times] of told.counts) counts.set(name, (counts.get(name) ?? 0) + times);
    if (told.broken.length > 0) {
      sum.failed += 1;
      process.stdout.write(`seed ${told.seed}: ${told.broken.join('; ').slice(0, 600)}\n`);
    }
  };
  await simulateMany({ from, count, nodes: nodesGiven }, hear);
  process.stdout.write(`${JSON.stringify(sum)}\n${coverageText(counts)}`);
  const isComplete = count < completeSeeds || missingIn(counts).length === 0;
  process.exit(sum.failed > 0 || sum.seeds < count || !isComplete ? 1 : 0);
}
