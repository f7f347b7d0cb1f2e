/** Measures how many texts `compose` encodes in a second. Run: node packages/gsm/bench/compose.bench.ts */
import { compose, allLanguages, type ComposeOptions, type Dcs } from '../src/index.ts';

interface Row {
  readonly name: string;
  readonly text: string;
  readonly dcs: Dcs;
  readonly options?: ComposeOptions;
}

const roundMs = 500;
const rounds = 3;

const rows: readonly Row[] = [
  { name: 'GSM, 26 characters', text: 'Your code is 493027. Thanks', dcs: 'GSM' },
  { name: 'SMS, 26 characters', text: 'Your code is 493027. Thanks', dcs: 'SMS' },
  { name: 'GSM, 300 characters', text: 'Ten chars.'.repeat(30), dcs: 'GSM' },
  { name: 'UCS, 100 characters', text: 'Десять знаков '.repeat(8).slice(0, 100), dcs: 'UCS' },
  { name: 'SMS, 100 characters of UCS', text: 'Десять знаков '.repeat(8).slice(0, 100), dcs: 'SMS' },
  { name: 'GSM, 256 Ki characters', text: 'x'.repeat(262_144), dcs: 'GSM' },
  { name: 'SMS, 256 Ki, all languages', text: 'x'.repeat(262_144), dcs: 'SMS', options: { languages: allLanguages } },
];

for (const row of rows) {
  let best = 0;
  for (let round = 0; round < rounds; round++) best = Math.max(best, measure(row));
  process.stdout.write(`${row.name.padEnd(28)} ${Math.round(best).toLocaleString('en').padStart(12)} a second\n`);
}

function measure({ text: built, dcs, options }: Row): number {
  // JSON makes the text one flat string, like a text from the network. Otherwise `repeat` returns a tree of strings.
  const text = String(JSON.parse(JSON.stringify(built)));
  const start = performance.now();
  let done = 0;
  let elapsed = 0;
  while (elapsed < roundMs) {
    // A short text is composed many times between two looks at the clock, so that reading the clock costs little.
    const batch = Math.max(1, Math.floor(100_000 / text.length));
    for (let n = 0; n < batch; n++) compose(text, dcs, options);
    done += batch;
    elapsed = performance.now() - start;
  }
  return (done * 1000) / elapsed;
}
