/* A crash trial: a gateway is killed again and again under load, and all messages are checked from outside. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CarrierProcess } from './carrier-process.ts';
import { Chance } from '../support/chance.ts';
import { answerFaults, carrierFaults, doubtFaults, endFaults } from './checks.ts';
import { loadCarriers, sendUntilDead, type Remembered } from './load.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { storeFaults } from '../support/store/rules/store-faults.ts';
import { alterStore, StoreFile } from '../support/store/store-file.ts';
import { waitUntil } from '../support/wait-until.ts';

export interface TrialOptions {
  readonly seed: number;
  /** The number of kills under load, one after the other on one data directory. */
  readonly kills: number;
}

export interface TrialSummary {
  readonly faults: readonly string[];
  /** The folder in which stores and journals are kept if there were faults. */
  readonly kept?: string;
  readonly kills: number;
  readonly messages: number;
  readonly submits: number;
  readonly everInDoubt: number;
}

const receiptDelayMs = 50;
const loadMinMs = 60;
const loadMaxMs = 450;
/** The number of messages that must be accepted before each kill. */
const acceptedPerKill = 20;
/** The latest kill during a start: the gateway may be before, within or after the opening of its store. */
const startMaxMs = 800;
const endsLimitMs = 60_000;
/** Longer than the gateway's wait between two looks for due parts: if nothing changes for so long, all is done. */
const quietMs = 2_500;

/** Kills a gateway again and again under load, and checks all messages from outside. */
export async function runTrial({ seed, kills }: TrialOptions): Promise<TrialSummary> {
  const folder = mkdtempSync(join(tmpdir(), 'morsel-crash-'));
  await using carrier = await new CarrierProcess({
    journal: join(folder, 'carrier.jsonl'),
    receiptDelayMs,
  }).untilReady();
  const trial = new Trial({ seed, dataDir: join(folder, 'data'), carrier });
  await trial.setUp();
  await trial.stopOnce();
  for (let round = 0; round < kills; round++) await trial.killOnce(round);
  const summary = await trial.close();
  if (summary.faults.length > 0) return { ...summary, kept: folder };
  rmSync(folder, { recursive: true, force: true });
  return summary;
}

class Trial {
  readonly #chance: Chance;
  readonly #dataDir: string;
  readonly #carrier: CarrierProcess;
  readonly #tokens = new Map<string, string>();
  readonly #remembered: Remembered[] = [];
  readonly #faults = new Set<string>();
  #lastNumber = 0;
  #kills = 0;

  constructor(options: { readonly seed: number; readonly dataDir: string; readonly carrier: CarrierProcess }) {
    this.#chance = new Chance(options.seed);
    this.#dataDir = options.dataDir;
    this.#carrier = options.carrier;
  }

