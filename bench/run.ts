/** `npm run bench`: runs the sides of a question in turn, and prints their medians. The function `help` has the options. */
import { execFileSync } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { exitOnSignals } from '../packages/gateway/test/support/ends-with-us.ts';
import { foreignMax, foreignShare, usageOfMachine } from './machine.ts';
import { programIn, type Options, type Question, type Round, type Side } from './harness.ts';

const questions: { readonly [name: string]: string } = {
  http: 'messages over HTTP to a carrier, and their receipts back (the default)',
  submit: 'submit_sm over four sessions with a window of 100; each is committed before its answer',
  webhook: 'inbound messages to one webhook',
  memory: 'memory while 500,000 messages wait for a carrier that is down, and while they go out',
  nodes: 'one and two nodes on PostgreSQL, in turn with SQLite',
  stored: 'a store with many old messages, in turn with one that has few, on PostgreSQL and SQLite',
  prices: 'imports of 100,000 prices under full load, loading the list, look-ups',
  path: 'the cost of each step of a message, in microseconds',
};

/**
 * The options of the command line. The parser and the help read this table. The type of the default is that of the
 * option.
 */
const declared: { readonly [Name in keyof Options]: { readonly default: Options[Name]; readonly what: string } } = {
  seconds: { default: 15, what: 'how long each round sends, after three seconds to warm up' },
  rounds: { default: 3, what: 'rounds of each side, in turn' },
  connections: { default: 64, what: 'HTTP connections, each with one request in flight' },
  rate: {
    default: 0,
    what: "messages a second, sent at their times whatever the answers do; 0 means the question's own rate",
  },
  stored: { default: 10_000_000, what: 'old messages in the full stores' },
  repeats: { default: 3, what: 'how often a round is repeated because other programs used the machine' },
  peer: { default: false, what: 'runs Kannel in turn, with the same load' },
  floor: {
    default: false,
    what: 'runs bench/floor.ts in turn: the same input and output, without the work of a gateway',
  },
  against: { default: '', what: 'a folder with another checkout of Morsel, which runs in turn, with the same load' },
};

const row = (name: string, what: string) => `  ${name.padEnd(20)}${what}`;

function help(taken: readonly (keyof Options)[]): string {
  const options = taken.map((name) => {
    const { default: value, what } = declared[name];
    const word = typeof value === 'number' ? ' N' : typeof value === 'string' ? ' FOLDER' : '';
    return row(`--${name}${word}`, word === ' N' ? `${what} (default: ${value})` : what);
  });
  return `Measures how fast Morsel is, and checks its counts. bench/README.md has our results.

  npm run bench -- [QUESTION] [options]

${Object.entries(questions)
  .map(([name, what]) => row(name, what))
  .join('\n')}

${options.join('\n')}
${row('--json', 'prints one JSON value')}

Run nothing else on the machine meanwhile. The exit status is 1 if a count is wrong.
`;
}

type Given =
  | { readonly wrong: string }
  | { readonly options: Options; readonly asJson: boolean; readonly isHelp: boolean };

