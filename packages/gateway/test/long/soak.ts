/*
 * `npm run soak -- --minutes N`: a gateway under mixed load, with a fault every 20 s. Prints its memory for each minute,
 * and compares the records of clients, carriers, webhook and store at the end. Exits with status 1 if they differ.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CarrierProcess } from '../crash/carrier-process.ts';
import { answerFaults, carrierFaults, endFaults } from '../crash/checks.ts';
import { deliveryFaults, InboundWorld, lossesOf, setUpInbound, submitReceiver } from './inbound-world.ts';
import { sendUntilDead, type Remembered } from '../crash/load.ts';
import { setUpLoad, settleLoad } from '../crash/trial.ts';
import { Cable } from '../nodes/cable.ts';
import { Chance } from '../support/chance.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { scrape } from '../support/gateway/metrics.ts';
import { StoreFile } from '../support/store/store-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const minuteMs = 60_000;
const faultEveryMs = 20_000;
const faultMs = 5_000;
const sampleEveryMs = 10_000;
/** The longest pause of each of the 24 clients over HTTP: about 50 messages a second. */
const pauseMs = 1_000;
/** The pause of each of the four phones, and of the four requests of the session. */
const inboundPauseMs = 100;
const mib = 1_024 * 1_024;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes > 0) || !Number.isInteger(seed)) throw new RangeError('--minutes and --seed must be numbers');

const chance = new Chance(seed);
const folder = mkdtempSync(join(tmpdir(), 'morsel-soak-'));
const dataDir = join(folder, 'data');
const remembered: Remembered[] = [];
const phases = { isOver: false };
const counts = { kills: 0, faults: 0, number: 0 };

await using carrier = await new CarrierProcess({
  journal: join(folder, 'carrier.jsonl'),
  receiptDelayMs: 50,
}).untilReady();
await using cable = await Cable.open({ host: '127.0.0.1', port: carrier.port });
await using world = await InboundWorld.open(chance, inboundPauseMs);
let gateway = await GatewayProcess.start({ dataDir });
const tokens = await setUpLoad(gateway, cable.port);
await setUpInbound(gateway, world);

/** Each fault begins, and ends by the function that it returns. */
const faults: readonly (() => void | Promise<void> | (() => void))[] = [
  () => {
    cable.cut();
    if (world.carrier.links > 0) world.carrier.session().destroy();
    return () => cable.restore();
  },
  () => {
    world.isThrottling = true;
    return () => (world.isThrottling = false);
  },
  () => {
    world.isWebhookDown = true;
    return () => (world.isWebhookDown = false);
  },
  () => {
    cable.silence();
    return () => cable.restore();
  },
  () => {
    gateway.signal('SIGSTOP');
    return () => gateway.signal('SIGCONT');
  },
  async () => {
    counts.kills += 1;
    await gateway.kill();
    gateway = await GatewayProcess.start({ dataDir });
  },
];

/** Runs a part of the load again and again: it ends when a gateway or a link ends. */
async function always(run: (round: number) => Promise<unknown>): Promise<void> {
  for (let round = 0; !phases.isOver; round++) {
    const current = gateway;
    try {
      if (!current.isEnded) await run(round);
    } catch (error) {
      // A killed gateway refuses connections before its end is noticed.
      await waitUntil(
        () => `the gateway ends after ${String(error)}`,
        () => current.isEnded,
      );
    }
    await sleep(100);
  }
}

function nextNumber(): number {
  return ++counts.number;
}

function sendOverHttp(round: number): Promise<void> {
  const port = gateway.httpPort;
  return sendUntilDead({ chance, round, port, tokens, nextNumber, pauseMs, isOver: () => phases.isOver }, remembered);
}

async function sendOverSmpp(): Promise<void> {
  const client = await world.bind(gateway.smppPort);
  await world.submit(client, () => phases.isOver);
}

async function makeFaults(): Promise<void> {
  for (;;) {
    await sleep(faultEveryMs - faultMs);
    if (phases.isOver) return;
    const end = await faults[counts.faults++ % faults.length]?.();
    await sleep(faultMs);
    end?.();
  }
}

interface Sample {
  readonly rss: number;
  readonly anonymous: number;
  readonly heap: number;
  readonly external: number;
}

