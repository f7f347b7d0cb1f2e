import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { statuses } from '@morsel/smpp';
import { done } from '../support/done.ts';
import { HttpClient } from '../support/clients/http-client.ts';
import { pricesOf } from '../support/store/prices.ts';
import { ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { waitUntil } from '../support/wait-until.ts';
import { needsPostgres } from '../peers/needs.ts';
import { Nodes } from './nodes.ts';

/* Nodes of one PostgreSQL share the links of carriers: never more binds than agreed, and every message is sent. */

/** A carrier that records its receivers, and the largest number of binds at a time. */
class Counting implements AsyncDisposable {
  readonly name: string;
  readonly got: string[] = [];
  mostBinds = 0;
  /** The number of binds so far. */
  binds = 0;
  /** Whether the carrier answers each submit_sm by itself. */
  answers = true;
  /** The command_status of the carrier's answers. */
  status: number = statuses.ESME_ROK;
  readonly #held: (() => void)[] = [];
  #carrier: ScriptedCarrier | undefined;
  #ids = 0;

  private constructor(name: string) {
    this.name = name;
  }

  static async open(name: string): Promise<Counting> {
    const counting = new Counting(name);
    counting.#carrier = await ScriptedCarrier.open({
      refusal: () => {
        counting.binds += 1;
        counting.mostBinds = Math.max(counting.mostBinds, counting.links + 1);
        return undefined;
      },
      onSubmit: ({ pdu, respond }) => {
        counting.got.push(`+${pdu.destination_addr}`);
        const answer = () => void respond(counting.status, { message_id: `${name}-${++counting.#ids}` });
        if (counting.answers) answer();
        else counting.#held.push(answer);
      },
    });
    return counting;
  }

  answerHeld(): void {
    this.answers = true;
    for (const answer of this.#held.splice(0)) answer();
  }

  get port(): number {
    return this.#carrier?.port ?? 0;
  }

  get links(): number {
    return this.#carrier?.links ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#carrier?.close();
  }
}