/** Returns a sentence about the first wrong option. */
function readOptions(taken: readonly (keyof Options)[], args: readonly string[]): Given {
  const own = Object.fromEntries(
    taken.map((name) => [name, { type: declared[name].default === false ? 'boolean' : 'string' } as const]),
  );
  let values: { readonly [name: string]: string | boolean | undefined };
  try {
    const flags = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
    ({ values } = parseArgs({ args: [...args], options: { ...own, ...flags } }));
  } catch (fault) {
    return { wrong: fault instanceof Error ? fault.message : 'the options cannot be read' };
  }
  const numberOf = (name: 'seconds' | 'rounds' | 'connections' | 'rate' | 'stored' | 'repeats') =>
    Number(values[name] ?? declared[name].default);
  const against = values['against'] === undefined ? '' : resolve(String(values['against']));
  const options: Options = {
    seconds: numberOf('seconds'),
    rounds: numberOf('rounds'),
    connections: numberOf('connections'),
    rate: numberOf('rate'),
    stored: numberOf('stored'),
    repeats: taken.includes('repeats') ? numberOf('repeats') : 0,
    peer: values['peer'] === true,
    floor: values['floor'] === true,
    against,
  };
  for (const [name, value] of Object.entries(options)) {
    const least = name === 'rate' || name === 'repeats' ? 0 : 1;
    if (typeof value !== 'number' || (Number.isInteger(value) && value >= least && value <= mostOf(name))) continue;
    return { wrong: `--${name} must be a whole number from ${least} to ${mostOf(name)}` };
  }
  if (against !== '' && !existsSync(programIn(against)))
    return { wrong: `--against must be a folder with a checkout of Morsel: ${programIn(against)} does not exist` };
  return { options, asJson: values['json'] === true, isHelp: values['help'] === true };
}

const mostOf = (name: string) => (name === 'stored' ? 100_000_000 : 1_000_000);

interface Measured extends Side {
  readonly rounds: Round[];
  /** The faults of all rounds, also of those that were repeated. */
  readonly faults: string[];
}

interface InTurn {
  readonly measured: readonly Measured[];
  readonly repeated: number;
  /** The shares of the machine that other programs used, a round each. */
  readonly foreign: readonly number[];
}

/** Measures each round of all sides. A round that other programs disturbed is repeated; the quietest repetition counts. */
async function measureInTurn({ sides }: Question, options: Options, say: (line: string) => void): Promise<InTurn> {
  const measured = sides(options).map((side): Measured => ({ ...side, rounds: [], faults: [] }));
  const foreign: number[] = [];
  let repeated = 0;
  for (let round = 0; round < options.rounds; round++) {
    let best: { readonly share: number; readonly results: readonly Round[] } | undefined;
    for (let time = 0; time <= options.repeats && (best?.share ?? 1) > foreignMax; time++) {
      repeated += Math.sign(time);
      const next = await measureRound(measured, say);
      if (!best || next.share < best.share) best = next;
    }
    for (const [side, { rounds }] of measured.entries()) rounds.push(...(best?.results.slice(side, side + 1) ?? []));
    foreign.push(best?.share ?? 0);
  }
  return { measured, repeated, foreign };
}

/** `share` is the largest share of the machine that other programs used during a side. */
async function measureRound(sides: readonly Measured[], say: (line: string) => void) {
  const results: Round[] = [];
  let share = 0;
  for (const { name, measure, faults } of sides) {
    const before = usageOfMachine();
    const result = await measure();
    const foreign = foreignShare(before, usageOfMachine());
    results.push(result);
    faults.push(...result.faults);
    share = Math.max(share, foreign);
    const figures = result.figures.map(({ what, unit, value }) => `${what} ${show(value)} ${unit}`.trim());
    const noise = foreign > foreignMax ? `; not quiet: other programs used ${percent(foreign)} of the machine` : '';
    say(`${name}: ${figures.join('; ')}${noise}`);
  }
  return { share, results };
}

const percent = (share: number) => `${show(share * 100)} %`;

interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Rounds on a shared machine differ. The median is the figure, and minimum and maximum say how far to trust it. */
function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const half = (sorted.length - 1) / 2;
  return { median: (at(Math.floor(half)) + at(Math.ceil(half))) / 2, low: at(0), high: at(sorted.length - 1) };
}

function show(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });
}

const ends = ({ low, high }: Spread) => (low === high ? '' : ` (${show(low)} to ${show(high)})`);

