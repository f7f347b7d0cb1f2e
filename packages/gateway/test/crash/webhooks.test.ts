/* Webhooks under kill -9: each acknowledged inbound message is delivered, under one id. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Chance } from '../support/chance.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { PhoneTraffic } from './phone-traffic.ts';
import { ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { storeFaults } from '../support/store/store-faults.ts';
import { StoreFile } from '../support/store/store-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const kills = Number(process.env['CRASH_KILLS'] ?? 1);
const loadMinMs = 150;
const loadMaxMs = 500;
/** Messages acknowledged before each kill, however slow the machine is. */
const loadPerKill = 20;
const ours = '41791112233';

/** One request that the site got. */
interface Told {
  readonly webhookId: string;
  readonly msgId: string;
  readonly text: string;
}

/** The website of a client, which answers after a moment: a kill finds requests that were sent and not acknowledged. */
class Site implements AsyncDisposable {
  readonly told: Told[] = [];
  readonly #server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => void (body += chunk.toString()));
    request.on('end', () => {
      const { msgId, text }: Omit<Told, 'webhookId'> = JSON.parse(body);
      this.told.push({ webhookId: String(request.headers['webhook-id']), msgId, text });
      setTimeout(() => response.writeHead(204).end(), 3);
    });
  });

  static async open(): Promise<Site> {
    const site = new Site();
    await once(site.#server.listen(0, '127.0.0.1'), 'listening');
    return site;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/sms`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

/** Messages acknowledged and not delivered, delivered under a wrong id, or not recorded as delivered. */
function faultsOf(store: StoreFile, acknowledged: ReadonlySet<string>, told: readonly Told[]): string[] {
  const faults: string[] = [];
  const inbound = new Map(
    store
      .rows("select id, text_in('inbound', account, id, content) as text from inbound")
      .map((row) => [String(row.integer('id')), row.text('text')]),
  );
  const texts = new Set(told.map(({ text }) => text));
  for (const text of acknowledged) if (!texts.has(text)) faults.push(`O1, O2: acknowledged and never told: ${text}`);
  const webhookIds = new Map<string, string>();
  for (const { webhookId, msgId, text } of told) {
    if (inbound.get(msgId) !== text) faults.push(`an id that is not its own: ${msgId} ${text}`);
    const first = webhookIds.get(msgId) ?? webhookId;
    webhookIds.set(msgId, first);
    if (first !== webhookId) faults.push(`${msgId} under two ids: ${first} and ${webhookId}`);
  }
  const left = store.texts("select id || ' ' || state from notification where state <> 'delivered'");
  return [...faults, ...left.map((notification) => `not told: notification ${notification}`), ...storeFaults(store)];
}

it(`${kills} times kill -9 while inbound messages go to a webhook: each is delivered under one id (O1, O2)`, async (t) => {
  const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 2 ** 32);
  t.diagnostic(`seed ${seed}: CRASH_SEED=${seed} makes the same waits again`);
  const chance = new Chance(seed);
  const dataDir = mkdtempSync(join(tmpdir(), 'morsel-crash-webhooks-'));
  await using site = await Site.open();
  await using carrier = await ScriptedCarrier.open();
  const phones = new PhoneTraffic(carrier, ours);
  const bound = () => waitUntil('the link is bound', () => carrier.links === 1, 30_000);
  for (let kill = 0; kill < kills; kill++) {
    await using gateway = await GatewayProcess.start({ dataDir });
    if (kill === 0) await setUp(gateway, carrier.port, site.url);
    await bound();
    const load = phones.bring(true);
    await sleep(chance.between(loadMinMs, loadMaxMs));
    const enough = loadPerKill * (kill + 1);
    await waitUntil('a load that proves something', () => phones.acknowledged.size > enough, 30_000);
    await gateway.kill();
    await load;
    await waitUntil('the link has ended', () => carrier.links === 0);
  }
  await using gateway = await GatewayProcess.start({ dataDir });
  await bound();
  await phones.bring(false);
  const texts = () => new Set(site.told.map(({ text }) => text));
  await waitUntil(
    () => `all ${phones.acknowledged.size} told, of which ${texts().size} are`,
    () => [...phones.acknowledged].every((text) => texts().has(text)),
    60_000,
  );
  await waitUntil('nothing waits', async () => {
    const before = site.told.length;
    await sleep(1_000);
    return site.told.length === before;
  });
  await gateway.stop();
  using store = StoreFile.of(dataDir);
  assert.deepEqual(faultsOf(store, phones.acknowledged, site.told).slice(0, 5), []);
  const again = site.told.length - store.count('select count(*) from notification');
  t.diagnostic(JSON.stringify({ acknowledged: phones.acknowledged.size, told: site.told.length, again }));
  rmSync(dataDir, { recursive: true, force: true });
});

async function setUp(gateway: GatewayProcess, port: number, url: string): Promise<void> {
  const carrier = { name: 'alpha', host: '127.0.0.1', port: String(port), systemId: 'us', password: 'secret' };
  await gateway.administer('POST', '/v1/carriers', carrier);
  await gateway.administer('POST', '/v1/price-lists/default/prices', {
    currency: 'EUR',
    prices: [{ prefix: '41', price: '0.0075' }],
  });
  await gateway.administer('POST', '/v1/accounts', { name: 'acme', currency: 'EUR' });
  await gateway.administer('POST', '/v1/numbers', { number: `+${ours}`, account: 'acme' });
  await gateway.administer('POST', '/v1/webhooks', { account: 'acme', url, allow: '127.0.0.0/8' });
}