  async setUp(): Promise<void> {
    await using gateway = await GatewayProcess.start({ dataDir: this.#dataDir });
    for (const [name, token] of await setUpLoad(gateway, this.#carrier.port)) this.#tokens.set(name, token);
    await gateway.stop();
  }

  /** Starts the gateway, and kills it with `kill -9` under load; sometimes also during a start, or a stop. */
  async killOnce(round: number): Promise<void> {
    const chance = this.#chance;
    if (chance.happens(0.2)) await this.#killAtStart();
    await using gateway = await GatewayProcess.start({ dataDir: this.#dataDir });
    const port = gateway.httpPort;
    await gateway.administer('POST', '/v1/accounts/poor/top-up', { amount: '0.5' });
    const enough = this.#accepted() + acceptedPerKill;
    const load = this.#send(port, round);
    await sleep(chance.between(loadMinMs, loadMaxMs));
    await waitUntil('a load that proves something', () => this.#accepted() > enough, endsLimitMs);
    if (chance.happens(0.2)) {
      gateway.signal('SIGTERM');
      await sleep(chance.between(0, 150));
    }
    await gateway.kill();
    await load;
    this.#kills += 1;
    // Clients and carrier are compared only at the end.
    this.#look(storeFaults);
  }

  /** Starts the gateway, and stops it in order under load. No part may be in doubt after that (P2). */
  async stopOnce(): Promise<void> {
    await using gateway = await GatewayProcess.start({ dataDir: this.#dataDir });
    const load = this.#send(gateway.httpPort, 0);
    await sleep(loadMaxMs);
    await gateway.stop();
    await load;
    this.#look((store) => [
      ...answerFaults(store, this.#remembered),
      ...store.texts("select 'stopped with a part ' || state from part where state in ('claimed', 'in_doubt')"),
      ...store.texts("select 'stopped with an attempt ' || outcome from attempt where outcome in ('in_doubt')"),
    ]);
  }

  /** Waits until all messages are final, stops in order, and compares the records of clients, carrier and store. */
  async close(): Promise<TrialSummary> {
    await settleLoad(this.#dataDir);
    const submits = this.#carrier.submits();
    using store = StoreFile.of(this.#dataDir);
    this.#note([
      ...storeFaults(store),
      ...answerFaults(store, this.#remembered),
      ...endFaults(store, this.#remembered),
      ...carrierFaults(store, submits),
      ...doubtFaults(store),
    ]);
    return {
      faults: [...this.#faults],
      kills: this.#kills,
      messages: store.count('select count(*) from message'),
      submits: submits.length,
      everInDoubt: store.count('select count(*) from part where in_doubt > 0'),
    };
  }

  #accepted(): number {
    return this.#remembered.filter(({ answer }) => answer?.status === 200).length;
  }

  #send(port: number, round: number): Promise<void> {
    const nextNumber = () => ++this.#lastNumber;
    return sendUntilDead({ chance: this.#chance, round, port, tokens: this.#tokens, nextNumber }, this.#remembered);
  }

  async #killAtStart(): Promise<void> {
    await using gateway = new GatewayProcess({ dataDir: this.#dataDir });
    await sleep(this.#chance.between(0, startMaxMs));
    await gateway.kill();
    this.#look(storeFaults);
  }

  #look(find: (store: StoreFile) => string[]): void {
    using store = StoreFile.copyOf(this.#dataDir);
    this.#note(find(store));
  }

  #note(faults: readonly string[]): void {
    for (const fault of faults) this.#faults.add(fault);
  }
}

/** Adds three accounts, with a large balance, a balance that will run out, and credit, and the carriers of the load. Returns the tokens. */
export async function setUpLoad(gateway: GatewayProcess, carrierPort: number): Promise<Map<string, string>> {
  const tokens = new Map<string, string>();
  const accounts = [
    { name: 'rich', balance: '100000' },
    { name: 'poor', balance: '1.005' },
    { name: 'credit', balance: '0', creditLimit: '2.5' },
  ];
  for (const account of accounts) tokens.set(account.name, await gateway.addAccount(account));
  for (const { endings: _endings, ...carrier } of loadCarriers)
    await gateway.addCarrier({ ...carrier, port: carrierPort, textReceipts: 'on' });
  return tokens;
}

/** Waits until all messages in the store of a stopped gateway are final, or held in doubt. */
export async function settleLoad(dataDir: string): Promise<void> {
  await untilStill(dataDir);
  // Parts in doubt under `resend` are sent again after minutes, which this skips; other parts in doubt wait for days.
  const resendsUntil = Date.now() + 3_600_000;
  await alterStore(dataDir, "update part set deadline = 0 where state = 'in_doubt' and deadline < ?", resendsUntil);
  await untilStill(dataDir);
}

/** Runs the gateway without load, until nothing changes any more. */
async function untilStill(dataDir: string): Promise<void> {
  await using gateway = await GatewayProcess.start({ dataDir });
  let parts = '';
  let movedAt = performance.now();
  await waitUntil(
    () => `the end of everything: ${parts}`,
    async () => {
      using store = StoreFile.of(dataDir);
      const isDue = store.count('select count(*) from part where deadline = 0') > 0;
      const totals = await gateway.administer('GET', '/v1/totals');
      parts = JSON.stringify(totals.body['parts']);
      const moves = isDue || /"(queued|claimed|sent|buffered)":[1-9]/.test(parts);
      if (moves) movedAt = performance.now();
      return performance.now() - movedAt > quietMs;
    },
    endsLimitMs,
  );
  await gateway.stop();
}
