/**
 * `npm run bench -- path [--group 100]` measures the cost of each step of a message, in microseconds. Each step runs by
 * itself in this process, with a text of one part. `--group` is the number of commands that share a commit; `npm run
 * bench` shows this number under load.
 */
import { parseArgs } from 'node:util';
import { lastResult } from './path-clock.ts';
import type { Cost } from './path-clock.ts';
import { measureLoop } from './path-loop.ts';
import { measureStore, readSettings } from './path-store.ts';

const nameWidth = 66;

function print(title: string, costs: readonly Cost[]): void {
  const sum = costs.reduce((total, cost) => total + (cost.isWithin === true ? 0 : cost.microseconds), 0);
  process.stdout.write(`\n${title.padEnd(nameWidth)}${'us a message'.padStart(12)}\n`);
  for (const { part, microseconds, isWithin } of costs) {
    const name = isWithin === true ? `    ${part}` : `  ${part}`;
    process.stdout.write(`${name.padEnd(nameWidth)}${microseconds.toFixed(2).padStart(12)}\n`);
  }
  process.stdout.write(`${'  together'.padEnd(nameWidth)}${sum.toFixed(2).padStart(12)}\n`);
}

const help = `Measures the cost of each step of a message, in microseconds, each step by itself in one process.

  npm run bench -- path [--group 100]

  --group N  commands that share a commit (default: 100); npm run bench shows this number under load
`;

function readGroup(): number | 'help' | undefined {
  try {
    const group = { type: 'string', default: '100' } as const;
    const { values } = parseArgs({ options: { group, help: { type: 'boolean', short: 'h' } } });
    if (values.help === true) return 'help';
    return /^[1-9]\d{0,3}$/.test(values.group) ? Number(values.group) : undefined;
  } catch {
    return undefined;
  }
}

async function measure(groupSize: number): Promise<void> {
  print('event loop', await measureLoop(await readSettings()));
  print(`writing thread, ${groupSize} commands a group`, await measureStore(groupSize));
  if (lastResult() === undefined) throw new Error('nothing was measured');
}

const group = readGroup();
if (group === 'help') process.stdout.write(help);
else if (group !== undefined) await measure(group);
else {
  process.stderr.write('the only option is --group, a whole number from 1 to 9999; see --help\n');
  process.exitCode = 2;
}
