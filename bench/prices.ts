/** `npm run bench -- prices`. The constant `help` describes the benchmark and its options. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setUp, untilBound } from '../packages/gateway/test/peers/set-up.ts';
import { makeFolder } from './folder.ts';
import { warmUpSeconds } from './measured.ts';
import { windowMax } from './morsel.ts';
import { makeDeck, writeDeck } from './price-deck.ts';
import { measureLoad } from './price-load.ts';
import type { Loaded } from './price-load.ts';
import { Sink } from './sink.ts';
import { figureOf, runTrial } from './trial.ts';
import type { Figure, Say, Trial } from './trial.ts';
import { runWrk } from './wrk.ts';
import type { Answers } from './wrk.ts';
import { GatewayProcess } from '../packages/gateway/test/support/gateway-process.ts';

const connections = 64;
/** The limits of a look-up, of a load, and of the ratio of p99 with imports to p99 without imports. */
const lookupMaxNs = 1_000;
const loadMaxMs = 2_000;
const slowerMax = 2;
const millions = 1_000_000;
/** Rounds without an import and with one. */
const roundsDefault = 3;
/** The prices of the two decks, in millionths. */
const deckPrices = ['0.008', '0.009'] as const;

const help = `Measures the cost of price lists: the time to load a list and to look up a price, and what clients notice of an import.

  npm run bench -- prices [--prefixes 100000] [--seconds 10] [--rounds ${roundsDefault}] [--json]

  --prefixes N  prices in the list that is imported (default: 100000)
  --seconds N   how long each round sends (default: 10)
  --rounds N    rounds without imports and as many with imports, in turn (default: ${roundsDefault})
  --json        prints one JSON value

wrk sends over ${connections} connections at full rate. In every other round "price import" imports one file after the other, each
of which changes every price. The gateway and the import are separate processes.

The exit status is 1 unless
- every message was charged by one version of the list, and nothing was refused;
- p99 with imports is less than ${slowerMax} times p99 without imports;
- a list of 100,000 prices loads within ${loadMaxMs} ms, and a look-up takes less than ${lookupMaxNs} ns.

Needs wrk and a C compiler: apt-get install wrk gcc libc6-dev
`;

const trial: Trial<'prefixes' | 'seconds' | 'rounds'> = {
  help,
  options: { prefixes: 100_000, seconds: 10, rounds: roundsDefault },
  run,
};

async function run(options: { prefixes: number; seconds: number; rounds: number }, say: Say) {
  say(`a list of ${options.prefixes.toLocaleString('en')} and one of ${millions.toLocaleString('en')} prefixes`);
  const small = await measureLoad(options.prefixes);
  const large = await measureLoad(millions);
  const sends = await measureSends(options, say);
  const faults = [
    ...sends.faults,
    ...(small.loadMs < loadMaxMs ? [] : [`a list took longer than ${loadMaxMs} ms to load`]),
    ...(small.lookupNs < lookupMaxNs ? [] : [`a lookup took longer than ${lookupMaxNs} ns`]),
  ];
  return {
    figures: [
      ...loadFigures('', options.prefixes, small),
      ...loadFigures('million', millions, large),
      ...sends.figures,
    ],
    faults,
  };
}

function loadFigures(key: string, size: number, { loadMs, blockedMs, lookupNs }: Loaded): Figure[] {
  const named = (what: string) => (key === '' ? what : `${key}${what[0]?.toUpperCase()}${what.slice(1)}`);
  return [
    figureOf(named('loadMs'), `${size.toLocaleString('en')} prefixes: load, off the event loop`, loadMs, 'ms'),
    figureOf(named('blockedMs'), `${size.toLocaleString('en')} prefixes: the event loop away at most`, blockedMs, 'ms'),
    figureOf(named('lookupNs'), `${size.toLocaleString('en')} prefixes: rate a message`, lookupNs, 'ns'),
  ];
}

interface Round {
  readonly without: Answers;
  readonly beside: Answers;
  readonly importSeconds: readonly number[];
}

