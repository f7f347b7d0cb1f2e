/*
 * How soon a node takes over what another one did that is gone: links, webhooks, scheduled messages, and places of
 * sessions. From then on the other one sends nothing (P7). Both nodes have the times that operators have. The test
 * prints what it measures.
 */

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Chance } from '../support/chance.ts';
import { HttpClient, textIn } from '../support/clients/http-client.ts';
import { SmppClient } from '../support/clients/smpp-client.ts';
import { WebhookEar } from '../support/clients/webhook-ear.ts';
import { program } from '../support/gateway/child.ts';
import { connectAt } from '../support/store/postgres.ts';
import { waitUntil } from '../support/wait-until.ts';
import { needsPostgres } from '../peers/needs.ts';
import { BookCarrier, type Taken } from './books.ts';
import { Pair, replacedStatus, type Place } from './pair.ts';

const password = 'Right-1';
const links = 4;
const sendEveryMs = 50;
const loadMs = 500;
/** Scheduled messages become due one after another, some before the end of the node and most after it. */
const [scheduled, dueEveryMs] = [120, 250];
/** How long a node stalls others that share its accounts. */
const stalledMaxMs = 1_000;
/** A busy machine may take so many times longer than promised. */
const slowness = 3;
/** The server ends the connection of a machine from which nothing comes for so long (`tcp_user_timeout`). */
const serverEndsMs = 8_000;

interface End {
  readonly promisedMs: number;
  readonly end: (place: Place) => Promise<unknown>;
}

const ends: { readonly [name: string]: End } = {
  'kill -9': { promisedMs: 3_000, end: ({ node }) => node.kill() },
  'a cut cable': {
    promisedMs: 12_000,
    end: async ({ cable }) => {
      const lost = cable.lose();
      cable.silence();
      setTimeout(lost, serverEndsMs);
    },
  },
  'a stopped process': { promisedMs: 21_000, end: async ({ node }) => node.signal('SIGSTOP') },
  'a node that lost only its connection for leases': {
    promisedMs: 3_000,
    end: async ({ name, cable }) => cable.refuse(`morsel ${name}`),
  },
};

class TakeOver implements AsyncDisposable {
  readonly pair: Pair;
  readonly books: BookCarrier;
  readonly #ears = new Map<string, WebhookEar>();
  readonly #tokens = new Map<string, string>();
  #receivers = 0;

  private constructor(pair: Pair, books: BookCarrier) {
    this.pair = pair;
    this.books = books;
  }

  static async open(): Promise<TakeOver> {
    const trial = new TakeOver(await Pair.open({ file: program }), await BookCarrier.open(new Chance(1)));
    await trial.#setUp();
    return trial;
  }

  async #setUp(): Promise<void> {
    const { node } = this.#place(0);
    for (const name of ['one', 'two']) {
      this.#tokens.set(name, await node.addAccount({ name, balance: '1000' }));
      const ear = await WebhookEar.open();
      this.#ears.set(name, ear);
      await node.administer('POST', '/v1/webhooks', {
        account: name,
        url: ear.url,
        allow: '127.0.0.0/8',
        on: 'receipt',
      });
    }
    await node.addAccount({ name: 'binder', balance: '1000', smppBinds: '1' });
    await node.administer('POST', '/v1/accounts/binder/logins', { systemId: 'binder', password });
    await node.addCarrier({ name: 'carrier', prefix: '4', port: this.books.port, links, textReceipts: 'on' });
    await waitUntil('the links are bound', () => this.books.sessions.length === links);
    await waitUntil('each node has a webhook', async () => (await this.#holders('webhook')).size === 2);
    const old = `select 1 from pg_stat_activity where application_name in ('morsel n1', 'morsel n2')
      and backend_start < now() - interval '13 s'`;
    await waitUntil('both nodes watch each other', async () => (await this.ask(old)).length === 2);
  }

  #place(index: number): Place {
    return this.pair.places[index] ?? assert.fail('there are two');
  }

  async ask(text: string): Promise<readonly (readonly unknown[])[]> {
    const client = await connectAt(this.pair.url);
    const { rows } = await client.query({ text, rowMode: 'array' });
    await client.end();
    return rows;
  }

