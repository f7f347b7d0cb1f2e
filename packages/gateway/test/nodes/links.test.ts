import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { done } from '../support/done.ts';
import { HttpClient } from '../support/clients/http-client.ts';
import { pricesOf } from '../support/store/prices.ts';
import { ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { waitUntil } from '../support/wait-until.ts';
import { needsPostgres } from '../peers/needs.ts';
import { Nodes } from './nodes.ts';

/* Nodes of one PostgreSQL share the links of carriers. `trial.ts` counts the binds, and the messages that are sent. */

/** A carrier that accepts all messages. */
async function openCarrier(name: string) {
  const got: string[] = [];
  const carrier = await ScriptedCarrier.open({
    onSubmit: ({ pdu, respond }) => void respond(0, { message_id: `${name}-${got.push(`+${pdu.destination_addr}`)}` }),
  });
  return { name, got, carrier, [Symbol.asyncDispose]: () => carrier.close() };
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
  async function add(
    { name, carrier }: Awaited<ReturnType<typeof openCarrier>>,
    links: number,
    route: { readonly prefix: string; readonly rank?: string },
  ) {
    const operator = nodes.operator(0);
    const login = { systemId: 'us', password: 'secret', host: '127.0.0.1', port: String(carrier.port) };
    done(await operator.carrier.add({ name, ...login, links: String(links) }));
    done(await operator.route.add({ carrier: name, ...route }));
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

  it('the links of a carrier are divided between both nodes, and each node shows the links of the other', async () => {
    await using spread = await openCarrier('spread');
    const { carrier } = spread;
    await add(spread, 2, { prefix: '41791' });
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
      const former = carrier.bindsAt.length;
      done(await rebind({ carrier: 'spread', link }));
      binds.push(carrier.bindsAt.length - former);
    }
    assert.deepEqual(binds, [1, 1, 2], 'wherever a link is, it binds again');
    done(await nodes.operator(1).carrier.drain({ carrier: 'spread' }));
    assert.equal(carrier.links, 0, 'it waits for both nodes');
    await waitUntil('both show that the links stay unbound', async () =>
      [...(await linkStates(0, 'spread')), ...(await linkStates(1, 'spread'))].every(
        ({ state }) => state === 'stopped',
      ),
    );
  });

  it('a message at a node without a link of its carrier goes to the node that has one, and not to a worse rank', async () => {
    await using first = await openCarrier('first');
    await using second = await openCarrier('second');
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
});
