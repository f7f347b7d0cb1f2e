/*
 * The fixed script: a gateway starts on a store that was killed, accepts messages, gets answers, receipts and an inbound
 * message, finishes a checkpoint, and stops. A fault may come at any step. Then the gateway starts again without faults,
 * clients repeat unanswered requests, and the records of clients, carrier and store are compared.
 */

import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator } from '@morsel/simulator';
import type { Ended } from '../../support/gateway/child.ts';
import { GatewayProcess } from '../../support/gateway/gateway-process.ts';
import type { JournalEntry, Submit } from '../../support/gateway/tour.ts';
import { HttpClient } from '../../support/clients/http-client.ts';
import { storeFaults } from '../../support/store/rules/store-faults.ts';
import { alterStore, StoreFile } from '../../support/store/store-file.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { answerFaults, carrierFaults, doubtFaults, endFaults } from '../checks.ts';
import { post, type Remembered } from '../load.ts';

type Simulator = Awaited<ReturnType<typeof startSimulator>>;

/** A carrier's port and a store that was killed after one message. Trials that run at the same time need one each. */
export class Place implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'morsel-points-'));
  readonly template = join(this.folder, 'template');
  port = 0;
  token = '';
  first: Remembered | undefined;
  readonly submits: Submit[] = [];

  static async make(): Promise<Place> {
    const place = new Place();
    await using simulator = await openCarrier(place, place.submits);
    place.port = simulator.port;
    await place.#setUp();
    await using gateway = await GatewayProcess.start({ dataDir: place.template });
    place.first = makeMessage(place, 0);
    await send(gateway.httpPort, [place.first]);
    await waitUntil('its receipt', () => simulator.counters.receiptsAcknowledged === 1);
    await gateway.kill();
    return place;
  }

  /** The gateway of the set-up stops in order, so that the WAL of the template is short. */
  async #setUp(): Promise<void> {
    await using gateway = await GatewayProcess.start({ dataDir: this.template });
    this.token = await gateway.addAccount({ name: 'rich', balance: '100' });
    const settings = { window: 20, links: 1, inDoubt: 'resend', textReceipts: 'on' };
    await gateway.addCarrier({ name: 'resend', prefix: '4917', port: this.port, ...settings });
    await gateway.stop();
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface ScriptResult {
  /** The end of the process with the fault; undefined if it did the whole script and stopped in order. */
  readonly ended: Ended | undefined;
  /** What the gateway did when the call failed. */
  readonly phase: Phase;
  /** Whether a message was refused with `unavailable`. */
  readonly isRefused: boolean;
  readonly lost: readonly string[];
}

export type Phase = 'start' | 'work' | 'stop';

const inboundText = 'from a phone';
const waitMs = 30_000;

export async function runScript(place: Place, environment: Readonly<Record<string, string>>): Promise<ScriptResult> {
  const dataDir = join(place.folder, 'data');
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { mode: 0o700 });
  cpSync(place.template, dataDir, { recursive: true });
  const submits = [...place.submits];
  await using carrier = await openCarrier(place, submits);
  const fresh = [1, 2, 3].map((number) => makeMessage(place, number));
  const remembered = [...(place.first ? [place.first] : []), ...fresh];
  const inbound = { isAcknowledged: false };

  const { ended, phase } = await runFaulty({ dataDir, environment, carrier, fresh, inbound });
  const lost = look(StoreFile.copyOf(dataDir), (store) => [
    ...answerFaults(store, remembered),
    ...inboundFaults(store, inbound.isAcknowledged),
  ]);

  const isRefused = fresh.some(({ answer }) => answer?.body['code'] === 'unavailable');
  const repeated = fresh.filter(({ answer }) => answer?.status !== 200);
  await recover({ dataDir, carrier, repeated });
  lost.push(
    ...look(StoreFile.of(dataDir), (store) => [
      ...storeFaults(store),
      ...answerFaults(store, remembered),
      ...remembered
        .filter(({ answer }) => answer?.status !== 200)
        .map(({ receiver, answer }) => `the message to ${receiver} was answered ${answer?.text}`),
      ...endFaults(store, remembered),
      ...carrierFaults(store, submits),
      ...doubtFaults(store),
      ...inboundFaults(store, inbound.isAcknowledged),
    ]),
  );
  return { ended, phase, isRefused, lost };
}

interface Scene {
  readonly dataDir: string;
  readonly carrier: Simulator;
}

