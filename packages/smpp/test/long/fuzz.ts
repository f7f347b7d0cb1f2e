import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { boardHead } from './board.ts';
import type { ThreadData, ThreadReport } from './fuzz-thread.ts';
import { inputMax } from './mutate.ts';
import { type TargetName, targets } from './plants.ts';
import { readSeeds } from './seeds.ts';

/*
 * Fuzzes the framer, the codec and the receipt reader with mutated real PDUs and receipts. If a property does not
 * hold, the program prints the input in hexadecimal and exits with status 1. `fuzz --seed N --from I --inputs 1`
 * repeats that input.
 */

const threadsDefault = 2;
const inputsDefault = 10_000_000;
const watchMs = 250;
/** A thread without progress for this time is stuck in its current input. */
const hangMs = 20_000;
/** The most octets of a failing input to print. The command with `--seed` and `--from` makes the full input again. */
const shownMaxOctets = 4096;
const heapMaxMb = 192;
/** Each outcome of a target must occur at least once in this many inputs. */
const rareOneIn = 1000;
const enoughToJudge = 20_000;

const help = `Usage: npm run fuzz -- [options]

  --inputs N    number of inputs (default: ${inputsDefault})
  --seed N      seed of the random generator (default: 1)
  --from N      number of the first input (default: 0)
  --only NAME   fuzz only one of ${targets.join(', ')} (default: all)
  --plant NAME  plant a bug in this target, which the fuzzer must find
`;

interface Settings {
  readonly inputs: number;
  readonly seed: number;
  readonly from: number;
  readonly only: readonly TargetName[];
  readonly planted: TargetName | undefined;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const settings = readSettings();
  if (typeof settings === 'string') {
    process.stdout.write(settings);
    return settings === help ? 0 : 2;
  }
  const { pdus, texts } = readSeeds((line) => void process.stdout.write(`${line}\n`));
  process.stdout.write(`from ${pdus.length} PDUs and ${texts.length} receipts, seed ${settings.seed}\n`);
  const startedMs = performance.now();
  const watching = watch(settings);
  const outcome = await watching.outcome;
  const seconds = (performance.now() - startedMs) / 1000;
  const done = watching.done();
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[K');
  process.stdout.write(
    `${grouped(done)} inputs in ${seconds.toFixed(1)} s, ${grouped(Math.round(done / seconds))} a second\n${outcome.text}`,
  );
  return outcome.status;
}

function readSettings(): Settings | string {
  try {
    const { values } = parseArgs({
      options: {
        inputs: { type: 'string', default: String(inputsDefault) },
        seed: { type: 'string', default: '1' },
        from: { type: 'string', default: '0' },
        only: { type: 'string' },
        plant: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return help;
    const only = nameOf(values.only);
    return {
      inputs: numberOf('--inputs', values.inputs),
      seed: numberOf('--seed', values.seed),
      from: numberOf('--from', values.from),
      only: only === undefined ? targets : [only],
      planted: nameOf(values.plant),
    };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n${help}\n`;
  }
}

function numberOf(option: string, text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new RangeError(`${option} must be a whole number`);
  return Number(text);
}

function nameOf(text: string | undefined): TargetName | undefined {
  if (text === undefined) return undefined;
  const name = targets.find((each) => each === text);
  if (name === undefined) throw new RangeError(`${text} is none of ${targets.join(', ')}`);
  return name;
}

interface Outcome {
  readonly status: 0 | 1;
  readonly text: string;
}

interface Watched {
  readonly worker: Worker;
  readonly board: SharedArrayBuffer;
  done: number;
  movedAtMs: number;
  report: Extract<ThreadReport, { kind: 'done' }> | undefined;
}

/** Starts and watches the threads, and ends them all at the first finding. */
function watch(settings: Settings): { readonly outcome: Promise<Outcome>; readonly done: () => number } {
  const threads = Array.from({ length: threadsDefault }, (_, offset) => startThread(settings, offset));
  const done = (): number => threads.reduce((sum, { board }) => sum + (new Int32Array(board)[0] ?? 0), 0);
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const finish = (outcome: Outcome): void => {
    clearInterval(timer);
    void Promise.all(threads.map(({ worker }) => worker.terminate())).then(() => resolve(outcome));
  };
  const find = (
    thread: Watched,
    what: { readonly target: string; readonly input?: number; readonly property: string },
  ) => {
    finish({ status: 1, text: findingText(settings, thread.board, what) });
  };
  for (const thread of threads) {
    thread.worker.on('message', (report: ThreadReport) => {
      if (report.kind === 'found') return find(thread, report);
      thread.report = report;
      if (threads.every((each) => each.report !== undefined)) finish(judge(settings, threads));
    });
    thread.worker.on('error', (error) => find(thread, { target: 'a thread', property: String(error) }));
  }
  const timer = setInterval(() => {
    for (const thread of threads) {
      if (hangs(thread)) find(thread, { target: 'a thread', property: `no end after ${hangMs} ms` });
    }
    if (process.stdout.isTTY) process.stdout.write(`\r${grouped(done())} of ${grouped(settings.inputs)}`);
  }, watchMs);
  return { outcome: promise, done };
}

function startThread({ inputs, seed, from, only, planted }: Settings, offset: number): Watched {
  const board = new SharedArrayBuffer(boardHead + 5 * inputMax);
  const data: ThreadData = { seed, from, to: from + inputs, offset, step: threadsDefault, only, planted, board };
  const worker = new Worker(join(import.meta.dirname, 'fuzz-thread.ts'), {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: heapMaxMb },
  });
  return { worker, board, done: -1, movedAtMs: performance.now(), report: undefined };
}

function hangs(thread: Watched): boolean {
  const done = new Int32Array(thread.board)[0] ?? 0;
  if (done !== thread.done || thread.report !== undefined) {
    thread.done = done;
    thread.movedAtMs = performance.now();
  }
  return performance.now() - thread.movedAtMs > hangMs;
}

function findingText(
  { seed, only }: Settings,
  board: SharedArrayBuffer,
  { target, input, property }: { readonly target: string; readonly input?: number; readonly property: string },
): string {
  const length = new Int32Array(board)[1] ?? 0;
  const hex = Buffer.from(board, boardHead, Math.min(length, shownMaxOctets)).toString('hex');
  const more = length > shownMaxOctets ? `\n(the first ${shownMaxOctets} of ${length} octets)` : '';
  const which = only.length === 1 ? ` --only ${only.join()}` : '';
  const again = input === undefined ? `--seed ${seed}${which}` : `--seed ${seed}${which} --from ${input} --inputs 1`;
  return `found in ${target}: ${property}\nagain with: ${again}\ninput: ${hex}${more}\n`;
}

/** Called if there was no finding. Checks that the inputs reached all outcomes. */
function judge({ inputs, only }: Settings, threads: readonly Watched[]): Outcome {
  const ends = new Map<string, number>();
  for (const { report } of threads) {
    for (const [end, count] of Object.entries(report?.ends ?? {})) ends.set(end, (ends.get(end) ?? 0) + count);
  }
  const text = [...ends].map(([end, count]) => `  ${end} ${grouped(count)}\n`).join('');
  const least = inputs / only.length / rareOneIn;
  const missed = [...ends].filter(([, count]) => count < least).map(([end]) => end);
  return inputs >= enoughToJudge && missed.length > 0
    ? { status: 1, text: `${text}hardly ever reached: ${missed.join(', ')}\n` }
    : { status: 0, text: `${text}nothing was found\n` };
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}