describe('links of carriers at several nodes', needsPostgres, () => {
  let nodes: Nodes;
  let token = '';
  const clients: HttpClient[] = [];
  before(async () => {
    nodes = await Nodes.open(['n1', 'n2']);
    clients.push(...[0, 1].map((index) => new HttpClient(nodes.at(index).httpPort)));
    const operator = nodes.operator(0);
    done(await operator.account.add({ name: 'acme', currency: 'EUR', balance: '100' }));
    done(await operator.price.set({ list: 'default', currency: 'EUR', prices: pricesOf({ 4: '0.0075' }) }));
    token = done(await operator.token.add({ account: 'acme' })).token;
  });
  after(async () => {
    for (const client of clients) client.close();
    await nodes[Symbol.asyncDispose]();
  });

  /** Adds the carrier to the gateway, with a route for a prefix. */
  async function add(carrier: Counting, links: number, route: { readonly prefix: string; readonly rank?: string }) {
    const operator = nodes.operator(0);
    const login = { systemId: 'us', password: 'secret', host: '127.0.0.1', port: String(carrier.port) };
    done(await operator.carrier.add({ name: carrier.name, ...login, links: String(links) }));
    done(await operator.route.add({ carrier: carrier.name, ...route }));
  }

  /** The links that a node has bound, and the links that it shows as bound at other nodes. */
  async function linksAt(index: number, name: string) {
    const bound = (await linkStates(index, name)).filter(({ state }) => state === 'bound');
    const isOwn = (each: { readonly node: string | null }) => each.node === `n${index + 1}`;
    return { own: bound.filter(isOwn), others: bound.filter((each) => !isOwn(each)) };
  }

  async function linkStates(index: number, name: string) {
    return done(await nodes.operator(index).carrier.show({ carrier: name })).linkStates;
  }

  /** The index of the node that has the only link of a carrier, once both nodes know it. */
  function holderOf(name: string): Promise<number> {
    return waitUntil(`the link of ${name} is known to both`, async () => {
      const [here, there] = [await linksAt(0, name), await linksAt(1, name)];
      if (here.own.length === 1 && there.others.length === 1) return 0;
      return there.own.length === 1 && here.others.length === 1 ? 1 : undefined;
    });
  }

  async function send(index: number, receiver: string): Promise<void> {
    const message = { auth: token, sender: '+41790000001', receiver, text: 'Hello', dcs: 'GSM' };
    const { status, text } = (await clients[index]?.post('/sms/send', message)) ?? assert.fail('it runs');
    assert.equal(status, 200, text);
  }

  const drain = (name: string, isDraining: boolean) =>
    nodes.postgres.query('update member set is_draining = $2 where name = $1', [name, isDraining]);

  it('the links of a carrier are divided between both nodes, and each node shows the links of the other', async () => {
    await using carrier = await Counting.open('spread');
    await add(carrier, 2, { prefix: '41791' });
    for (const { state } of [...(await linkStates(0, 'spread')), ...(await linkStates(1, 'spread'))])
      assert.notEqual(state, 'stopped', 'a node takes it in a moment');
    await waitUntil('each node has one link', async () => {
      const [here, there] = [await linksAt(0, 'spread'), await linksAt(1, 'spread')];
      return [here, there].every(({ own, others }) => own.length === 1 && others.length === 1);
    });
    const { own, others } = await linksAt(0, 'spread');
    assert.deepEqual(
      others.map((each) => each.node),
      ['n2'],
    );
    const { rebind } = nodes.operator(0).carrier;
    const binds = [];
    for (const link of [String(own[0]?.link), String(others[0]?.link), undefined]) {
      const former = carrier.binds;
      done(await rebind({ carrier: 'spread', link }));
      binds.push(carrier.binds - former);
    }
    assert.deepEqual(binds, [1, 1, 2], 'wherever a link is, it binds again');
    assert.equal(carrier.mostBinds, 2);
    done(await nodes.operator(1).carrier.drain({ carrier: 'spread' }));
    assert.equal(carrier.links, 0, 'it waits for both nodes');
    await waitUntil('both show that the links stay unbound', async () =>
      [...(await linkStates(0, 'spread')), ...(await linkStates(1, 'spread'))].every(
        ({ state }) => state === 'stopped',
      ),
    );
  });

  it('a message at a node without a link of its carrier goes to the node that has one, and not to a worse rank', async () => {
    await using first = await Counting.open('first');
    await using second = await Counting.open('second');
    await add(first, 1, { prefix: '41792' });
    await add(second, 1, { prefix: '41792', rank: '2' });
    const holder = await holderOf('first');
    await holderOf('second');
    const receivers = Array.from({ length: 20 }, (_each, at) => `+417920000${10 + at}`);
    for (const receiver of receivers) await send(1 - holder, receiver);
    await waitUntil('the carrier has all', () => first.got.length === receivers.length);
    assert.deepEqual([first.got.toSorted(), second.got], [receivers, []]);
    for (const carrier of ['first', 'second']) done(await nodes.operator(0).carrier.drain({ carrier }));
  });

  it('a draining node gives its link away when the carrier has answered all requests, never before', async () => {
    await using carrier = await Counting.open('moved');
    await add(carrier, 1, { prefix: '41793' });
    const from = await holderOf('moved');
    carrier.answers = false;
    await send(from, '+41793000001');
    await waitUntil('the carrier has the message', () => carrier.got.length === 1);
    const name = `n${from + 1}`;
    await drain(name, true);
    await waitUntil('the link drains', () =>
      [...nodes.at(from).operator.links().values()].flat().some(({ state }) => state === 'draining'),
    );
    await send(1 - from, '+41793000002');
    assert.equal(carrier.got.length, 1);
    carrier.answerHeld();
    await waitUntil('the other node sends', () => carrier.got.length === 2);
    assert.equal(await holderOf('moved'), 1 - from);
    assert.equal(carrier.mostBinds, 1);
    await drain(name, false);
    done(await nodes.operator(0).carrier.drain({ carrier: 'moved' }));
  });

  it("another node binds a killed node's link when the killed node's lease has ended", async () => {
    await using carrier = await Counting.open('killed');
    await using third = await nodes.startProcess('n3');
    await add(carrier, 3, { prefix: '41794' });
    await waitUntil('each node has one link', async () => {
      const { own, others } = await linksAt(0, 'killed');
      return (
        own.length === 1 &&
        others
          .map((each) => String(each.node))
          .toSorted()
          .join() === 'n2,n3'
      );
    });
    await third.stop('SIGKILL');
    await waitUntil('its link is unbound', () => carrier.links === 2);
    await waitUntil('another node has bound it', () => carrier.links === 3);
    assert.equal(carrier.mostBinds, 3);
  });
});