/** Each figure of each side over its rounds, and its ratio to the figure of the first side, round by round. */
function summarize(sides: readonly Measured[]) {
  const valuesOf = ({ rounds }: Measured, name: string) =>
    rounds.flatMap(({ figures }) => figures.filter((each) => each.name === name).map(({ value }) => value));
  return sides.map((side) => ({
    name: side.name,
    faults: side.faults,
    isPeer: side.isPeer === true,
    figures: (side.rounds[0]?.figures ?? []).map(({ name, what, unit }) => {
      const values = valuesOf(side, name);
      const first = sides[0] && sides[0] !== side ? valuesOf(sides[0], name) : [];
      const ratios = first.map((value, round) => value / (values[round] ?? Number.NaN));
      return { name, what, unit, values, ...spreadOf(values), ...(ratios.length > 0 && { ratio: spreadOf(ratios) }) };
    }),
  }));
}

function describe(sides: ReturnType<typeof summarize>): string {
  const [first] = sides;
  return sides
    .map(({ name, figures }) => {
      const lines = figures.map(({ what, unit, ratio, ...spread }) => {
        const times = ratio ? `   ${first?.name}: ${show(ratio.median)} times${ends(ratio)}` : '';
        return `  ${what.padEnd(52)}${show(spread.median).padStart(9)} ${unit.padEnd(4)}${ends(spread)}${times}`.trimEnd();
      });
      return [`\n${name}`, ...lines].join('\n');
    })
    .join('\n');
}

/** f_type of statfs(2) for file systems in memory, where an fsync costs nothing and stores nothing. */
const inMemory = new Set([0x01021994 /* tmpfs */, 0x858458f6 /* ramfs */]);

async function run(question: Question, options: Options, asJson: boolean): Promise<number> {
  // With JSON on standard output, progress goes to standard error.
  const say = (line: string) => void (asJson ? process.stderr : process.stdout).write(`${line}\n`);
  const machine = {
    cpus: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    node: process.version,
    loadBefore: loadavg()[0],
    isStoreInMemory: inMemory.has(statfsSync(tmpdir()).type),
  };
  say(`${machine.cpus} x ${machine.cpu}, Node ${machine.node}, load ${machine.loadBefore}`);
  if (machine.isStoreInMemory) say('the store is in memory: set TMPDIR to a folder on a disk');
  const { measured, repeated, foreign } = await measureInTurn(question, options, say);
  const sides = summarize(measured);
  say(describe(sides));
  say(`\nother programs used at most ${percent(Math.max(...foreign))} of the machine; repeated rounds: ${repeated}`);
  for (const { name, isPeer, faults } of sides)
    for (const fault of faults) say(`${isPeer ? 'note' : 'FAIL'} ${name}: ${fault}`);
  const isGood = sides.every(({ isPeer, faults }) => isPeer || faults.length === 0);
  if (asJson) process.stdout.write(`${JSON.stringify({ isGood, machine, options, repeated, foreign, sides })}\n`);
  return isGood ? 0 : 1;
}

function isThere(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function refuse(reason: string): number {
  process.stderr.write(`${reason}\n`);
  return 2;
}

async function main([first = 'http', ...others]: readonly string[]): Promise<number> {
  const [name, args] = first.startsWith('-') ? ['http', [first, ...others]] : [first, others];
  if (!Object.hasOwn(questions, name)) return refuse(`QUESTION must be one of ${Object.keys(questions).join(', ')}`);
  const { question }: { readonly question: Question } = await import(`./${name}.ts`);
  const given = readOptions(question.options, args);
  if ('wrong' in given) return refuse(`${given.wrong}; see npm run bench -- ${name} --help`);
  if (given.isHelp) {
    process.stdout.write(help(question.options));
    return 0;
  }
  const missing = question.programs(given.options).filter((program) => !isThere(program));
  if (missing.length > 0) return refuse(`missing: ${missing.join(', ')}; bench/README.md names the packages`);
  exitOnSignals();
  // Each program, server and folder of a side ends with this process. Node warns of a leak from eleven listeners on.
  process.setMaxListeners(100);
  return await run(question, given.options, given.asJson);
}

process.exitCode = await main(process.argv.slice(2));
