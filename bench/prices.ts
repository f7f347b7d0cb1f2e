/**
 * Question `prices`: how much slower clients are answered during imports that change every price, how long a list takes
 * to load, and what a look-up costs.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PriceTable } from '@morsel/gateway/core/money/price-table.ts';
import { rate } from '@morsel/gateway/core/money/rating.ts';
import { masterKeyName } from '@morsel/gateway/state/sealing/master-key.ts';
import { Reader } from '@morsel/gateway/store/reader.ts';
import { setUp, untilBound } from '../packages/gateway/test/peers/set-up.ts';
import type { GatewayProcess } from '../packages/gateway/test/support/gateway/gateway-process.ts';
import {
  checkoutsOf,
  figure,
  makeFolder,
  sendHttp,
  startGateway,
  waits,
  warmUpSeconds,
  windowMax,
  type Answers,
  type Checkout,
  type Figure,
  type Options,
  type Question,
  type Round,
} from './harness.ts';
import { Sink } from './sink.ts';

const prefixes = 100_000;
/**
 * The prices of the two files that are imported in turn, as text and in millionths. Before the first import the price
 * is another.
 */
const deckPrices = { '0.008': 8_000, '0.009': 9_000 } as const;
const setUpMicros = 7_500;
const lookups = 1_000_000;

export const question: Question = {
  options: ['seconds', 'rounds', 'repeats', 'connections', 'against'],
  programs: () => ['cc'],
  sides: (options) =>
    checkoutsOf(options).flatMap((checkout) =>
      [false, true].map((isImporting) => ({
        name: `${checkout.name}, ${isImporting ? 'beside imports' : 'no import'}`,
        measure: () => measurePrices(checkout, options, isImporting),
      })),
    ),
};

async function measurePrices(checkout: Checkout, options: Options, isImporting: boolean): Promise<Round> {
  await using folder = makeFolder();
  await using sink = await Sink.start();
  await using program = await startGateway(checkout, { dataDir: folder.path });
  const { token } = await setUp(program, { port: sink.port, window: windowMax });
  await untilBound(program);
  const importNext = importer(program, folder.path);
  // After the first import the list has the same size in every round.
  await importNext();
  const { connections } = options;
  const load = { gateway: 'morsel', port: program.httpPort, tokens: [token], connections, rate: 0 } as const;
  const warm = await sendHttp({ ...load, seconds: warmUpSeconds });
  const sending = sendHttp({ ...load, seconds: options.seconds });
  const importSeconds = isImporting ? await importUntil(sending, importNext) : undefined;
  const answers = await sending;
  await sink.has(warm.answered + answers.answered);
  await program.stop();
  return {
    figures: [
      figure('acceptedPerSecond', 'accepted', '/s', answers.answered / options.seconds),
      ...waits(answers),
      ...(importSeconds === undefined ? [] : [figure('importSeconds', 'an import', 's', importSeconds)]),
      // Not for another checkout, which may have another schema.
      ...(checkout.folder === undefined && !isImporting ? await listFigures(folder.path) : []),
    ],
    faults: faultsOf(folder.path, answers),
  };
}

/**
 * Returns a function that imports the two files in turn, so that each import changes every price. It returns the
 * seconds of the import.
 */
function importer(program: GatewayProcess, folder: string): () => Promise<number> {
  const deck = makeDeck();
  const files = Object.keys(deckPrices).map((price) => {
    const file = join(folder, `${price}.csv`);
    writeFileSync(file, ['prefix,price', ...deck.map((prefix) => `${prefix},${price}`), ''].join('\n'));
    return file;
  });
  let next = 0;
  return async () => {
    const begin = performance.now();
    const file = files[next++ % files.length] ?? '';
    await program.morsel('price', 'import', file, '--list', 'default', '--replace', '--yes');
    return (performance.now() - begin) / 1_000;
  };
}

