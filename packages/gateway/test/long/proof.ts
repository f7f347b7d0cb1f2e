/* `npm run proof`: runs the long proofs one after the other, and writes their figures into docs/promises.md. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '../../../..');
const page = join(root, 'docs/promises.md');
const long = 'packages/gateway/test/long';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seeds: { type: 'string', default: '100000' },
    inputs: { type: 'string', default: '100000' },
    minutes: { type: 'string', default: '60' },
    help: { type: 'boolean', default: false },
  },
});
const { only, seeds, inputs, minutes } = values;

interface Proof {
  readonly words: readonly string[];
  /** Finds the figures in the output; undefined if they are missing. */
  readonly figures: (output: string) => string | undefined;
}

const proofs: { readonly [name: string]: Proof } = {
  simulation: {
    words: ['packages/gateway/test/simulation/simulate.ts', '--seeds', seeds],
    figures: (output) => membersOf(output, ['seeds', 'failed', 'steps', 'messages', 'crashes']),
  },
  'requests over HTTP': {
    words: [`${long}/fuzz-http.ts`, '--inputs', inputs],
    figures: (output) => /^\d+ connections, .*$/m.exec(output)?.[0],
  },
  'properties of the store': { words: ['test/run.ts', 'long', 'gateway/src/'], figures: testsIn },
  crashes: { words: ['test/run.ts', 'long', 'gateway/test/crash/'], figures: testsIn },
  points: {
    words: ['packages/gateway/test/crash/points/run.ts'],
    figures: (output) => /^\d+ points, .*$/m.exec(output)?.[0],
  },
  'faults of the machine': {
    words: ['packages/gateway/test/faults/run.ts'],
    figures: (output) => membersOf(output, ['scripts', 'skipped', 'failed', 'accepted', 'lost', 'double']),
  },
  soak: {
    words: [`${long}/soak.ts`, '--minutes', minutes],
    figures: (output) =>
      membersOf(output, ['minutes', 'messages', 'inbound', 'faults', 'kills', 'differences', 'growthPercent']),
  },
};

/** The members of the JSON object in the last line that has one. */
function membersOf(output: string, names: readonly string[]): string | undefined {
  const line = output.split('\n').findLast((each) => each.startsWith('{'));
  if (line === undefined) return undefined;
  const found: Readonly<Record<string, unknown>> = JSON.parse(line);
  return names.map((name) => `${name} ${String(found[name])}`).join(', ');
}

function testsIn(output: string): string | undefined {
  const found = ['tests', 'passed', 'failed'].map((word) => new RegExp(`^ℹ ${word} \\d+$`, 'm').exec(output)?.[0]);
  return found.includes(undefined) ? undefined : found.join(', ').replaceAll('ℹ ', '');
}

/** Runs a proof, and shows its output. Returns whether everything held. */
async function prove(name: string, { words, figures }: Proof): Promise<boolean> {
  process.stdout.write(`\n${name}: node ${words.join(' ')}\n`);
  const beganAt = performance.now();
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    process.stdout.write(text);
  });
  await once(child, 'close');
  const holds = child.exitCode === 0;
  const found = figures(output) ?? 'no figures';
  const took = `${Math.ceil((performance.now() - beganAt) / 60_000)} min on ${availableParallelism()} cores`;
  writeRow([name, holds ? found : `FAILED: ${found}`, new Date().toISOString().slice(0, 10), took]);
  return holds;
}

/** Replaces the row of a proof between the two markers, or adds it. */
function writeRow(cells: readonly [name: string, ...others: string[]]): void {
  const parts = /^([^]*<!-- figures begin -->\n)([^]*)(<!-- figures end -->[^]*)$/.exec(readFileSync(page, 'utf8'));
  if (!parts) throw new Error(`${page} has no place for figures`);
  const [, before = '', table = '', after = ''] = parts;
  const others = table.trim().split('\n');
  const rows = others.filter((row) => !row.startsWith(`| ${cells[0]} `));
  writeFileSync(page, `${before}\n${[...rows, `| ${cells.join(' | ')} |`].join('\n')}\n\n${after}`);
  execFileSync('npx', ['oxfmt', page], { cwd: root });
}

const chosen = Object.entries(proofs).filter(([name]) => only === undefined || name === only);
if (values.help || chosen.length === 0) {
  process.stdout.write(`npm run proof -- [--only NAME] [--seeds N] [--inputs N] [--minutes N]

Runs the long proofs, and writes their figures into docs/promises.md. NAME is one of: ${Object.keys(proofs).join(', ')}.
--seeds is for the simulation, --inputs for the requests over HTTP, --minutes for the soak.
`);
  process.exit(values.help ? 0 : 2);
}
let isProven = true;
for (const [name, proof] of chosen) isProven = (await prove(name, proof)) && isProven;
process.exit(isProven ? 0 : 1);
