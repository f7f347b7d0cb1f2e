import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';
import { rolldown } from 'rolldown';
import { filesOf, layers, type Layer } from './layers.ts';
import { bundleOf, threadFiles, threadsFolder } from './threads.ts';

/*
 * Runs a layer of tests: `node test/run.ts LAYER`. `layers.ts` has the layers. Prints a line for each file when it
 * ends, and then the failed tests with the output of their process, and one summary. Ends with status 1 if a test
 * failed or there was none.
 */

const root = join(import.meta.dirname, '..');
const together = join(import.meta.dirname, 'together.ts');
const threads = join(import.meta.dirname, 'threads.ts');
const waitingMax = 8;
const minutesMax = 10;

/** The counts of the summary, with the words of node:test. */
const counts: { [word: string]: number } = { tests: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 };
const failures: string[] = [];
const skips: string[] = [];

/** Lets at most `max` functions run at a time. */
function limited(max: number): <T>(act: () => Promise<T>) => Promise<T> {
  let free = max;
  const waiting: (() => void)[] = [];
  return async (act) => {
    if (free === 0) await new Promise<void>((go) => waiting.push(go));
    else free -= 1;
    try {
      return await act();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

/** Runs some files in one process. */
async function runProcess(files: readonly string[], { minutes = minutesMax, endsByForce }: Layer): Promise<void> {
  const stream = run({
    files: [together],
    argv: files,
    timeout: minutes * 60_000,
    signal: AbortSignal.timeout(2 * minutes * 60_000),
    execArgv: ['--import', threads, ...(endsByForce ? ['--test-force-exit'] : [])],
  });
  const output: string[] = [];
  const failed: string[] = [];
  for (const stdio of ['test:stdout', 'test:stderr'] as const) stream.on(stdio, ({ message }) => output.push(message));
  stream.on('test:diagnostic', ({ message, file }) => {
    if (file !== undefined && file !== together) output.push(`ℹ ${message}\n`);
  });
  stream.on('test:pass', ({ name, nesting, skip, details }) => {
    if (nesting === 0 && files.includes(name)) show(`✔ ${name} (${seconds(details.duration_ms)})`);
    if (skip !== undefined) skips.push(`${name}${typeof skip === 'string' ? ` # ${skip}` : ''}`);
  });
  stream.on('test:fail', ({ name, nesting, file = '', line, details }) => {
    if (nesting === 0 && files.includes(name)) show(`✖ ${name} (${seconds(details.duration_ms)})`);
    const { error } = details;
    // The failed tests of a suite have been reported already.
    if ('failureType' in error && error.failureType === 'subtestsFailed') return;
    // If the process was stopped or ended by itself, `file` is the program that runs the files.
    const where = file === together ? files.join(' ') : `${relative(root, file)}:${line ?? 0}`;
    failed.push(`✖ ${where}\n  ${name}\n${inspect(error.cause ?? error).replaceAll(/^/gm, '  ')}\n`);
  });
  let isCounted = false;
  stream.on('test:summary', (summary) => {
    if (summary.file !== undefined) return;
    isCounted = true;
    for (const [name, value] of Object.entries(summary.counts))
      if (name in counts) counts[name] = (counts[name] ?? 0) + value;
  });
  await new Promise((done) => stream.once('end', done).resume());
  if (!isCounted) failed.push(`✖ ${files.join(' ')}\n  the process of these files was not counted\n`);
  if (failed.length > 0) failures.push([...output, ...failed].join(''));
}

/** For each thread of the gateway, makes one file of all its modules: see `threads.ts`. */
async function bundleThreads(): Promise<void> {
  mkdirSync(threadsFolder, { recursive: true });
  const bundles = threadFiles.map(async (file) => {
    const bundle = await rolldown({ input: join(root, file), platform: 'node', logLevel: 'silent' });
    const { output } = await bundle.generate();
    const [{ code }, ...others] = output;
    if (others.length > 0) throw new Error(`${file} is more than one file`);
    // The file is renamed when it is complete, because another layer may run and read it.
    const unfinished = join(threadsFolder, `${process.pid}-${bundleOf(file)}`);
    writeFileSync(unfinished, code);
    renameSync(unfinished, join(threadsFolder, bundleOf(file)));
  });
  await Promise.all(bundles);
}

async function runLayer(layer: Layer, words: readonly string[]): Promise<void> {
  // The processes share compiled code.
  process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/compile');
  for (const [name, value] of Object.entries(layer.environment ?? {})) process.env[name] ??= value;
  // The files are searched before any test runs, because a pattern may be wrong.
  const groups = layer.groups.map((group) => ({
    ...group,
    files: filesOf(group).filter((file) => words.every((word) => file.includes(word))),
  }));
  await bundleThreads();
  const setup: Setup | undefined = layer.setup === undefined ? undefined : await import(join(root, layer.setup));
  await setup?.globalSetup();
  try {
    const inAll = limited(layer.processesMax ?? Infinity);
    const turns = { wait: limited(waitingMax), compute: limited(availableParallelism()) };
    const processes = groups.flatMap(({ files, mostly, together: each = 1 }) =>
      Array.from({ length: Math.ceil(files.length / each) }, (_, at) =>
        turns[mostly](() => inAll(() => runProcess(files.slice(at * each, (at + 1) * each), layer))),
      ),
    );
    await Promise.all(processes);
  } finally {
    await setup?.globalTeardown();
  }
}

interface Setup {
  readonly globalSetup: () => Promise<void>;
  readonly globalTeardown: () => Promise<void>;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function show(text: string): void {
  process.stdout.write(`${text}\n`);
}

function help(): string {
  const rows = Object.entries(layers).map(([name, { says, needs }]) => {
    const files = layers[name]?.groups.flatMap(filesOf).length ?? 0;
    return `  ${name.padEnd(14)} ${says} (${files} files)${needs === undefined ? '' : `\n${' '.repeat(17)}needs ${needs}`}`;
  });
  return `usage: node test/run.ts LAYER [WORD...]\n\nRuns the files of a layer whose path has all words.\n\n${rows.join('\n')}`;
}

async function main(name: string, words: readonly string[]): Promise<void> {
  const layer = layers[name];
  if (!layer) {
    show(help());
    process.exitCode = name === '--help' ? 0 : 2;
    return;
  }
  const startedAt = performance.now();
  await runLayer(layer, words);
  if (failures.length > 0) show(`\nfailed tests:\n\n${failures.join('\n')}`);
  if (skips.length > 0) show(`\nskipped tests:\n${skips.map((each) => `﹣ ${each}`).join('\n')}`);
  show(`\n${name}, ${seconds(performance.now() - startedAt)}`);
  for (const [word, count] of Object.entries(counts)) show(`ℹ ${word} ${count}`);
  process.exitCode = failures.length > 0 || counts['failed'] !== 0 || counts['tests'] === 0 ? 1 : 0;
}

const [layerName = '', ...words] = process.argv.slice(2);
await main(layerName, words);
// A process of tests that did not stop at its deadline must not keep this process alive.
process.exit();
