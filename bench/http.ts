/** `npm run bench -- http`, the default. options.ts describes the benchmark and its options. */
import { availableParallelism, cpus } from 'node:os';
import { exitOnSignals } from '../packages/gateway/test/support/ends-with-us.ts';
import { isFolderInMemory, makeFolder } from './folder.ts';
import { measureKannel } from './kannel.ts';
import { spreadOf } from './measured.ts';
import type { Measured } from './measured.ts';
import { measureFresh, measurePrepared } from './morsel.ts';
import { help, readOptions } from './options.ts';
import type { Options } from './options.ts';
import { describeRatio, describeRound, describeRounds } from './report.ts';
import { prepareStore } from './stored.ts';
import { isThere } from './trial.ts';

interface Outcome {
  readonly morsel: readonly Measured[];
  readonly kannel?: readonly Measured[];
  /** On the filled store. */
  readonly stored?: readonly Measured[];
  readonly ratios?: { readonly [figure: string]: ReturnType<typeof spreadOf> };
}

type Say = (line: string) => void;

async function alone(options: Options, say: Say): Promise<Outcome> {
  const morsel: Measured[] = [];
  for (let round = 0; round < options.rounds; round++) {
    morsel.push(await told(say, 'Morsel', measureFresh(options)));
  }
  return { morsel };
}

async function besideKannel(options: Options, say: Say): Promise<Outcome> {
  const morsel: Measured[] = [];
  const kannel: Measured[] = [];
  for (let round = 0; round < options.rounds; round++) {
    morsel.push(await told(say, 'Morsel', measureFresh(options)));
    kannel.push(await told(say, 'Kannel', measureKannel(options)));
  }
  return { morsel, kannel, ratios: { 'end to end': ratio(morsel, kannel, (each) => each.endToEndPerSecond) } };
}

async function besideStored(options: Options, say: Say): Promise<Outcome> {
  await using folder = makeFolder();
  say(`filling a store with ${options.stored.toLocaleString('en')} messages`);
  const prepared = await prepareStore(folder.path, options.stored);
  const morsel: Measured[] = [];
  const stored: Measured[] = [];
  for (let round = 0; round < options.rounds; round++) {
    morsel.push(await told(say, 'empty', measureFresh(options)));
    stored.push(await told(say, 'stored', measurePrepared(prepared, options)));
  }
  const ratios = {
    p50: ratio(stored, morsel, (each) => each.p50Ms),
    p99: ratio(stored, morsel, (each) => each.p99Ms),
    'end to end': ratio(stored, morsel, (each) => each.endToEndPerSecond),
  };
  return { morsel, stored, ratios };
}

async function told<M extends Measured>(say: Say, name: string, measuring: Promise<M>): Promise<M> {
  const measured = await measuring;
  say(describeRound(name, measured));
  return measured;
}

/** Ratios between the rounds of a pair. */
function ratio(
  ours: readonly Measured[],
  theirs: readonly Measured[],
  figure: (measured: Measured) => number,
): ReturnType<typeof spreadOf> {
  return spreadOf(
    ours.flatMap((our, index) => {
      const their = theirs[index];
      return their ? [figure(our) / figure(their)] : [];
    }),
  );
}

const installation = 'apt-get install wrk gcc libc6-dev kannel';

function missingPrograms({ withPeer }: Options): string[] {
  const needed = ['wrk', 'cc', ...(withPeer ? ['bearerbox', 'smsbox'] : [])];
  return needed.filter((name) => !isThere(name));
}

function sidesOf({ morsel, stored, kannel }: Outcome): { name: string; rounds: readonly Measured[] }[] {
  return [
    { name: stored ? 'Morsel, empty store' : 'Morsel', rounds: morsel },
    ...(stored ? [{ name: 'Morsel, full store', rounds: stored }] : []),
    ...(kannel ? [{ name: 'Kannel', rounds: kannel }] : []),
  ];
}

async function run(options: Options): Promise<number> {
  const say: Say = options.asJson ? () => undefined : (line) => process.stdout.write(`${line}\n`);
  const machine = {
    cpus: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    node: process.version,
    isStoreInMemory: isFolderInMemory(),
  };
  say(
    `${options.seconds} s a round, ${options.connections} connections; ${machine.cpus} x ${machine.cpu}, Node ${machine.node}`,
  );
  if (machine.isStoreInMemory)
    say('the store is in memory, where an fsync costs nothing: set TMPDIR to a folder on a disk');
  const measure = options.withPeer ? besideKannel : options.stored > 0 ? besideStored : alone;
  const outcome = await measure(options, say);
  for (const side of sidesOf(outcome)) say(describeRounds(side.name, side.rounds));
  say('');
  for (const [figure, spread] of Object.entries(outcome.ratios ?? {})) say(describeRatio(figure, spread));
  const faults = [...outcome.morsel, ...(outcome.stored ?? [])].flatMap((each) => each.faults);
  for (const fault of faults) say(`FAIL ${fault}`);
  // A benchmark does not fail for messages that another gateway lost.
  for (const note of outcome.kannel?.flatMap((each) => each.faults) ?? []) say(`note: ${note}`);
  if (options.asJson)
    process.stdout.write(`${JSON.stringify({ isGood: faults.length === 0, machine, options, ...outcome })}\n`);
  return faults.length === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(help);
    return 0;
  }
  if ('wrong' in options) {
    process.stderr.write(`${options.wrong}; see npm run bench -- http --help\n`);
    return 2;
  }
  const missing = missingPrograms(options);
  if (missing.length > 0) {
    process.stderr.write(`missing: ${missing.join(', ')}; install them with: ${installation}\n`);
    return 2;
  }
  return run(options);
}

exitOnSignals();
process.exitCode = await main();
