/** `npm run bench -- submit`. The constant `help` describes the benchmark and its options. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endsWithUs } from '../packages/gateway/test/support/ends-with-us.ts';
import { setUp } from '../packages/gateway/test/peers/set-up.ts';
import { compare, readSettledBooks } from './books.ts';
import { makeFolder } from './folder.ts';
import { warmUpSeconds } from './measured.ts';
import { windowMax as carrierWindow } from './morsel.ts';
import { Sink } from './sink.ts';
import { figureOf, runTrial } from './trial.ts';
import type { Say, Trial } from './trial.ts';
import { mebibyte, usageOf } from './usage.ts';
import type { Answers } from './wrk.ts';
import { GatewayProcess } from '../packages/gateway/test/support/gateway-process.ts';
import { Shown } from '../packages/gateway/test/support/json.ts';

const help = `Measures how many messages a second clients submit over SMPP, each committed before its answer, and compares all counts.

  npm run bench -- submit [--sessions 4] [--window 100] [--seconds 15] [--json]

  --sessions N  sessions of one account (default: 4)
  --window N    unanswered submit_sm in each session (default: 100)
  --seconds N   how long the clients submit, after ${warmUpSeconds} seconds to warm up (default: 15)
  --json        prints one JSON value

The gateway and the clients are separate processes. The carrier is smsc_sink.c, which answers at once and sends a receipt
for each message. The exit status is 1 unless every message that was answered with status 0 was charged, submitted and
delivered once, by the counts of the clients, the store and the carrier.

Needs wrk and a C compiler: apt-get install wrk gcc libc6-dev
`;

type Option = 'sessions' | 'window' | 'seconds';
const trial: Trial<Option> = { help, options: { sessions: 4, window: 100, seconds: 15 }, run };

async function run({ sessions, window, seconds }: Readonly<Record<Option, number>>, say: Say) {
  await using folder = makeFolder();
  await using sink = await Sink.start(folder.path);
  await using program = await GatewayProcess.start({ dataDir: folder.path });
  await setUp(program, { port: sink.port, window: carrierWindow });
  await program.morsel('account', 'set', 'acme', '--smpp-binds', String(sessions), '--smpp-window', String(window));
  const login = await program.morsel('smpp-login', 'add', 'acme');
  const load = [program.smppPort, login.text('password'), sessions, window];

  say(`${sessions} sessions with a window of ${window}, for ${seconds} s`);
  const warm = await submit([...load, warmUpSeconds]);
  await sink.has(warm.answered);
  await sink.countAnew();
  const before = await look(program);
  const answers = await submit([...load, seconds]);
  await sink.has(answers.answered);
  const after = await look(program);
  const counts = await sink.stop();
  await program.stop();

  const cpu = (after.usage.cpuMicroseconds - before.usage.cpuMicroseconds) / answers.answered;
  return {
    figures: [
      figureOf('acceptedPerSecond', 'messages answered with 0', answers.answered / seconds, '/s'),
      figureOf('endToEndPerSecond', 'receipts of carriers acknowledged', counts.acks / counts.seconds, '/s'),
      figureOf('p50Ms', 'answer, p50', answers.p50Ms, 'ms'),
      figureOf('p99Ms', 'answer, p99', answers.p99Ms, 'ms'),
      figureOf('fsyncsPerSecond', 'fsyncs', (after.groups - before.groups) / counts.seconds, '/s'),
      figureOf('cpuMicrosecondsPerMessage', "CPU of the gateway's process a message", cpu, 'us'),
      figureOf('peakResidentMiB', 'memory, peak', after.usage.peakResidentBytes / mebibyte, 'MiB'),
    ],
    faults: compare({ answers, counts, before: before.books, after: after.books }),
  };
}

/** Runs the clients, and returns their counts. */
async function submit(words: readonly (string | number)[]): Promise<Answers> {
  const running = promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'submit-load.ts'),
    ...words.map(String),
  ]);
  endsWithUs(running.child);
  const seen = new Shown(JSON.parse((await running).stdout));
  return {
    sent: seen.number('sent'),
    answered: seen.number('answered'),
    refused: seen.number('refused'),
    broken: seen.number('broken'),
    p50Ms: seen.number('p50Ms'),
    p99Ms: seen.number('p99Ms'),
  };
}

async function look(program: GatewayProcess) {
  const usage = usageOf(program.pid);
  const status = await program.ask('v1/status');
  return { usage, groups: status.number('store', 'groups'), books: await readSettledBooks(program, ['acme']) };
}

process.exitCode = await runTrial(trial, process.argv.slice(2));