/** Imports until the load has ended. Returns the mean seconds of an import. */
async function importUntil(sending: Promise<unknown>, importNext: () => Promise<number>): Promise<number> {
  const stopping = new AbortController();
  void sending.finally(() => stopping.abort());
  const took: number[] = [];
  while (!stopping.signal.aborted) took.push(await importNext());
  return took.reduce((sum, each) => sum + each, 0) / took.length;
}

/** A file with number ranges of networks. Without the file, ranges of Switzerland are used. */
const carrierPrefixes = join(import.meta.dirname, '../../shared/data/numbers/carrier-prefixes.tsv');

/** Makes the prefixes of a price list: 41, the prefixes of networks, and these prefixes with more digits. */
function makeDeck(): string[] {
  const networks = existsSync(carrierPrefixes)
    ? readFileSync(carrierPrefixes, 'utf8').match(/^\d+/gm)
    : Array.from({ length: 1_000 }, (_none, index) => `4179${String(index).padStart(3, '0')}`);
  const deck = new Set(['41', ...(networks ?? [])]);
  // The loop adds to `deck`, and so extends the added prefixes, too.
  for (const prefix of deck) {
    if (prefix.length >= 15) continue;
    for (let digit = 0; digit < 10 && deck.size < prefixes; digit++) deck.add(`${prefix}${digit}`);
    if (deck.size >= prefixes) break;
  }
  return [...deck].slice(0, prefixes);
}

async function listFigures(folder: string): Promise<Figure[]> {
  const file = join(folder, 'morsel.db');
  const place = { kind: 'sqlite', file, isExpected: true, masterKey: join(folder, masterKeyName) } as const;
  await using reader = new Reader({ place, onFault: fail, onFatal: fail });
  const load = async () => {
    const packed = await reader.ask('priceTable', { priceList: 1, version: 2 });
    return packed.ok ? new PriceTable(packed.value) : fail('the prices cannot be read');
  };
  // The first load compiles the code and loads the pages, as in a running gateway.
  await load();
  const begin = performance.now();
  const prices = await load();
  const loadMs = performance.now() - begin;
  if (prices.size !== prefixes) fail(`the table has ${prices.size} prices`);
  const versions = [{ version: 2, effectiveAt: 0, prices }];
  const held = { id: 1, name: 'default', currency: 'EUR', base: undefined, versions };
  const receivers = makeDeck().map((prefix, index) => `+${prefix}${String(index * 104_729).padStart(12, '7')}`);
  const look = () => {
    for (let count = 0; count < lookups; count++)
      rate(held, receivers[(count * 7_919) % prefixes] ?? '', { numParts: 1, at: 1 });
  };
  look();
  const before = process.cpuUsage();
  look();
  const { user, system } = process.cpuUsage(before);
  return [
    figure('loadMs', 'load of the list', 'ms', loadMs),
    figure('lookupNs', 'look-up of a price', 'ns', ((user + system) * 1_000) / lookups),
  ];
}

/** All prefixes of a version have one price, so a message with another price was charged by two versions. */
function faultsOf(folder: string, { answered, refused, broken }: Answers): string[] {
  using database = new DatabaseSync(join(folder, 'morsel.db'), { readOnly: true });
  const charges = database
    .prepare('select price_version as version, unit_price as micros, count(*) as messages from message group by 1, 2')
    .all();
  const decks = Object.values(deckPrices);
  const wrong = charges.filter(({ version, micros }) => {
    const expected = version === 1 ? setUpMicros : decks[Number(version) % decks.length];
    return micros !== expected;
  });
  return [
    ...wrong.map((charge) => `messages were charged by two versions: ${JSON.stringify(charge)}`),
    ...(answered > 0 ? [] : ['nothing was answered']),
    ...(refused + broken === 0 ? [] : [`requests refused or broken: ${refused + broken}`]),
  ];
}

function fail(reason: string): never {
  throw new Error(reason);
}
