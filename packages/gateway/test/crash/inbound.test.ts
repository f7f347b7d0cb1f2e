/*
 * Inbound messages and receipts for clients with a webhook or with sessions, under kill -9: acknowledged parts are
 * joined, no message is made twice, and each message and receipt reaches its client under one id (O1, O2, D6).
 */

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
import { receiptFor, ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { SmppClient, type Delivered } from '../support/clients/smpp-client.ts';
import { storeFaults } from '../support/store/store-faults.ts';
import { StoreFile } from '../support/store/store-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const kills = Number(process.env['CRASH_KILLS'] ?? 1);
const loadMinMs = 150;
const loadMaxMs = 500;
/** The number of messages and parts that must be acknowledged before each kill. */
const loadPerKill = 20;
/** The number of unanswered requests of each kind, smaller than every window. */
const inFlight = 4;
/** The number of messages that are sent at the same time, with their parts mixed. */
const mixed = 12;
const partsMax = 5;
/** The number of an account with sessions, and the number of an account with a webhook. */
const numbers = ['41791112233', '41791112244'] as const;

/** An inbound message of one or more parts. No other message gets its reference while parts of it may be under way. */
interface Message {
  readonly from: string;
  readonly to: string;
  readonly reference: number;
  readonly texts: readonly string[];
  readonly acknowledged: Set<number>;
}

/** A request that the webhook got. */
interface Told {
  readonly webhookId: string;
  readonly msgId: string;
  readonly text: string;
}

/** The phones behind a carrier: sends parts until each is acknowledged, again after every new bind. */
class Phones {
  readonly messages: Message[] = [];
  /** Parts without an acknowledgement, in the order of sending. */
  readonly #waiting: (readonly [message: Message, number: number])[] = [];
  readonly #chance: Chance;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  get acknowledged(): number {
    return this.messages.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
  }

  /** Sends parts until the link ends, or until all are acknowledged. If `isNew` is true, makes new messages, too. */
  async bring(carrier: ScriptedCarrier, isNew: boolean): Promise<void> {
    const one = async (): Promise<void> => {
      for (;;) {
        if (isNew && this.#waiting.length < mixed * partsMax) this.#write();
        const part = this.#waiting.shift();
        if (!part) return;
        if (!(await this.#give(carrier, part))) return;
      }
    };
    await Promise.all(Array.from({ length: inFlight }, one));
  }

  async #give(carrier: ScriptedCarrier, part: readonly [Message, number]): Promise<boolean> {
    const [message, number] = part;
    const isLong = message.texts.length > 1;
    const header = Buffer.from(isLong ? [5, 0, 3, message.reference, message.texts.length, number] : []);
    if (carrier.links === 0) {
      this.#waiting.push(part);
      return false;
    }
    const answer = await carrier.session().request({
      command: 'deliver_sm',
      source_addr_ton: 1,
      source_addr: message.from,
      dest_addr_ton: 1,
      destination_addr: message.to,
      esm_class: isLong ? 0x40 : 0,
      short_message: Buffer.concat([header, Buffer.from(message.texts[number - 1] ?? '')]),
    });
    const isTaken = answer.kind === 'answered' && answer.pdu.command_status === 0;
    if (isTaken) message.acknowledged.add(number);
    else this.#waiting.push(part);
    // Carriers sometimes repeat a part, acknowledged or not. A repeated message of one part would be a second message.
    if (isTaken && isLong && this.#chance.happens(0.05)) this.#waiting.push(part);
    return isTaken;
  }

  #write(): void {
    const at = this.messages.length;
    const texts = Array.from({ length: this.#chance.between(1, partsMax) }, (_, n) => `text ${at}.${n + 1}; `);
    const from = String(41_790_000_000 + Math.floor(at / 256));
    const message = {
      from,
      to: this.#chance.pick(numbers),
      reference: at % 256,
      texts,
      acknowledged: new Set<number>(),
    };
    this.messages.push(message);
    for (const number of texts.keys()) {
      this.#waiting.splice(this.#chance.between(0, this.#waiting.length), 0, [message, number + 1]);
    }
  }
}

/** The carrier and the clients, with their records. */
class World implements AsyncDisposable {
  readonly carrier: ScriptedCarrier;
  readonly phones: Phones;
  /** The ids that the client with sessions got for its submit_sm. */
  readonly submitted = new Set<string>();
  readonly heard: Delivered[] = [];
  readonly told: Told[] = [];
  readonly #ending = new AbortController();
  #taken = 0;
  /** The webhook. It answers after a moment, so that a kill finds requests without an answer. */
  readonly #site = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => void (body += chunk.toString()));
    request.on('end', () => {
      const { msgId, text }: Omit<Told, 'webhookId'> = JSON.parse(body);
      this.told.push({ webhookId: String(request.headers['webhook-id']), msgId, text });
      setTimeout(() => response.writeHead(204).end(), 3);
    });
  });

  private constructor(carrier: ScriptedCarrier, chance: Chance) {
    this.carrier = carrier;
    this.phones = new Phones(chance);
  }

  static async open(chance: Chance): Promise<World> {
    const world = new World(await ScriptedCarrier.open(), chance);
    await once(world.#site.listen(0, '127.0.0.1'), 'listening');
    return world;
  }

  get url(): string {
    const address = this.#site.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/sms`;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Answers each submit_sm as the carrier, and sends its receipt until the gateway acknowledges it. */
  async serve(): Promise<void> {
    const receipts: Promise<void>[] = [];
    while (!this.signal.aborted) {
      const held = this.carrier.held[this.#taken];
      if (!held) {
        await sleep(5);
        continue;
      }
      this.#taken += 1;
      const id = `carrier-${this.#taken}`;
      if (held.respond(0, { message_id: id })) receipts.push(this.#receipt(receiptFor(held.pdu, id)));
    }
    await Promise.all(receipts);
  }

  async #receipt(pdu: ReturnType<typeof receiptFor>): Promise<void> {
    while (!this.signal.aborted) {
      const session = this.carrier.links > 0 ? this.carrier.session() : undefined;
      if (session && session.room > 0) {
        const answer = await session.request(pdu);
        if (answer.kind === 'answered' && answer.pdu.command_status === 0) return;
      }
      await sleep(20);
    }
  }

  /** Binds two sessions, which also acknowledge after a moment. Returns the one that can submit. */
  async bind(port: number): Promise<SmppClient> {
    const options = { port, delayMs: 3, delivered: this.heard } as const;
    const [ear] = await Promise.all([SmppClient.bind(options), SmppClient.bind({ ...options, bind: 'bind_receiver' })]);
    return ear;
  }

  async submit({ session }: SmppClient): Promise<void> {
    const one = async (): Promise<void> => {
      while (!this.signal.aborted) {
        const answer = await session.request({
          command: 'submit_sm',
          source_addr_ton: 1,
          source_addr: numbers[0],
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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.carrier[Symbol.asyncDispose]();
    this.#site.close();
    this.#site.closeAllConnections();
  }
}

const inboundSql = "select id, text_in('inbound', account, id, content) as text from inbound";

/** Finds acknowledged parts that neither wait nor are in a message, and messages made twice or never sent. */
function lossesOf(store: StoreFile, messages: readonly Message[]): string[] {
  const made = store.rows(inboundSql).map((row) => row.text('text'));
  const wanted = new Map(messages.map((message) => [message.texts.join(''), message]));
  const parts = "select sender || ' ' || concatenation_reference || ' ' || concatenation_number from inbound_part";
  const waiting = new Set(store.texts(parts));
  const faults = made.filter((text) => !wanted.has(text)).map((text) => `a message of nobody: ${text}`);
  const there = new Set(made);
  if (there.size < made.length) faults.push(`messages were made twice: ${made.length - there.size}`);
  for (const [text, { from, reference, acknowledged }] of wanted) {
    if (there.has(text)) continue;
    for (const number of acknowledged) {
      const part = `+${from} ${reference} ${number}`;
      if (!waiting.has(part)) faults.push(`O1: acknowledged and lost: part ${part}`);
    }
  }
  return [...faults, ...storeFaults(store)];
}

/** Finds messages and receipts that did not reach their client, or reached it under two ids. */
function deliveryFaults(store: StoreFile, { heard, told, submitted }: World): string[] {
  const inbound = new Map(store.rows(inboundSql).map((row) => [String(row.integer('id')), row.text('text')]));
  const messages = [...heard.filter(({ receipt }) => receipt === undefined), ...told];
  const faults = messages
    .filter(({ msgId, text }) => inbound.get(msgId) !== text)
    .map(({ msgId, text }) => `an id that is not its own: ${msgId} ${text}`);
  const ids = new Set(messages.map(({ msgId }) => msgId));
  for (const id of inbound.keys()) if (!ids.has(id)) faults.push(`O2: ${id} was never told`);
  const webhookIds = new Map<string, string>();
  for (const { webhookId, msgId } of told) {
    const first = webhookIds.get(msgId) ?? webhookId;
    webhookIds.set(msgId, first);
    if (first !== webhookId) faults.push(`${msgId} under two ids: ${first} and ${webhookId}`);
  }
  const receipts = new Set(heard.filter(({ receipt, status }) => receipt && status === 0).map(({ msgId }) => msgId));
  for (const id of submitted) if (!receipts.has(id)) faults.push(`D6: no receipt for ${id}`);
  return faults;
}

it(`${kills} times kill -9 amid inbound messages and receipts: all reach their client under one id (O1, O2, D6)`, async (t) => {
  const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 2 ** 32);
  t.diagnostic(`seed ${seed}: CRASH_SEED=${seed} makes the same parts again`);
  const chance = new Chance(seed);
  const dataDir = mkdtempSync(join(tmpdir(), 'morsel-crash-inbound-'));
  await using world = await World.open(chance);
  const { carrier, phones } = world;
  const serving = world.serve();
  const bound = () => waitUntil('the link is bound', () => carrier.links === 1, 30_000);
  for (let kill = 0; kill < kills; kill++) {
    await using gateway = await GatewayProcess.start({ dataDir });
    if (kill === 0) await setUp(gateway, world);
    await bound();
    const ear = await world.bind(gateway.smppPort);
    const load = [phones.bring(carrier, true), world.submit(ear)];
    await sleep(chance.between(loadMinMs, loadMaxMs));
    const enough = loadPerKill * (kill + 1);
    const isEnough = () => phones.acknowledged > enough && world.submitted.size > enough;
    await waitUntil('a load that proves something', isEnough, 30_000);
    await gateway.kill();
    await Promise.all(load);
    await waitUntil('the link has ended', () => carrier.links === 0);
    using store = StoreFile.copyOf(dataDir);
    assert.deepEqual(lossesOf(store, phones.messages).slice(0, 5), []);
  }
  await using gateway = await GatewayProcess.start({ dataDir });
  await bound();
  await world.bind(gateway.smppPort);
  await phones.bring(carrier, false);
  let left: readonly string[] = [];
  await waitUntil(
    () => `all is delivered, but ${left.slice(0, 5).join()}`,
    () => {
      using store = StoreFile.of(dataDir);
      const undelivered = store.texts("select id || ' ' || state from notification where state <> 'delivered'");
      left = [...undelivered, ...deliveryFaults(store, world)];
      return left.length === 0;
    },
    60_000,
    500,
  );
  await gateway.stop();
  using store = StoreFile.of(dataDir);
  assert.deepEqual([...lossesOf(store, phones.messages), ...deliveryFaults(store, world)].slice(0, 5), []);
  assert.equal(store.count('select count(*) from inbound'), phones.messages.length);
  const isNew = `select count(*) from inbound_part where not exists (select 1 from inbound_joined as joined
    where (joined.sender, joined.concatenation_reference, joined.concatenation_number)
      = (inbound_part.sender, inbound_part.concatenation_reference, inbound_part.concatenation_number))`;
  assert.equal(store.count(isNew), 0, 'what waits only came again');
  const again = world.heard.length + world.told.length - store.count('select count(*) from notification');
  t.diagnostic(JSON.stringify({ messages: phones.messages.length, receipts: world.submitted.size, again }));
  await world[Symbol.asyncDispose]();
  await serving;
  rmSync(dataDir, { recursive: true, force: true });
});

async function setUp(gateway: GatewayProcess, { carrier: { port }, url }: World): Promise<void> {
  const carrier = { name: 'alpha', host: '127.0.0.1', port: String(port), systemId: 'us', password: 'secret' };
  await gateway.administer('POST', '/v1/carriers', { ...carrier, inDoubt: 'fail' });
  await gateway.administer('POST', '/v1/routes', { prefix: '41', carrier: 'alpha' });
  const prices = [{ prefix: '41', price: '0.0075' }];
  await gateway.administer('POST', '/v1/price-lists/default/prices', { currency: 'EUR', prices });
  const account = { name: 'acme', currency: 'EUR', balance: '100000', smppWindow: '20' };
  await gateway.administer('POST', '/v1/accounts', account);
  await gateway.administer('POST', '/v1/accounts', { name: 'site', currency: 'EUR' });
  await gateway.administer('POST', '/v1/numbers', { number: `+${numbers[0]}`, account: 'acme' });
  await gateway.administer('POST', '/v1/numbers', { number: `+${numbers[1]}`, account: 'site' });
  await gateway.administer('POST', '/v1/accounts/acme/logins', { systemId: 'acme', password: 'Right-1' });
  await gateway.administer('POST', '/v1/webhooks', { account: 'site', url, allow: '127.0.0.0/8' });
}
