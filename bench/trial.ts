/* Runs a benchmark: reads its options, prints its figures, and fails if a promise is broken. */

import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { exitOnSignals } from '../packages/gateway/test/support/ends-with-us.ts';
import { isFolderInMemory } from './folder.ts';

/** One figure of a trial, with its format. */
export interface Figure {
  /** The name of the figure in JSON, with its unit at the end. */
  readonly name: string;
  readonly what: string;
  readonly value: number;
  readonly unit: string;
}

/** A figure with one decimal. */
export function figureOf(name: string, what: string, value: number, unit: string): Figure {
  return { name, what, value: Math.round(value * 10) / 10, unit };
}

interface TrialResult {
  readonly figures: readonly Figure[];
  /** Broken promises, as sentences. */
  readonly faults: readonly string[];
}

export type Say = (line: string) => void;

/** A benchmark: it loads the gateway, reports figures, and fails if a promise is broken. */
export interface Trial<Option extends string> {
  readonly help: string;
  /** Options with their defaults. Their values are whole numbers from 1. */
  readonly options: Readonly<Record<Option, number>>;
  /** The programs that the benchmark needs. Default: those of the load over HTTP. */
  readonly programs?: readonly string[];
  readonly run: (options: Readonly<Record<Option, number>>, say: Say) => Promise<TrialResult>;
}

const programsDefault = ['wrk', 'cc'];
const installation = 'apt-get install wrk gcc libc6-dev';

/** Runs a benchmark with the options of the command line, and returns the exit status. */
export async function runTrial<Option extends string>(trial: Trial<Option>, args: readonly string[]): Promise<number> {
  const given = readArguments(trial, args);
  if (given === 'help') {
    process.stdout.write(trial.help);
    return 0;
  }
  if ('wrong' in given) {
    process.stderr.write(`${given.wrong}; see --help\n`);
    return 2;
  }
  const missing = (trial.programs ?? programsDefault).filter((name) => !isThere(name));
  if (missing.length > 0) {
    process.stderr.write(`missing: ${missing.join(', ')}; install them with: ${installation}\n`);
    return 2;
  }
  exitOnSignals();
  const { options, asJson } = given;
  // Progress does not go to standard output, where the JSON goes.
  const say: Say = (line) => (asJson ? process.stderr : process.stdout).write(`${line}\n`);
  const machine = {
    cpus: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    node: process.version,
    isStoreInMemory: isFolderInMemory(),
    loadBefore: loadavg()[0],
  };
  say(
    `${machine.cpus} x ${machine.cpu}, Node ${machine.node}, load ${machine.loadBefore}${machine.isStoreInMemory ? ', store in memory' : ''}`,
  );
  const { figures, faults } = await trial.run(options, say);
  say('');
  for (const { what, value, unit } of figures)
    say(`  ${what.padEnd(56)}${value.toLocaleString('en').padStart(12)} ${unit}`);
  for (const fault of faults) say(`FAIL ${fault}`);
  if (asJson) {
    const values = Object.fromEntries(figures.map(({ name, value }) => [name, value]));
    process.stdout.write(`${JSON.stringify({ isGood: faults.length === 0, machine, options, ...values, faults })}\n`);
  }
  return faults.length === 0 ? 0 : 1;
}

function readArguments<Option extends string>(
  { options }: Trial<Option>,
  args: readonly string[],
): 'help' | { readonly wrong: string } | { readonly options: Record<Option, number>; readonly asJson: boolean } {
  let values: { readonly [name: string]: string | boolean | undefined };
  try {
    const numbers = Object.fromEntries(Object.keys(options).map((name) => [name, { type: 'string' as const }]));
    const flags = { json: { type: 'boolean' as const }, help: { type: 'boolean' as const, short: 'h' } };
    ({ values } = parseArgs({ args: [...args], options: { ...numbers, ...flags } }));
  } catch (fault) {
    return { wrong: fault instanceof Error ? fault.message : 'the options cannot be read' };
  }
  if (values['help'] === true) return 'help';
  const read: Record<Option, number> = { ...options };
  for (const name in options) {
    const given = values[name];
    if (given === undefined) continue;
    if (!/^[1-9]\d{0,7}$/.test(String(given))) return { wrong: `--${name} must be a whole number from 1` };
    read[name] = Number(given);
  }
  return { options: read, asJson: values['json'] === true };
}

/** Whether a program can be run by its name. */
export function isThere(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
