/*
 * A trial: two nodes or their database fail under load. Then the records of clients, carrier and database must agree on
 * each message.
 */

import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerFaults } from '../crash/checks.ts';
import { post, type Remembered } from '../crash/load.ts';
import { Chance } from '../support/chance.ts';
import { HttpClient } from '../support/clients/http-client.ts';
import { connectAt } from '../support/store/postgres.ts';
import { SmppClient } from '../support/clients/smpp-client.ts';
import { copyStore } from '../support/store/store-copy.ts';
import { storeFaults } from '../support/store/rules/store-faults.ts';
import { StoreFile } from '../support/store/store-file.ts';
import { waitUntil } from '../support/wait-until.ts';
import { BookCarrier, ownNumber } from './books.ts';
import { Pair, quickTimes, type Place } from './pair.ts';

/** The number of the carrier's links, over both nodes. */
export const links = 4;
/** The number of HTTP clients that send at the same time, half of them to each node. */
const clients = 16;
/** The name of the SMPP clients' account, and of its login. */
const binder = 'binder';
/** How the receivers of its messages begin. */
const ofBinder = '4916';
const password = 'Right-1';
const submits = 20;
const pauseMaxMs = 40;
/** The number of accepted messages to wait for before a node dies, and again after its death. */
const acceptedMin = 60;
const shownMax = 20;
/** The limit of waits. It is long for a database that fails over, and for a busy machine. */
const limitMs = 120_000;
/** Longer than a node's wait before it looks for work again. */
const quietMs = 1_500;
/** How often a part in doubt is sent again. After that, the part waits for a person. */
const resendsMax = 2;

/** A request, and the node that got it. */
interface SentTo extends Remembered {
  readonly place: string;
}

export class Trial implements AsyncDisposable {
  readonly pair: Pair;
  readonly books: BookCarrier;
  readonly #chance: Chance;
  readonly #remembered: SentTo[] = [];
  #token = '';
  #receivers = 0;
  #isLoading = false;
  #load: Promise<unknown> = Promise.resolve();
  #names = 2;

  private constructor(pair: Pair, books: BookCarrier, chance: Chance) {
    this.pair = pair;
    this.books = books;
    this.#chance = chance;
  }

  static async open(seed: number, options: Parameters<typeof Pair.open>[0] = {}): Promise<Trial> {
    const chance = new Chance(seed);
    const trial = new Trial(await Pair.open(options), await BookCarrier.open(chance), chance);
    await trial.#setUp();
    return trial;
  }

  get remembered(): readonly SentTo[] {
    return this.#remembered;
  }

  get accepted(): number {
    return this.#remembered.filter(({ answer }) => answer?.status === 200).length;
  }

