/*
 * Clients who send messages at two gateways on one database, and a carrier that sends receipts. What the clients were
 * answered, what the carrier took and what the database has are compared.
 */

import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { BookCarrier, ownNumber } from '../nodes/books.ts';
import { Chance } from '../support/chance.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { HttpClient, microsIn, textIn, type HttpAnswer } from '../support/clients/http-client.ts';
import { copyStore } from '../support/store/store-copy.ts';
import { StoreFile } from '../support/store/store-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const names = ['n1', 'n2'] as const;
const clientsAtEach = 4;
const pauseMaxMs = 20;
const links = 4;
const opening = 100_000_000_000n;
const price = 7_500n;
const limits = { connectionTimeoutMillis: 5_000, query_timeout: 60_000 };
const endLimitMs = 60_000;
/** So many more messages of each gateway show that it goes on. */
const acceptedMin = 50;
const goesOnMs = 120_000;
const faultsMax = 20;

type Found = readonly (readonly string[])[];

/** A request of a client, and its answer. Without one, the connection failed. */
interface Request {
  readonly name: string;
  readonly receiver: string;
  readonly answer: HttpAnswer | undefined;
}

export class GatewaysLoad implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'morsel-ha-nodes-'));
  readonly #url: string;
  readonly #books: BookCarrier;
  readonly #gateways = new Map<string, GatewayProcess>();
  readonly #chance: Chance;
  #clients: Promise<unknown> = Promise.resolve();
  #token = '';
  #receivers = 0;
  #isOver = false;
  /** Answered since the last check. */
  readonly #answered: Request[] = [];
  /** Messages that each gateway has accepted. */
  readonly #accepted = new Map<string, number>(names.map((name) => [name, 0]));
  #acceptedAt = 0;
  /** Since the last check: the longest time without an accepted message, and the longest wait for an answer. */
  #silenceMs = 0;
  #waitMs = 0;

  private constructor(url: string, books: BookCarrier, chance: Chance) {
    this.#url = url;
    this.#books = books;
    this.#chance = chance;
  }

  /** Starts two gateways on this database, and their clients. */
  static async start(url: string): Promise<GatewaysLoad> {
    const chance = new Chance(Date.now());
    const load = new GatewaysLoad(url, await BookCarrier.open(chance), chance);
    try {
      for (const name of names) await load.#startGateway(name);
      await load.#setUp();
    } catch (fault) {
      await load[Symbol.asyncDispose]();
      throw fault;
    }
    void load.#books.startTexts();
    const clients = names.flatMap((name) => Array.from({ length: clientsAtEach }, () => load.#send(name)));
    load.#clients = Promise.all(clients);
    return load;
  }

  /** Waits until each gateway has accepted more messages. */
  async goesOn(): Promise<void> {
    await Promise.all(names.map((name) => this.#goesOnAt(name)));
  }

  async #goesOnAt(name: string): Promise<void> {
    const enough = this.#acceptedAtNode(name) + acceptedMin;
    await waitUntil(
      () =>
        `${enough} messages are accepted at ${name}, of ${this.#acceptedAtNode(name)}: ${this.#gateway(name).errors}`,
      () => this.#acceptedAtNode(name) >= enough,
      goesOnMs,
    );
  }

  /** Compares the answers since the last check with the database. Returns a sentence about them. */
  async check(): Promise<string> {
    for (const name of names)
      assert.ok(!this.#gateway(name).isEnded, `${name} has ended: ${this.#gateway(name).errors}`);
    const answered = this.#answered.splice(0);
    await this.#compare(answered);
    const refused = answered.filter(({ answer }) => answer?.status === 503).length;
    const [silence, wait] = [this.#silenceMs, this.#waitMs].map((ms) => `${(ms / 1_000).toFixed(1)} s`);
    this.#silenceMs = 0;
    this.#waitMs = 0;
    return `no message accepted for ${silence}, longest wait for an answer ${wait}, ${refused} answers 503`;
  }

  /** Stops the clients. Every message comes to its end, and all books agree. */
  async end(): Promise<string> {
    await this.#stop();
    let open = '';
    const unended = `select state, count(*) from part
      where state in ('queued', 'claimed', 'sent', 'buffered', 'in_doubt') group by state`;
    await waitUntil(
      () => `the end of every message (${open}), and ${this.#books.open} acknowledgements`,
      async () => {
        open = (await this.#ask(unended)).map((row) => row.join(': ')).join(', ');
        return open === '' && this.#books.open === 0;
      },
      endLimitMs,
    );
    await this.#compare(this.#answered.splice(0));
    const [[messages, balance] = []] = await this.#ask(
      `select (select count(*) from message), (select balance from account where name = 'acme')`,
    );
    const accepted = names.reduce((sum, name) => sum + this.#acceptedAtNode(name), 0);
    assert.equal(Number(messages), accepted, 'the database has the accepted messages, and no others');
    assert.equal(BigInt(balance ?? 0), opening - price * BigInt(accepted), 'each is charged once');
    const parts = await this.#ask(
      'select receiver, state, in_doubt from part join message on message.id = part.message',
    );
    const faults = parts.flatMap(([receiver, state, doubts]) => {
      const taken = this.#books.taken.get(receiver ?? '')?.length ?? 0;
      if (taken > 1 + Number(doubts)) return [`the carrier took ${receiver} ${taken} times, in doubt ${doubts} times`];
      return state === 'delivered' ? [] : [`the message to ${receiver} is ${state}`];
    });
    const texts = await this.#inboundTexts();
    const lost = [...this.#books.heard].filter((text) => !texts.has(text));
    none([...faults, ...lost.map((text) => `"${text}" was acknowledged, and is not there`)]);
    const doubts = parts.filter(([, , each]) => Number(each) > 0).length;
    return `${accepted} accepted messages, ${doubts} in doubt, ${this.#books.heard.size} inbound messages`;
  }

  /** Texts are sealed in the database. */
  async #inboundTexts(): Promise<Set<string>> {
    const folder = mkdtempSync(join(this.#folder, 'copy-'));
    const client = new Client({ connectionString: this.#url, ...limits });
    await client.connect();
    await copyStore(client, folder);
    await client.end();
    copyFileSync(join(this.#folder, 'master-key'), join(folder, 'master-key'));
    using store = StoreFile.of(folder);
    return new Set(store.texts("select text_in('inbound', account, id, content) from inbound"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
    await this.#books[Symbol.asyncDispose]();
    await Promise.all([...this.#gateways.values()].map((gateway) => gateway.kill()));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #stop(): Promise<void> {
    this.#isOver = true;
    this.#books.stopTexts();
    await this.#clients;
  }

  async #startGateway(name: string): Promise<void> {
    const environment = {
      MORSEL_DATABASE_URL: this.#url,
      MORSEL_NODE_NAME: name,
      MORSEL_MASTER_KEY_FILE: join(this.#folder, 'master-key'),
    };
    this.#gateways.set(name, await GatewayProcess.start({ dataDir: join(this.#folder, name), environment }));
  }

  #gateway(name: string): GatewayProcess {
    return this.#gateways.get(name) ?? assert.fail(`there is no ${name}`);
  }

  async #setUp(): Promise<void> {
    const gateway = this.#gateway('n1');
    const post = (path: string, fields = {}) => gateway.administer('POST', `/v1/${path}`, fields);
    await post('accounts', { name: 'acme', currency: 'EUR', balance: String(opening / 1_000_000n) });
    this.#token = textIn((await post('accounts/acme/tokens')).body, 'token');
    const login = { host: '127.0.0.1', port: String(this.#books.port), systemId: 'us', password: 'secret' };
    await post('carriers', { ...login, name: 'carrier', links: String(links), inDoubt: 'resend', textReceipts: 'on' });
    await post('routes', { prefix: '4', carrier: 'carrier' });
    await post('price-lists/default/prices', { currency: 'EUR', prices: [{ prefix: '4', price: '0.0075' }] });
    await post('numbers', { number: `+${ownNumber}`, account: 'acme' });
    await waitUntil('the links are bound', () => this.#books.sessions.length === links, endLimitMs);
  }

  async #send(name: string): Promise<void> {
    const client = new HttpClient(this.#gateway(name).httpPort, 1);
    while (!this.#isOver) {
      const receiver = `+4915${String(++this.#receivers).padStart(8, '0')}`;
      const message = { auth: this.#token, sender: `+${ownNumber}`, receiver, text: 'Hello', dcs: 'GSM' };
      const sentAt = performance.now();
      const answer = await client.post('/sms/send', message).catch(() => undefined);
      this.#answered.push({ name, receiver, answer });
      this.#waitMs = Math.max(this.#waitMs, performance.now() - sentAt);
      if (answer?.status === 200) this.#count(name);
      await sleep(this.#chance.between(0, pauseMaxMs));
    }
    client.close();
  }

  #acceptedAtNode(name: string): number {
    return this.#accepted.get(name) ?? 0;
  }

  #count(name: string): void {
    const now = performance.now();
    if (this.#acceptedAt > 0) this.#silenceMs = Math.max(this.#silenceMs, now - this.#acceptedAt);
    this.#acceptedAt = now;
    this.#accepted.set(name, this.#acceptedAtNode(name) + 1);
  }

  /** What was accepted is there once, with its answer; what was refused is not there. The ledger is right. */
  async #compare(answered: readonly Request[]): Promise<void> {
    const receivers = answered.map(({ receiver }) => receiver);
    const asked = 'select receiver, id::text, balance_after from message where receiver = any($1::text[])';
    const stored = Map.groupBy(await this.#ask(asked, [receivers]), ([receiver]) => receiver);
    none(answered.flatMap((request) => faultOf(request, stored.get(request.receiver) ?? [])));
    const { body } = await this.#gateway(this.#chance.pick(names)).administer('GET', '/v1/ledger/check');
    assert.deepEqual(body['faults'], [], 'the ledger is right');
  }

  async #ask(text: string, values: readonly unknown[] = []): Promise<Found> {
    const client = new Client({ connectionString: this.#url, ...limits });
    client.on('error', () => undefined);
    await client.connect();
    try {
      const { rows } = await client.query({ text, values, rowMode: 'array' });
      return rows.map((row) => row.map(String));
    } finally {
      await client.end();
    }
  }
}

/** What is wrong with the messages that the database has for a request. */
function faultOf({ name, receiver, answer }: Request, stored: Found): readonly string[] {
  const say = (fault: string) => [`the message to ${receiver} at ${name} ${fault}`];
  if (answer?.status === 503) return stored.length > 0 ? say('was answered 503, and is there') : [];
  if (answer?.status !== 200) return say(`was answered ${answer ? answer.text : 'not at all'}`);
  const [[, id, balance] = []] = stored;
  if (stored.length !== 1) return say(`was answered 200, and is there ${stored.length} times`);
  const isSame = textIn(answer.body, 'msgId') === id && String(microsIn(answer.text, 'clientBalance')) === balance;
  return isSame ? [] : say('was answered with another id or balance');
}

function none(faults: readonly string[]): void {
  assert.deepEqual(faults.slice(0, faultsMax), [], `${faults.length} faults`);
}
