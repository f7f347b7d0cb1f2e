/*
 * `npm run mutate`: changes one decision at a time in a copy of the tree, and looks whether the simulation notices, or
 * the tests of the subject. What nothing notices, nothing proves.
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { mutationsOfSimulation } from './mutations/of-simulation.ts';
import { mutationsOfTests } from './mutations/of-tests.ts';

export interface Mutation {
  /** What the gateway then does wrong. */
  readonly wrong: string;
  /** Below `packages`. */
  readonly file: string;
  /** It is in the file exactly once. */
  readonly text: string;
  readonly becomes: string;
  /** Set if nothing notices it yet: the reason. */
  readonly why?: string;
}

const usage = `Changes one decision of the gateway at a time, and looks whether the simulation notices.

  npm run mutate -- [options] [ROW...]

  --tests    runs the tests of each subject instead of the simulation
  --seeds N  how many seeds of the simulation run for a row (default: 1,000)

ROW is the number of a row, from 1 (default: all rows). The exit status is 1 if a change is not noticed that should be.
`;

/** A changed gateway may never end. */
const simulationMaxMs = 15 * 60_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tests: { type: 'boolean', default: false },
    seeds: { type: 'string', default: '1000' },
    help: { type: 'boolean', default: false },
  },
});

const root = join(import.meta.dirname, '../../../..');

/** A worktree of the last commit. Its packages are its own; the others are those of the tree. */
function copyTree(folder: string): void {
  git('worktree', 'add', '--detach', folder, 'HEAD');
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@morsel'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@morsel') symlinkSync(join(root, 'node_modules', name), join(modules, name));
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join(folder, 'packages', name), join(modules, '@morsel', name));
}

function git(...words: readonly string[]): void {
  const { status, stderr } = spawnSync('git', words, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`);
}

/** The first test file that fails, or undefined. */
async function firstToFail(folder: string, tests: readonly string[]): Promise<string | undefined> {
  for (const test of tests) if (!(await passes(folder, test))) return test;
  return undefined;
}

function passes(folder: string, test: string): Promise<boolean> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const words = ['--test', '--test-timeout=300000', join('packages', test)];
  const child = spawn(process.execPath, words, { cwd: folder, env, stdio: 'ignore' });
  return new Promise((resolve, reject) => child.on('error', reject).on('exit', (code) => resolve(code === 0)));
}

/** Runs seeds side by side until one breaks a promise. Returns the seed and the promise, or undefined. */
async function firstBroken(folder: string): Promise<string | undefined> {
  const words = ['packages/gateway/test/simulation/simulate.ts', '--seeds', values.seeds];
  const signal = AbortSignal.timeout(simulationMaxMs);
  const child = spawn(process.execPath, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  signal.addEventListener('abort', () => child.kill());
  let thrown: string | undefined;
  createInterface(child.stderr).on('line', (line) => (thrown ??= line.includes('Error') ? line : undefined));
  let broken: string | undefined;
  for await (const line of createInterface(child.stdout)) {
    if (!line.startsWith('seed ')) continue;
    broken = line.slice(0, 160);
    break;
  }
  child.kill();
  await ended;
  return broken ?? (signal.aborted ? 'a run does not end' : thrown && `a run throws: ${thrown}`);
}

async function isAsExpected(
  folder: string,
  { wrong, file, text, becomes, why }: Mutation,
  look: () => Promise<string | undefined>,
): Promise<boolean> {
  const path = join(folder, 'packages', file);
  const content = readFileSync(path, 'utf8');
  if (content.split(text).length !== 2) throw new Error(`${file} must have once: ${text}`);
  writeFileSync(
    path,
    content.replace(text, () => becomes),
  );
  try {
    const caught = await look();
    console.log(caught === undefined ? `NOT caught  ${wrong} (${why ?? file})` : `caught      ${wrong}: ${caught}`);
    return caught !== undefined || why !== undefined;
  } finally {
    writeFileSync(path, content);
  }
}

function isChosen(_: Mutation, at: number): boolean {
  return positionals.length === 0 || positionals.includes(String(at + 1));
}

async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'morsel-mutations-'));
  const copy = join(folder, 'tree');
  copyTree(copy);
  const tests = mutationsOfTests.filter(isChosen);
  const looks = values.tests
    ? tests.map((each) => ({ each, look: () => firstToFail(copy, each.tests) }))
    : mutationsOfSimulation.filter(isChosen).map((each) => ({ each, look: () => firstBroken(copy) }));
  try {
    // What fails without a change would catch everything.
    const failed = await (values.tests
      ? firstToFail(copy, [...new Set(tests.flatMap((each) => each.tests))])
      : firstBroken(copy));
    if (failed !== undefined) throw new Error(`without any change: ${failed}`);
    let numWrong = 0;
    for (const { each, look } of looks) if (!(await isAsExpected(copy, each, look))) numWrong += 1;
    console.log(`${looks.length} rows, ${numWrong} of them not noticed that should be`);
    process.exitCode = numWrong === 0 ? 0 : 1;
  } finally {
    git('worktree', 'remove', '--force', copy);
    rmSync(folder, { recursive: true, force: true });
  }
}

if (values.help) console.log(usage);
else await run();
