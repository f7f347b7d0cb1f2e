/** `npm run bench -- retention`. The constant `help` describes the benchmark and its options. */
import { execFileSync } from 'node:child_process';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayProcess } from '../packages/gateway/test/support/gateway-process.ts';
import { freePort, setUp, untilBound } from '../packages/gateway/test/peers/set-up.ts';
import { makeFolder } from './folder.ts';
import { spreadOf } from './measured.ts';
import { Sink } from './sink.ts';
import { figureOf, runTrial } from './trial.ts';
import type { Say, Trial } from './trial.ts';

const slowerMax = 1.2;

const help = `Sends messages at a steady rate beside a store full of old ones, in turn with and without the removal of a twentieth of them.

  npm run bench -- retention [--messages 1000000] [--rounds 3] [--seconds 40] [--rate 200] [--json]

  --messages N  delivered messages in the store, spread over 20 days (default: 1000000)
  --rounds N    rounds with and without the removal, in turn (default: 3)
  --seconds N   time that is measured in each round (default: 40)
  --rate N      messages that are sent a second (default: 200)
  --json        prints one JSON value

A latency counts from the moment at which the message should have been sent. The exit status is 1 unless the 99th percentile beside the
removal, median of the rounds, is under ${slowerMax} times that without it, and ledger check finds no error.

Needs a C compiler: apt-get install gcc libc6-dev
`;

const days = 20;
const warmUpMs = 5_000;
const connectionsMax = 64;

type Option = 'messages' | 'rounds' | 'seconds' | 'rate';
const trial: Trial<Option> = {
  help,
  options: { messages: 1_000_000, rounds: 3, seconds: 40, rate: 200 },
  programs: ['cc'],
  run,
};

interface Place {
  readonly dataDir: string;
  readonly token: string;
  readonly seconds: number;
  readonly rate: number;
}

async function run({ messages, rounds, seconds, rate }: Readonly<Record<Option, number>>, say: Say) {
  await using folder = makeFolder();
  const dataDir = join(folder.path, 'data');
  const port = await freePort();
  await using sink = await Sink.start(folder.path, port);
  const token = await prepare(dataDir, sink.port);
  say(`filling a store with ${messages.toLocaleString('en')} messages of ${days} days`);
  execFileSync(process.execPath, [join(import.meta.dirname, 'fill.ts'), dataDir, String(messages), String(days)]);
  const place = { dataDir, token, seconds, rate };
  const without: Round[] = [];
  const beside: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const [list, keptDays] of [[without, days * 10] as const, [beside, days - 1] as const]) {
      const measured = await measure(place, keptDays);
      list.push(measured);
      say(
        `kept for ${keptDays} days: p99 ${measured.p99.toFixed(1)} ms, p50 ${measured.p50.toFixed(1)} ms, removed ${measured.removed}`,
      );
    }
  }
  const ledger = await checkLedger(dataDir);
  const p99 = (list: readonly Round[]) => spreadOf(list.map((each) => each.p99)).median;
  const ratio = p99(beside) / p99(without);
  const figures = [
    figureOf('p99WithoutMs', 'p99 of sends, nothing to remove, median of the rounds', p99(without), 'ms'),
    figureOf('p99BesideMs', 'p99 of sends beside the removal, median of the rounds', p99(beside), 'ms'),
    { name: 'ratio', what: 'ratio of both', value: Math.round(ratio * 100) / 100, unit: '' },
    figureOf(
      'removedPerSecond',
      'removed a second',
      spreadOf(beside.map((each) => each.removed / seconds)).median,
      '/s',
    ),
  ];
  const isNone = beside.some(({ removed }) => removed === 0);
  return {
    figures,
    faults: [
      ...(ratio < slowerMax ? [] : [`sends beside the removal take ${ratio.toFixed(2)} times as long`]),
      ...(isNone ? ['in a round nothing was removed: fill more messages'] : []),
      ...(ledger ? [] : ['ledger check finds errors']),
    ],
  };
}

async function prepare(dataDir: string, port: number): Promise<string> {
  await using program = await GatewayProcess.start({ dataDir });
  const { token } = await setUp(program, { port, window: 1_000 });
  await program.stop();
  return token;
}

interface Round {
  readonly p50: number;
  readonly p99: number;
  readonly removed: number;
}

/** The removal begins when the gateway starts. */
async function measure({ dataDir, token, seconds, rate }: Place, keptDays: number): Promise<Round> {
  await set(dataDir, keptDays);
  await using program = await GatewayProcess.start({ dataDir });
  await untilBound(program);
  await load(program, { token, rate, ms: warmUpMs });
  const before = await removedOf(program);
  const latencies = await load(program, { token, rate, ms: seconds * 1_000 });
  const removed = (await removedOf(program)) - before;
  await program.stop();
  latencies.sort((one, other) => one - other);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), removed };
}

async function set(dataDir: string, keptDays: number): Promise<void> {
  await using program = await GatewayProcess.start({ dataDir });
  const [text, number, record] = ['--text-days', '--number-days', '--record-days'].map((option) => [
    option,
    String(keptDays),
  ]);
  await program.morsel('account', 'set', 'acme', ...[text, number, record].flat().map(String));
  await program.stop();
}

async function removedOf(program: GatewayProcess): Promise<number> {
  const rows = (await program.ask('v1/retention')).at('items');
  return Array.isArray(rows) ? rows.reduce((sum: number, row: { removed?: number }) => sum + (row.removed ?? 0), 0) : 0;
}

/** Sends at a steady rate, whatever the answers take. Returns the latencies in milliseconds. */
async function load(
  program: GatewayProcess,
  { token, rate, ms }: { readonly token: string; readonly rate: number; readonly ms: number },
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connectionsMax });
  const latencies: number[] = [];
  const open: Promise<void>[] = [];
  const begin = performance.now();
  for (let sent = 0; sent < (rate * ms) / 1_000; sent++) {
    const due = begin + (sent * 1_000) / rate;
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait);
    open.push(send(program, { agent, token, number: sent }).then(() => void latencies.push(performance.now() - due)));
  }
  await Promise.all(open);
  agent.destroy();
  return latencies;
}

function send(
  program: GatewayProcess,
  { agent, token, number }: { readonly agent: Agent; readonly token: string; readonly number: number },
): Promise<void> {
  const receiver = `+4179${String(number).padStart(7, '0')}`;
  const body = JSON.stringify({ auth: token, sender: 'ACME', receiver, text: 'Your code is 493027', dcs: 'GSM' });
  return new Promise((resolve, reject) => {
    const asked = request(
      program.url('/v1/sms/send'),
      { agent, method: 'POST', headers: { 'content-type': 'application/json' } },
      (answer) => {
        answer.resume();
        answer.on('end', () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`status ${answer.statusCode}`)),
        );
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

async function checkLedger(dataDir: string): Promise<boolean> {
  await using program = await GatewayProcess.start({ dataDir });
  const checked = await program.morsel('ledger', 'check');
  await program.stop();
  return checked !== undefined;
}

process.exitCode = await runTrial(trial, process.argv.slice(2));
