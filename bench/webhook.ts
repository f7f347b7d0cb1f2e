/** `npm run bench -- webhook`. The constant `help` describes the benchmark and its options. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endsWithUs } from '../packages/gateway/test/support/ends-with-us.ts';
import { makeFolder } from './folder.ts';
import { warmUpSeconds } from './measured.ts';
import { figureOf, runTrial } from './trial.ts';
import type { Figure, Say, Trial } from './trial.ts';
import { mebibyte, usageOf } from './usage.ts';
import { GatewayProcess } from '../packages/gateway/test/support/gateway-process.ts';
import { waitUntil } from '../packages/gateway/test/support/wait-until.ts';

/** The longest wait for the last messages after the load. */
const settleMaxMs = 30_000;

const help = `Sends inbound messages to one webhook, measures how many a second are delivered, and checks that each is delivered once.

  npm run bench -- webhook [--rate 5000] [--seconds 15] [--json]

  --rate N      messages a second from the carrier (default: 5000)
  --seconds N   how long the carrier sends, after ${warmUpSeconds} seconds to warm up (default: 15)
  --json        prints one JSON value

The carrier and the client's system are separate processes. The client's system answers each request after 5 ms. The exit
status is 1 unless the rate was kept and every message that was acknowledged to the carrier was delivered once.
`;

const trial: Trial<'rate' | 'seconds'> = { help, options: { rate: 5_000, seconds: 15 }, run };

/** One of the two other processes, with the last values that it sent. */
class Other implements AsyncDisposable {
  readonly #child: ChildProcess;
  #last: { readonly [member: string]: unknown } = {};

  constructor(name: string) {
    this.#child = endsWithUs(fork(join(import.meta.dirname, name)));
    this.#child.on('message', (said) => {
      if (typeof said === 'object' && said !== null) this.#last = { ...this.#last, ...said };
    });
  }

  number(member: string): number {
    return Number(this.#last[member] ?? 0);
  }

  tell(order: object): void {
    this.#child.send(order);
  }

  async ready(): Promise<number> {
    await waitUntil('it listens', () => Promise.resolve(this.number('port') > 0), 10_000);
    return this.number('port');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.disconnect();
    await Promise.resolve();
  }
}

async function run({ rate, seconds }: { rate: number; seconds: number }, say: Say) {
  await using folder = makeFolder();
  await using receiver = new Other('webhook-receiver.ts');
  await using carrier = new Other('webhook-carrier.ts');
  await using program = await GatewayProcess.start({ dataDir: folder.path });
  await setUp(program, { carrierPort: await carrier.ready(), receiverPort: await receiver.ready() });

  await load(carrier, rate, warmUpSeconds);
  await settled(carrier, receiver);
  const before = { requests: receiver.number('requests'), usage: usageOf(program.pid), at: performance.now() };
  say(`${rate.toLocaleString('en')} messages a second for ${seconds} s`);
  let behind = 0;
  const loading = load(carrier, rate, seconds).then(() => performance.now());
  for (const end = performance.now() + seconds * 1_000; performance.now() < end;) {
    await sleep(100);
    behind = Math.max(behind, carrier.number('acknowledged') - receiver.number('requests'));
  }
  const told = receiver.number('requests') - before.requests;
  const tookSeconds = (performance.now() - before.at) / 1_000;
  const acknowledgedSeconds = ((await loading) - before.at) / 1_000;
  await settled(carrier, receiver);
  const settledSeconds = (performance.now() - before.at) / 1_000;
  const usage = usageOf(program.pid);
  const all = receiver.number('requests') - before.requests;
  const seen = { told: told / tookSeconds, acknowledged: all / acknowledgedSeconds, settled: all / settledSeconds };
  const figures: Figure[] = [
    figureOf('acknowledgedPerSecond', 'acknowledged to the carrier, on disk', seen.acknowledged, 'a second'),
    figureOf('toldPerSecond', 'delivered to the webhook during the load', seen.told, 'a second'),
    figureOf('settledPerSecond', 'delivered, over the time until the last one', seen.settled, 'a second'),
    figureOf('behind', 'acknowledged and not yet delivered, at most', behind, 'messages'),
    figureOf('connections', 'connections that the webhook saw', receiver.number('connections'), ''),
    figureOf(
      'cpuMicroseconds',
      'CPU a message, all threads',
      (usage.cpuMicroseconds - before.usage.cpuMicroseconds) / all,
      'us',
    ),
    figureOf('residentMiB', 'memory, peak', usage.peakResidentBytes / mebibyte, 'MiB'),
  ];
  const faults = [
    ...mustBe('messages told', receiver.number('distinct'), carrier.number('acknowledged')),
    ...mustBe('messages told twice', receiver.number('requests') - receiver.number('distinct'), 0),
    ...mustBe('messages refused', carrier.number('refused'), 0),
    ...(seen.settled >= rate * 0.97 ? [] : [`the rate was not kept: ${Math.round(seen.settled)} and not ${rate}`]),
  ];
  await program.stop();
  return { figures, faults };
}

async function setUp(program: GatewayProcess, ports: { carrierPort: number; receiverPort: number }): Promise<void> {
  await program.morsel('account', 'add', 'acme', '--currency', 'EUR');
  await program.morsel('number', 'add', '+41791112233', '--account', 'acme');
  const url = `http://127.0.0.1:${ports.receiverPort}/sms`;
  await program.morsel('webhook', 'add', 'acme', url, '--allow', '127.0.0.1');
  const login = [
    '--host',
    '127.0.0.1',
    '--port',
    String(ports.carrierPort),
    '--system-id',
    'us',
    '--password',
    'secret',
  ];
  await program.morsel('carrier', 'add', 'phones', ...login);
  await waitUntil(
    'the link is bound',
    async () => {
      const carrier = await program.ask('v1/carriers/phones');
      return carrier.at('linkStates', '0', 'state') === 'bound';
    },
    10_000,
  );
}

async function load(carrier: Other, rate: number, seconds: number): Promise<void> {
  const before = carrier.number('ordersDone');
  carrier.tell({ rate, seconds });
  await sleep(seconds * 1_000);
  await waitUntil('all are acknowledged', () => Promise.resolve(carrier.number('ordersDone') > before), settleMaxMs);
}

/** Waits until all messages are delivered. */
async function settled(carrier: Other, receiver: Other): Promise<void> {
  await waitUntil(
    'all are delivered',
    () => Promise.resolve(receiver.number('requests') >= carrier.number('acknowledged')),
    settleMaxMs,
  );
}

function mustBe(what: string, found: number, expected: number): string[] {
  return found === expected ? [] : [`${what}: ${found} and not ${expected}`];
}

process.exitCode = await runTrial(trial, process.argv.slice(2));