  async #setUp(): Promise<void> {
    const { node } = this.#any();
    this.#token = await node.addAccount({ name: 'acme', balance: '100000' });
    await node.addAccount({ name: binder, balance: '100000' });
    await node.administer('POST', `/v1/accounts/${binder}/logins`, { systemId: binder, password });
    const settings = { links, inDoubt: 'resend', textReceipts: 'on' };
    await node.addCarrier({ name: 'carrier', prefix: '4', port: this.books.port, ...settings });
    await node.administer('POST', '/v1/numbers', { number: `+${ownNumber}`, account: 'acme' });
    await this.bound();
  }

  /** Binds a session of the account for SMPP. */
  bind(place: Place): Promise<SmppClient> {
    return waitUntil(`a session is bound at ${place.name}`, async () => {
      await this.pair.restartEnded([place]);
      return SmppClient.bind({ port: place.node.smppPort, systemId: binder, password }).catch(() => undefined);
    });
  }

  /** Submits messages over a session, whose node may die. Returns the ids of accepted messages. */
  async submitOver(client: SmppClient): Promise<string[]> {
    const answers = Array.from({ length: submits }, () =>
      client.submit({
        destination_addr: `${ofBinder}${String(++this.#receivers).padStart(8, '0')}`,
        registered_delivery: 1,
        short_message: Buffer.from('Hello'),
      }),
    );
    const settled = await Promise.allSettled(answers);
    return settled.flatMap((each) =>
      each.status === 'fulfilled' && each.value.status === 0 ? [each.value.messageId] : [],
    );
  }

  besides(place: Place): Place {
    return this.pair.places.find((each) => each !== place) ?? assert.fail('there are two');
  }

  #any(): Place {
    return this.pair.places.find(({ node }) => !node.isEnded) ?? assert.fail('a node runs');
  }

  bound(): Promise<unknown> {
    return waitUntil(
      () => `${links} links are bound, of ${this.books.sessions.length}`,
      () => this.books.sessions.length === links,
      limitMs,
    );
  }

  /** Starts the load until `compare`: clients send to both nodes, and the carrier sends inbound messages. */
  startLoad(): void {
    this.#isLoading = true;
    this.#load = Promise.all([
      this.books.startTexts(),
      ...Array.from({ length: clients }, (_each, at) => this.#client(at % 2)),
    ]);
  }

  async #client(index: number): Promise<void> {
    while (this.#isLoading) {
      const { node, name } = this.pair.places[index] ?? assert.fail('there are two');
      const client = new HttpClient(node.httpPort, 1);
      while (this.#isLoading && !node.isEnded) {
        const receiver = `+4915${String(++this.#receivers).padStart(8, '0')}`;
        const fields = { auth: this.#token, sender: `+${ownNumber}`, receiver, text: 'Hello', dcs: 'GSM' };
        const sent = {
          round: 0,
          receiver,
          text: 'Hello',
          account: 'acme',
          numParts: 1,
          wanted: 'delivered',
          place: name,
        };
        const remembered: SentTo = { ...sent, request: post(fields), answer: undefined };
        this.#remembered.push(remembered);
        remembered.answer = await client.ask(remembered.request).catch(() => undefined);
        await sleep(this.#chance.between(0, pauseMaxMs));
      }
      client.close();
      await sleep(pauseMaxMs);
    }
  }

  /** Waits until `count` more messages were accepted, by any node or by the node at `place`. */
  async more(count = acceptedMin, place?: Place): Promise<void> {
    const accepted = () =>
      this.#remembered.filter(({ answer, ...sent }) => answer?.status === 200 && (!place || sent.place === place.name))
        .length;
    const enough = accepted() + count;
    await waitUntil(
      () => `${enough} messages are accepted, of ${accepted()}: ${this.#state(place)}`,
      async () => {
        await this.pair.restartEnded(place && [place]);
        return accepted() >= enough;
      },
      limitMs,
    );
  }

  /** Waits until both nodes accept messages again. */
  async goesOn(): Promise<void> {
    for (const place of this.pair.places) await this.more(acceptedMin / 2, place);
  }

  /** The last answers, and the logs of the nodes, for the message of a failed test. */
  #state(place: Place | undefined): string {
    const last = this.#remembered.filter((sent) => !place || sent.place === place.name).slice(-clients);
    const answers = last.map(({ answer }) => answer?.text ?? 'no answer').join(' ');
    return `${answers}\n${this.pair.places.map(({ name, node }) => `${name}: ${node.isEnded} ${node.errors}`).join('')}`;
  }

  victim(): Place {
    return this.#chance.pick(this.pair.places);
  }

  /** Waits for a random moment, so that anything may be under way after it. */
  moment(): Promise<unknown> {
    return sleep(this.#chance.between(0, 150));
  }

  newName(): string {
    return `n${++this.#names}`;
  }

  /** Ends the load, and waits until every message is final. Parts in doubt do not wait minutes to be sent again. */
  async #settle(): Promise<void> {
    this.#isLoading = false;
    this.books.stopTexts();
    await this.#load;
    let open = '';
    let movedAt = performance.now();
    await waitUntil(
      () => `the end of everything: ${open}, ${this.books.open} unacknowledged; ${this.#state(undefined)}`,
      async () => {
        await this.pair.restartEnded();
        await this.resendDoubts();
        const rows = await this.ask(
          `select state, count(*) from part where state in ('queued', 'claimed', 'sent', 'buffered')
            or (state = 'in_doubt' and in_doubt <= ${resendsMax}) group by state`,
        );
        open = rows.join(' ');
        if (rows.length > 0 || this.books.open > 0) movedAt = performance.now();
        return performance.now() - movedAt > quietMs;
      },
      limitMs,
    );
  }

  /** Lets parts in doubt be sent again now, and not minutes later. */
  async resendDoubts(): Promise<void> {
    await this.ask(
      `update part set deadline = 0 where state = 'in_doubt' and in_doubt <= ${resendsMax} and deadline > 0 returning 1`,
    );
  }

  /** Makes the database server end all connections but the trial's own, as an administrator may. */
  async endConnections(): Promise<void> {
    await this.ask(
      "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
    );
  }

  /** Makes the database server end all connections and recover from its log, as after a fault of its own. */
  async crashDatabase(): Promise<void> {
    const client = await connectAt(this.pair.url);
    const { rows } = await client.query({ text: 'select pg_backend_pid()', rowMode: 'array' });
    process.kill(Number(rows[0]?.[0]), 'SIGKILL');
    await client.end();
  }

  /** Runs SQL on a new connection, because the trial itself ends open ones. */
  async ask(text: string): Promise<readonly (readonly unknown[])[]> {
    const client = await waitUntil(
      'the database answers',
      () => connectAt(this.pair.url).catch(() => undefined),
      limitMs,
    );
    try {
      return (await client.query({ text, rowMode: 'array' })).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends the load. Then the records of clients, carrier and database must agree. */
  async compare(): Promise<void> {
    await this.#settle();
    const faults = await this.#faults();
    assert.deepEqual(faults.slice(0, shownMax), [], `${faults.length} faults`);
  }

  /** The disagreements between the records, as sentences. */
  async #faults(): Promise<string[]> {
    const folder = mkdtempSync(join(this.pair.folder, 'copy-'));
    const client = await connectAt(this.pair.url);
    await copyStore(client, folder);
    await client.end();
    copyFileSync(this.pair.masterKey, join(folder, 'master-key'));
    try {
      using store = StoreFile.of(folder);
      return [
        ...storeFaults(store),
        // The clients over SMPP have records of their own.
        ...answerFaults(store, this.#remembered).filter((fault) => !fault.includes(`to +${ofBinder}`)),
        ...this.#carrierFaults(store),
        ...this.#receiptFaults(store),
        ...(await this.#checkFaults()),
      ];
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  /** S5: the carrier accepts a part once, and once more for each time it was in doubt. A3: every message is final. */
  #carrierFaults(store: StoreFile): string[] {
    const parts = store.rows('select receiver, state, in_doubt from part join message on message.id = part.message');
    const known = new Set(parts.map((row) => row.text('receiver')));
    const unknown = [...this.books.taken.keys()].filter((receiver) => !known.has(receiver));
    return [
      ...unknown.map((receiver) => `S1: the carrier has a message to ${receiver}, which the store does not know`),
      ...parts.flatMap((row) => {
        const [receiver, state, doubts] = [row.text('receiver'), row.text('state'), row.integer('in_doubt')];
        const taken = this.books.taken.get(receiver)?.length ?? 0;
        if (taken > 1 + doubts) return [`S5: the carrier took ${receiver} ${taken} times, in doubt ${doubts} times`];
        if (state === 'in_doubt' && doubts > resendsMax) return [];
        return state === 'delivered' ? [] : [`the part to ${receiver} is ${state} after ${doubts} doubts`];
      }),
    ];
  }

  /** D5, O1: each acknowledged receipt and inbound message is stored. */
  #receiptFaults(store: StoreFile): string[] {
    const matched = new Set(
      store.texts(
        'select receiver from part join message on message.id = part.message where carrier_state is not null',
      ),
    );
    const unmatched = new Set(store.texts('select carrier_id from unmatched_receipt'));
    const heard = new Set(store.texts("select text_in('inbound', account, id, content) from inbound"));
    return [
      ...[...this.books.acknowledged]
        .filter(([id, receiver]) => !matched.has(receiver) && !unmatched.has(id))
        .map(([id, receiver]) => `D5: the receipt ${id} for ${receiver} was acknowledged, and is nowhere`),
      ...[...this.books.heard]
        .filter((text) => !heard.has(text))
        .map((text) => `O1: "${text}" was acknowledged, and is not there`),
    ];
  }

  /** The faults that the operator's commands `ledger check` and `cdr check` find. */
  async #checkFaults(): Promise<string[]> {
    return [...(await this.#faultOf('ledger', 'check')), ...(await this.#faultOf('cdr', 'check'))];
  }

  /** Runs a check. If its node ends by itself, because the machine stalled, restarts the node and repeats the check. */
  async #faultOf(...words: readonly string[]): Promise<string[]> {
    for (let asked = 1; ; asked += 1) {
      await this.pair.restartEnded();
      const fault = await this.#any()
        .node.morsel(...words)
        .then(() => undefined, String);
      if (fault === undefined) return [];
      if (asked === askedMax || !fault.includes('"code":"unreachable"')) return [fault];
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isLoading = false;
    await this.books[Symbol.asyncDispose]();
    await this.pair[Symbol.asyncDispose]();
    await this.#load;
  }
}

/** How often a check is tried while no node answers. */
const askedMax = 3;

/** Longer than a node's lease and the time in which another node takes over. */
export const leaseOverMs = quickTimes.silentMs + 2_000;
