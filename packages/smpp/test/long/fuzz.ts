import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { decode, Framer, readReceipt } from '../../src/index.ts';
import { codecTarget } from './fuzz-codec.ts';
import { framerTarget } from './fuzz-framer.ts';
import { receiptTarget } from './fuzz-receipt.ts';
import { type Ending, type Inputs, runInputs } from './run.ts';
import { readSeeds } from './seeds.ts';

/*
 * Fuzzes the framer, the codec and the receipt reader with mutated real PDUs and receipts. If a property does not
 * hold, the program prints the input in hexadecimal and exits with status 1. `fuzz --seed N --from I --inputs 1`
 * repeats that input.
 */

const targets = {
  framer: framerTarget(() => new Framer()),
  codec: codecTarget(decode),
  receipt: receiptTarget(readReceipt),
};
const threads = 2;
/** A thread without progress for this time is stuck in its current input. */
const hangMs = 20_000;
const heapMaxMb = 192;

const help = `Usage: npm run fuzz -- [options]

  --inputs N    number of inputs (default: 10000000)
  --seed N      seed of the random generator (default: 1)
  --from N      number of the first input (default: 0)
`;

/** The inputs of a thread, and a number that it shares: the input that it runs. */
interface Work extends Inputs {
  readonly now: SharedArrayBuffer;
}

if (isMainThread) await main();
else {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- given by start()
  const work = workerData as Work;
  const now = new Float64Array(work.now);
  parentPort?.postMessage(
    runInputs(
      targets,
      readSeeds(() => undefined),
      work,
      (input) => void (now[0] = input),
    ),
  );
}

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { inputs: text, seed: text, from: text, help: { type: 'boolean' } } });
  if (values.help === true) return void process.stdout.write(help);
  const { pdus, texts } = readSeeds((line) => void process.stdout.write(`${line}\n`));
  const [seed, from] = [Number(values.seed ?? 1), Number(values.from ?? 0)];
  const to = from + Number(values.inputs ?? 10_000_000);
  process.stdout.write(`from ${pdus.length} PDUs and ${texts.length} receipts, seed ${seed}\n`);
  const ends = new Map<string, number>();
  const offsets = Array.from({ length: threads }, (_, offset) => from + offset);
  for (const ending of await Promise.all(offsets.map((first) => start({ seed, from: first, to, step: threads })))) {
    if (ending.kind === 'found') {
      process.exitCode = 1;
      const again = `--seed ${seed} --from ${ending.input} --inputs 1`;
      process.stdout.write(`found in ${ending.target}: ${ending.finding}\nagain with: ${again}\n`);
    } else for (const [end, count] of Object.entries(ending.ends)) ends.set(end, (ends.get(end) ?? 0) + count);
  }
  for (const [end, count] of ends) process.stdout.write(`  ${end} ${count.toLocaleString('en')}\n`);
  if (process.exitCode !== 1) process.stdout.write('nothing was found\n');
}

/** Starts a thread. A thread that fails or hangs is a finding, too. */
function start(inputs: Inputs): Promise<Ending> {
  const now = new SharedArrayBuffer(8);
  const worker = new Worker(import.meta.filename, {
    workerData: { ...inputs, now } satisfies Work,
    resourceLimits: { maxOldGenerationSizeMb: heapMaxMb },
  });
  const running = () => new Float64Array(now)[0] ?? 0;
  return new Promise((resolve) => {
    const find = (finding: string) => resolve({ kind: 'found', target: 'a thread', input: running(), finding });
    let before = -1;
    const watch = setInterval(() => {
      if (running() === before) find(`no end after ${hangMs} ms`);
      before = running();
    }, hangMs);
    worker.once('message', resolve);
    worker.once('error', (error) => find(String(error)));
    worker.once('exit', () => clearInterval(watch));
  });
}