/** The memory of the gateway in MiB. The heap is that of the main thread. */
async function look(): Promise<Sample> {
  const { pid, adminPort } = gateway;
  const metrics = await scrape(adminPort, readFileSync(join(dataDir, 'operator-key'), 'utf8').trim());
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  return {
    rss: kib('VmRSS') / 1_024,
    anonymous: kib('RssAnon') / 1_024,
    heap: (metrics.value('nodejs_heap_size_used_bytes') ?? 0) / mib,
    external: (metrics.value('nodejs_external_memory_bytes') ?? 0) / mib,
  };
}

function show(...cells: readonly (string | number)[]): void {
  const texts = cells.map((cell) => (typeof cell === 'number' ? String(Math.round(cell)) : cell).padStart(10));
  process.stdout.write(`${texts.join(' ')}\n`);
}

function accepted(): number {
  return remembered.filter(({ answer }) => answer?.status === 200).length;
}

/** Prints the most of each figure in a minute. */
async function showMinute(minute: number | string): Promise<number> {
  const samples: Sample[] = [];
  for (let at = 0; at < minuteMs; at += sampleEveryMs) {
    await sleep(sampleEveryMs);
    // A killed gateway is left out.
    const sample = await look().catch(() => undefined);
    if (sample) samples.push(sample);
  }
  const most = (name: keyof Sample) => Math.max(...samples.map((each) => each[name]));
  const { submitted, phones, heard, told } = world;
  const load = [accepted(), submitted.size, phones.acknowledged, heard.length, told.length];
  show(minute, ...load, most('rss'), most('anonymous'), most('heap'), most('external'), counts.faults, counts.kills);
  return most('rss');
}

const serving = world.serve();
const load = [
  always(sendOverHttp),
  always(sendOverSmpp),
  always(() => world.phones.bring(world.carrier, !phases.isOver, () => phases.isOver)),
];
const making = makeFaults();
show(
  'minute',
  'http',
  'smpp',
  'inbound',
  'sessions',
  'webhook',
  'RSS MiB',
  'anonymous',
  'heap',
  'external',
  'faults',
  'kills',
);
const resident: number[] = [];
for (let minute = 1; minute <= minutes; minute++) resident.push(await showMinute(minute));
phases.isOver = true;
await Promise.all([...load, making]);
await showMinute('at rest');

const ear = await world.bind(gateway.smppPort);
await world.phones.bring(world.carrier, false);
let left: readonly string[] = [];
await waitUntil(
  () => `all is delivered, but ${left.slice(0, 5).join()}`,
  () => {
    using store = StoreFile.of(dataDir);
    const waiting = store.texts("select id || ' ' || state from notification where state <> 'delivered'");
    left = [...waiting, ...deliveryFaults(store, world)];
    return left.length === 0;
  },
  10 * minuteMs,
  1_000,
);
await gateway.stop();
await ear.session.closed;
await settleLoad(dataDir);

/** The messages over SMPP are compared by `deliveryFaults`, because the clients over HTTP have no record of them. */
const isOfHttp = (fault: string) => !fault.includes(`+${submitReceiver}`);
using store = StoreFile.of(dataDir);
const found = [
  ...[...answerFaults(store, remembered), ...endFaults(store, remembered)].filter(isOfHttp),
  ...carrierFaults(store, carrier.submits()).filter(isOfHttp),
  ...lossesOf(store, world.phones.messages),
  ...deliveryFaults(store, world),
];
const [atTwo = 0, last = 0] = [resident[Math.min(9, Math.floor(resident.length / 3))], resident.at(-1)];
const totals = {
  date: new Date().toISOString().slice(0, 10),
  seed,
  minutes,
  ...counts,
  unavailable: remembered.filter(({ answer }) => answer?.status === 503).length,
  messages: store.count('select count(*) from message'),
  inbound: store.count('select count(*) from inbound'),
  everInDoubt: store.count('select count(*) from part where in_doubt > 0'),
  rssMib: resident.map(Math.round),
  growthPercent: Math.round((100 * (last - atTwo)) / atTwo),
  differences: found.length,
};
process.stdout.write(`${found.slice(0, 20).join('\n')}\n${JSON.stringify(totals)}\n`);
await world[Symbol.asyncDispose]();
await serving;
if (found.length === 0) rmSync(folder, { recursive: true, force: true });
process.exit(found.length === 0 ? 0 : 1);