/** Does the script until the process ends. */
async function runFaulty({
  dataDir,
  environment,
  carrier,
  fresh,
  inbound,
}: Scene & {
  readonly environment: Readonly<Record<string, string>>;
  readonly fresh: readonly Remembered[];
  readonly inbound: { isAcknowledged: boolean };
}): Promise<Pick<ScriptResult, 'ended' | 'phase'>> {
  await using gateway = new GatewayProcess({ dataDir, environment });
  const isReady = await gateway.untilReady().then(
    () => true,
    () => false,
  );
  const hasFailed = () => existsSync(environment['FAULT_MARK'] ?? '');
  const isOfStart = !isReady || hasFailed();
  if (!isReady) return { ended: await gateway.ended, phase: 'start' };
  const until = (what: string, isTrue: () => boolean) =>
    waitUntil(`${what}: ${gateway.errors}`, () => gateway.isEnded || isTrue(), waitMs);
  await until('a link is bound', () => carrier.sessions > 0);
  await send(gateway.httpPort, fresh);
  const accepted = fresh
    .filter(({ answer }) => answer?.status === 200)
    .reduce((sum, { numParts }) => sum + numParts, 0);
  await until('receipts are acknowledged', () => carrier.counters.receiptsAcknowledged >= accepted);
  if (!gateway.isEnded) {
    const sent = carrier.sendInbound({ from: '491701234567', to: '41790000001', text: inboundText });
    void sent.then(() => (inbound.isAcknowledged = true));
    await until('the inbound message is acknowledged', () => inbound.isAcknowledged);
  }
  // A gateway that is ending may have removed its WAL already.
  const wal = join(dataDir, 'morsel.db-wal');
  await until('the checkpoint empties the WAL', () => statSync(wal, { throwIfNoEntry: false })?.size === 0);
  const phase = isOfStart ? 'start' : hasFailed() ? 'work' : 'stop';
  gateway.signal('SIGTERM');
  const ended = await gateway.ended;
  return { ended: ended.status === 0 ? undefined : ended, phase };
}

/** Starts the gateway without faults. Clients repeat requests, and all parts become final. */
async function recover({ dataDir, carrier, repeated }: Scene & { readonly repeated: readonly Remembered[] }) {
  let hasDoubts = true;
  for (let start = 0; hasDoubts; start++) {
    // A part in doubt is sent again after minutes, which this skips.
    if (start > 0) await alterStore(dataDir, "update part set deadline = 0 where state = 'in_doubt'");
    await using gateway = await GatewayProcess.start({ dataDir });
    if (start === 0) await send(gateway.httpPort, repeated);
    let parts = '';
    await waitUntil(
      () => `the end of everything: ${parts}`,
      async () => {
        using store = StoreFile.of(dataDir);
        if (store.count('select count(*) from part where deadline = 0') > 0) return false;
        parts = JSON.stringify((await gateway.administer('GET', '/v1/totals')).body['parts']);
        return !/"(queued|claimed|sent|buffered)":[1-9]/.test(parts) && carrier.deliveriesWaiting === 0;
      },
      waitMs,
    );
    hasDoubts = /"in_doubt":[1-9]|"inDoubt":[1-9]/.test(parts);
    await gateway.stop();
  }
}

function openCarrier(place: Place, submits: Submit[]): Promise<Simulator> {
  const journal = (entry: JournalEntry) => {
    if (entry.event === 'submit') submits.push(entry);
  };
  return startSimulator({ port: place.port, receiptDelayMs: 20, retryMs: 100, journal, journalTexts: true });
}

/** A message; the second one has two parts. */
function makeMessage({ token }: Place, number: number): Remembered {
  const receiver = `+49170000${number}0000`;
  const text = `message ${number} ${number === 2 ? 'long '.repeat(40) : 'short'}`;
  const fields = { auth: token, sender: '+41790000001', receiver, text, dcs: 'GSM', idempotencyKey: String(number) };
  const numParts = number === 2 ? 2 : 1;
  const remembered = { round: 0, receiver, text, account: 'rich', numParts, wanted: 'delivered' };
  return { ...remembered, request: post(fields), answer: undefined };
}

async function send(port: number, messages: readonly Remembered[]): Promise<void> {
  const client = new HttpClient(port);
  for (const message of messages) {
    message.answer = await client.ask(message.request).catch(() => message.answer);
  }
  client.close();
}

/** O1, O2: an acknowledged inbound message is stored. The carrier may bring it twice if its acknowledgement was lost. */
function inboundFaults(store: StoreFile, isAcknowledged: boolean): string[] {
  const count = store.count(
    `select count(*) from inbound where text_in('inbound', account, id, content) = ?`,
    inboundText,
  );
  if (isAcknowledged && count === 0) return ['O1: the acknowledged inbound message is not there'];
  return count > 2 ? [`O2: the inbound message is there ${count} times`] : [];
}

function look(opened: StoreFile, find: (store: StoreFile) => string[]): string[] {
  using store = opened;
  return find(store);
}