async function measureSends(options: { prefixes: number; seconds: number; rounds: number }, say: Say) {
  await using folder = makeFolder();
  await using sink = await Sink.start(folder.path);
  await using program = await GatewayProcess.start({ dataDir: folder.path });
  const { token } = await setUp(program, { port: sink.port, window: windowMax });
  await untilBound(program);
  const files = deckPrices.map((price) => join(folder.path, `${price}.csv`));
  const deck = makeDeck(options.prefixes);
  for (const [index, file] of files.entries()) writeDeck(file, deck, deckPrices[index] ?? '');
  const load = { gateway: 'morsel', port: program.httpPort, tokens: [token], connections, rate: 0 } as const;
  await runWrk({ ...load, seconds: warmUpSeconds });
  const imports = new Imports(program, files);
  // After the first import the list is the same in every round.
  await imports.one();
  const rounds: Round[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const without = await runWrk({ ...load, seconds: options.seconds });
    const sending = runWrk({ ...load, seconds: options.seconds });
    const importSeconds = await imports.until(sending);
    const beside = await sending;
    rounds.push({ without, beside, importSeconds });
    say(`${describe('without', without)}; ${describe('beside imports', beside)}, of ${seconds(importSeconds)} s`);
  }
  await program.stop();
  return { figures: sendFigures(rounds), faults: faultsOf(rounds, chargesIn(folder.path)) };
}

function describe(what: string, { answered, p50Ms, p99Ms }: Answers): string {
  return `${what} ${answered.toLocaleString('en')} messages, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
}

function seconds(values: readonly number[]): string {
  return values.map((value) => value.toFixed(1)).join(', ');
}

/** Imports the decks in turn, so that each import changes every price. */
class Imports {
  readonly #program: GatewayProcess;
  readonly #files: readonly string[];
  #next = 0;

  constructor(program: GatewayProcess, files: readonly string[]) {
    this.#program = program;
    this.#files = files;
  }

  async one(): Promise<number> {
    const file = this.#files[this.#next++ % this.#files.length] ?? '';
    const begin = performance.now();
    await this.#program.morsel('price', 'import', file, '--list', 'default', '--replace', '--yes');
    return (performance.now() - begin) / 1_000;
  }

  /** Runs one import after the other until it is stopped, and returns the seconds of each import. */
  async until(sending: Promise<unknown>): Promise<number[]> {
    const stopping = new AbortController();
    void sending.finally(() => stopping.abort());
    const took: number[] = [];
    while (!stopping.signal.aborted) took.push(await this.one());
    return took;
  }
}

/** Prices of messages by version. */
function chargesIn(
  dataDir: string,
): { readonly version: number; readonly micros: number; readonly messages: number }[] {
  using database = new DatabaseSync(join(dataDir, 'morsel.db'), { readOnly: true });
  return database
    .prepare('select price_version, unit_price, count(*) as messages from message group by 1, 2')
    .all()
    .map((row) => ({
      version: Number(row['price_version']),
      micros: Number(row['unit_price']),
      messages: Number(row['messages']),
    }));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function sendFigures(rounds: readonly Round[]): Figure[] {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick));
  return [
    figureOf(
      'p50Ms',
      'answer, p50, without an import',
      of(({ without }) => without.p50Ms),
      'ms',
    ),
    figureOf(
      'p99Ms',
      'answer, p99, without an import',
      of(({ without }) => without.p99Ms),
      'ms',
    ),
    figureOf(
      'besideP50Ms',
      'answer, p50, beside imports',
      of(({ beside }) => beside.p50Ms),
      'ms',
    ),
    figureOf(
      'besideP99Ms',
      'answer, p99, beside imports',
      of(({ beside }) => beside.p99Ms),
      'ms',
    ),
    figureOf('p99Percent', 'p99 beside imports, of that without', 100 * of(slower), '%'),
    figureOf(
      'importSeconds',
      'an import, while messages are sent',
      median(rounds.flatMap((each) => each.importSeconds)),
      's',
    ),
    figureOf(
      'messages',
      'messages',
      rounds.reduce((sum, { without, beside }) => sum + without.answered + beside.answered, 0),
      '',
    ),
  ];
}

function slower({ without, beside }: Round): number {
  return beside.p99Ms / without.p99Ms;
}

function faultsOf(rounds: readonly Round[], charges: ReturnType<typeof chargesIn>): string[] {
  const refused = rounds.reduce(
    (sum, { without, beside }) => sum + without.refused + beside.refused + beside.broken,
    0,
  );
  const ratio = median(rounds.map(slower));
  // The first version is the price of the set-up. The decks follow in turn.
  const wrong = charges.filter(
    ({ version, micros }) => micros !== [9_000, 7_500, 8_000][version === 1 ? 1 : version % 2 === 0 ? 2 : 0],
  );
  return [
    ...wrong.map(
      ({ version, micros, messages }) => `${messages} messages of version ${version} paid ${micros} millionths`,
    ),
    ...(charges.length > 2 ? [] : ['messages were charged by fewer versions than were imported']),
    ...(refused === 0 ? [] : [`requests refused or broken: ${refused}`]),
    ...(ratio < slowerMax ? [] : [`p99 beside imports is ${ratio.toFixed(2)} times that without`]),
  ];
}

process.exitCode = await runTrial(trial, process.argv.slice(2));
