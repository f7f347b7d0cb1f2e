/* Bound client sessions under kill -9: no message and no receipt is lost. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Chance } from '../support/chance.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { PhoneTraffic } from './phone-traffic.ts';
import { receiptFor, ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { SmppClient, type Delivered } from '../support/clients/smpp-client.ts';
import { storeFaults } from '../support/store/store-faults.ts';
import { StoreFile } from '../support/store/store-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const kills = Number(process.env['CRASH_KILLS'] ?? 1);
const loadMinMs = 150;
const loadMaxMs = 500;
/** Messages of each kind acknowledged before each kill, however slow the machine is. */
const loadPerKill = 20;
const ours = '41791112233';
/** Requests of each kind in flight at once, less than every window. */
const inFlight = 4;

/**
 * A carrier that sends messages until each is acknowledged, accepts each submit_sm and sends a receipt until that is
 * acknowledged.
 */
class World {
  readonly carrier: ScriptedCarrier;
  readonly phones: PhoneTraffic;
  /** Ids of messages that the client got. */
  readonly submitted = new Set<string>();
  readonly heard: Delivered[] = [];
  #taken = 0;

  constructor(carrier: ScriptedCarrier) {
    this.carrier = carrier;
    this.phones = new PhoneTraffic(carrier, ours);
  }

  /** Answers each submit_sm at the carrier, and sends its receipt, until the signal. */
  async serve(signal: AbortSignal): Promise<void> {
    const receipts: Promise<void>[] = [];
    while (!signal.aborted) {
      const held = this.carrier.held[this.#taken];
      if (!held) {
        await sleep(5);
        continue;
      }
      this.#taken += 1;
      const id = `carrier-${this.#taken}`;
      if (held.respond(0, { message_id: id })) receipts.push(this.#receipt(receiptFor(held.pdu, id), signal));
    }
    await Promise.all(receipts);
  }

  async #receipt(pdu: ReturnType<typeof receiptFor>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const session = this.carrier.links > 0 ? this.carrier.session() : undefined;
      if (session && session.room > 0) {
        const answer = await session.request(pdu);
        if (answer.kind === 'answered' && answer.pdu.command_status === 0) return;
      }
      await sleep(20);
    }
  }

  /** Submits, asking for receipts, until the session ends. */
  async submit({ session }: SmppClient, signal: AbortSignal): Promise<void> {
    const one = async (): Promise<void> => {
      while (!signal.aborted) {
        const answer = await session.request({
          command: 'submit_sm',
          source_addr_ton: 1,
          source_addr: ours,
          dest_addr_ton: 1,
          destination_addr: '41791230002',
          registered_delivery: 1,
          short_message: Buffer.from('Hello'),
        });
        if (answer.kind !== 'answered') return;
        const { pdu } = answer;
        if (pdu.command === 'submit_sm_resp' && pdu.command_status === 0) this.submitted.add(pdu.message_id ?? '');
      }
    };
    await Promise.all(Array.from({ length: inFlight }, one));
  }
}

/** Clients that acknowledge after a moment: a kill finds notifications that were sent and not acknowledged. */
async function bindEars(world: World, gateway: GatewayProcess): Promise<readonly SmppClient[]> {
  const port = gateway.smppPort;
  const options = { port, delayMs: 3, delivered: world.heard } as const;
  return Promise.all([SmppClient.bind(options), SmppClient.bind({ ...options, bind: 'bind_receiver' })]);
}

/** Stored notifications that did not arrive, and those that arrived under another id. */
function faultsOf(store: StoreFile, world: World): string[] {
  const faults: string[] = [];
  const taken = world.heard.filter(({ status }) => status === 0);
  const inbound = new Map(
    store
      .rows("select id, text_in('inbound', account, id, content) as text from inbound")
      .map((row) => [String(row.integer('id')), row.text('text')]),
  );
  const texts = new Set(inbound.values());
  for (const text of world.phones.acknowledged) if (!texts.has(text)) faults.push(`O1: acknowledged and lost: ${text}`);
  const told = new Map(taken.map(({ msgId, text }) => [msgId, text]));
  for (const [id, text] of inbound) if (told.get(id) !== text) faults.push(`O2: ${id} was never told: ${text}`);
  for (const { msgId, text, receipt } of world.heard) {
    if (receipt === undefined && inbound.get(msgId) !== text)
      faults.push(`an id that is not its own: ${msgId} ${text}`);
  }
  const receipts = new Set(taken.filter(({ receipt }) => receipt !== undefined).map(({ msgId }) => msgId));
  for (const id of world.submitted) if (!receipts.has(id)) faults.push(`D6: no receipt for ${id}`);
  const left = store.texts("select id || ' ' || kind || ' ' || state from notification where state <> 'delivered'");
  return [...faults, ...left.map((notification) => `not told: notification ${notification}`), ...storeFaults(store)];
}