  /** The names of the nodes that have duties of this kind, each with a key. */
  async #holders(kind: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.ask(`select name, key from duty join member using (node) where kind = '${kind}'`);
    return new Map(rows.map(([name, key]) => [String(name), Number(key)]));
  }

  /** The node that has the upkeep, and the other one. */
  async places(): Promise<readonly [victim: Place, other: Place]> {
    const [name] = (await this.#holders('upkeep')).keys();
    const victim = this.pair.places.find((each) => each.name === name) ?? assert.fail('a node has it');
    return [victim, this.pair.places.find((each) => each !== victim) ?? assert.fail('there are two')];
  }

  /** The ear of a webhook that this node calls, and a token of its account. */
  async webhookOf({ name }: Place) {
    const key = (await this.#holders('webhook')).get(name);
    const [[account] = []] = await this.ask(
      `select account.name from webhook join account on account.id = webhook.account where webhook.id = ${key}`,
    );
    const of = String(account);
    return { ear: this.#ears.get(of) ?? assert.fail(of), token: this.#tokens.get(of) ?? assert.fail(of) };
  }

  /** Sends a message at a node. Returns its id and its receiver. */
  async send({ node }: Place, token: string, more: object = {}) {
    const receiver = `+4915${String(++this.#receivers).padStart(8, '0')}`;
    const client = new HttpClient(node.httpPort, 1);
    const fields = { auth: token, sender: '+41790000001', receiver, text: 'Hello', dcs: 'GSM', ...more };
    const { body } = await client.post('/sms/send', fields);
    client.close();
    return { receiver, id: textIn(body, 'msgId') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.books[Symbol.asyncDispose]();
    await this.pair[Symbol.asyncDispose]();
    for (const ear of this.#ears.values()) await ear[Symbol.asyncDispose]();
  }
}

for (const [name, { promisedMs, end }] of Object.entries(ends)) {
  it(`${name}: another node takes over within ${promisedMs} ms`, needsPostgres, (t) => measure(t, { promisedMs, end }));
}

async function measure(t: TestContext, { promisedMs, end }: End): Promise<void> {
  await using trial = await TakeOver.open();
  const { books } = trial;
  const [victim, other] = await trial.places();
  const { ear, token } = await trial.webhookOf(victim);
  const session = await SmppClient.bind({ port: victim.node.smppPort, systemId: 'binder', password });
  const firstDue = Date.now() + 3_000;
  const plans = await Promise.all(
    Array.from({ length: scheduled }, async (_each, at) => {
      const due = firstDue + at * dueEveryMs;
      const { receiver } = await trial.send(other, token, { sendAt: new Date(due).toISOString() });
      return { due, receiver };
    }),
  );
  const before = new Set(books.sessions);
  await waitUntil('scheduled messages are sent', () => plans.some(({ receiver }) => books.taken.has(receiver)));
  const leases = async () => String(await trial.ask('select lease from node order by id'));
  const lease = await leases();
  let stalledMs = 0;
  const loading = new AbortController();
  const load = loadVictim(loading.signal);
  await sleep(loadMs);
  const endsAt = performance.now();
  const since = () => performance.now() - endsAt;
  await end(victim);
  const limitMs = promisedMs * slowness;
  const times = await Promise.all([
    timed('lease', async () => (await leases()) !== lease),
    timed('links', () => books.sessions.filter((each) => !before.has(each)).length === links / 2),
    timed('webhooks', webhookCalled()),
    timed('places', () => placeFree()),
    lateness(),
  ]);
  const said = [...times, ['slowest answer of the other', stalledMs] as const];
  t.diagnostic(said.map(([what, ms]) => `${what} ${(ms / 1_000).toFixed(1)} s`).join(', '));
  assert.ok(stalledMs < stalledMaxMs * slowness, `the other node stalled for ${Math.round(stalledMs)} ms`);
  for (const [what, ms] of times) assert.ok(ms < limitMs, `${what}: ${Math.round(ms)} ms`);
  loading.abort();
  victim.node.signal('SIGCONT');
  await load;
  session.session.destroy();
  victim.cable.restore();
  const { status, errors } = await victim.node.ended;
  assert.ok(status === null || status === replacedStatus, errors);
  const [[, leaseMs]] = times;
  const isLate = (each: Taken) =>
    before.has(each.session) && !books.sessions.includes(each.session) && each.at > endsAt + leaseMs;
  assert.deepEqual(
    [...books.taken].filter(([, taken]) => taken.some(isLate)),
    [],
    'it sends nothing any more',
  );

  /** Clients go on to send at the node that ends. */
  async function loadVictim(signal: AbortSignal): Promise<void> {
    for (; !signal.aborted; await sleep(sendEveryMs)) await trial.send(victim, token).catch(() => undefined);
  }

  async function timed(what: string, isDone: () => boolean | Promise<boolean>): Promise<readonly [string, number]> {
    await waitUntil(what, isDone);
    return [what, since()];
  }

  /** A message that is sent now leads to a call of the webhook. */
  function webhookCalled(): () => Promise<boolean> {
    const ids: string[] = [];
    return async () => {
      const from = performance.now();
      ids.push((await trial.send(other, token)).id);
      stalledMs = Math.max(stalledMs, performance.now() - from);
      await sleep(sendEveryMs);
      return ids.some((id) => ear.told.some(({ body }) => body.includes(id)));
    };
  }

  async function placeFree(): Promise<boolean> {
    const port = other.node.smppPort;
    const bound = await SmppClient.bind({ port, systemId: 'binder', password }).catch(() => undefined);
    bound?.session.destroy();
    return bound !== undefined;
  }

  /** How late a message is that was due after the end. What the node was sending then is in doubt, and waits longer. */
  async function lateness(): Promise<readonly [string, number]> {
    const planned = plans.filter(({ due }) => due > performance.timeOrigin + endsAt);
    await waitUntil('scheduled messages are sent', () => planned.every(({ receiver }) => books.taken.has(receiver)));
    const late = planned.map(({ due, receiver }) => {
      const [first] = books.taken.get(receiver) ?? [];
      return performance.timeOrigin + (first?.at ?? assert.fail(receiver)) - due;
    });
    return ['scheduled messages', Math.max(...late)];
  }
}