it(`${kills} times kill -9 under traffic to bound sessions: each message and receipt is delivered under its id (O1, O2, D6)`, async (t) => {
  const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 2 ** 32);
  t.diagnostic(`seed ${seed}: CRASH_SEED=${seed} makes the same waits again`);
  const chance = new Chance(seed);
  const dataDir = mkdtempSync(join(tmpdir(), 'morsel-crash-sessions-'));
  await using carrier = await ScriptedCarrier.open();
  const world = new World(carrier);
  const ending = new AbortController();
  const serving = world.serve(ending.signal);
  const bound = () => waitUntil('the link is bound', () => carrier.links === 1, 30_000);
  for (let kill = 0; kill < kills; kill++) {
    await using gateway = await GatewayProcess.start({ dataDir });
    if (kill === 0) await setUp(gateway, carrier.port);
    await bound();
    const ears = await bindEars(world, gateway);
    const load = [world.phones.bring(true), ...ears.slice(0, 1).map((ear) => world.submit(ear, ending.signal))];
    await sleep(chance.between(loadMinMs, loadMaxMs));
    const enough = loadPerKill * (kill + 1);
    const isEnough = () => world.phones.acknowledged.size > enough && world.submitted.size > enough;
    await waitUntil('a load that proves something', isEnough, 30_000);
    await gateway.kill();
    await Promise.all(load);
    await waitUntil('the link has ended', () => carrier.links === 0);
  }
  await using gateway = await GatewayProcess.start({ dataDir });
  await bound();
  await bindEars(world, gateway);
  await world.phones.bring(false);
  const receipts = () => new Set(world.heard.flatMap(({ msgId, receipt }) => (receipt ? [msgId] : [])));
  await waitUntil(
    () => `receipts of all ${world.submitted.size}, of which ${receipts().size} came`,
    () => [...world.submitted].every((id) => receipts().has(id)),
    60_000,
  );
  await waitUntil('nothing waits', async () => {
    const before = world.heard.length;
    await sleep(1_000);
    return world.heard.length === before;
  });
  await gateway.stop();
  ending.abort();
  await serving;
  using store = StoreFile.of(dataDir);
  assert.deepEqual(faultsOf(store, world).slice(0, 5), []);
  const again = world.heard.length - store.count('select count(*) from notification');
  t.diagnostic(
    JSON.stringify({
      texts: world.phones.acknowledged.size,
      receipts: receipts().size,
      heard: world.heard.length,
      again,
    }),
  );
  rmSync(dataDir, { recursive: true, force: true });
});

async function setUp(gateway: GatewayProcess, port: number): Promise<void> {
  const carrier = { name: 'alpha', host: '127.0.0.1', port: String(port), systemId: 'us', password: 'secret' };
  await gateway.administer('POST', '/v1/carriers', { ...carrier, inDoubt: 'fail' });
  await gateway.administer('POST', '/v1/routes', { prefix: '41', carrier: 'alpha' });
  await gateway.administer('POST', '/v1/price-lists/default/prices', {
    currency: 'EUR',
    prices: [{ prefix: '41', price: '0.0075' }],
  });
  await gateway.administer('POST', '/v1/accounts', {
    name: 'acme',
    currency: 'EUR',
    balance: '100000',
    smppWindow: '20',
  });
  await gateway.administer('POST', '/v1/numbers', { number: `+${ours}`, account: 'acme' });
  await gateway.administer('POST', '/v1/accounts/acme/logins', { systemId: 'acme', password: 'Right-1' });
}
