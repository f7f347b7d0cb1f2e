import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ConnectError, statuses } from '@morsel/smpp';
import { createAdminClient } from '@morsel/api/admin/client.ts';
import { addOperator } from '../support/gateway/operators.ts';
import { done } from '../support/done.ts';
import { runMorsel } from '../support/gateway/run-morsel.ts';
import { pricesOf } from '../support/store/prices.ts';
import { receiptFor, ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { SmppClient } from '../support/clients/smpp-client.ts';
import { waitUntil } from '../support/wait-until.ts';
import { WebhookEar } from '../support/clients/webhook-ear.ts';
import { needsPostgres } from '../peers/needs.ts';
import { Nodes } from './nodes.ts';

/* Clients of two nodes on one PostgreSQL: their sessions are counted, listed and closed over all nodes. */

const password = 'Right-1';

/** Binds. Returns the session, or the status of the refusal. */
async function tryBind(port: number | null, systemId: string): Promise<SmppClient | number | undefined> {
  try {
    return await SmppClient.bind({ port: port ?? assert.fail('SMPP is on'), systemId, password });
  } catch (fault) {
    assert.ok(fault instanceof ConnectError, String(fault));
    return fault.command_status;
  }
}

describe('clients at several nodes', needsPostgres, () => {
  let nodes: Nodes;
  const node = (index: number) => nodes.at(index);
  const operator = (index: number) => nodes.operator(index);
  before(async () => {
    nodes = await Nodes.open(['n1', 'n2']);
  });
  after(() => nodes[Symbol.asyncDispose]());

  /** Adds an account that may have `smppBinds` sessions, and a login of the same name. */
  async function add(name: string, smppBinds: number): Promise<void> {
    const { account, login } = operator(0);
    done(await account.add({ name, currency: 'EUR', balance: '100', smppBinds: String(smppBinds) }));
    done(await login.add({ account: name, systemId: name, password }));
  }

  /** Waits until the query finds a row, and both nodes have read the database after that. */
  async function bothKnow(query: string): Promise<void> {
    const [[from] = []] = await waitUntil(query, async () => {
      const { rows } = await nodes.postgres.query(`select clock_timestamp()::text where exists (${query})`);
      return rows.length > 0 ? rows : undefined;
    });
    await waitUntil('both nodes have asked', async () => {
      const text =
        "select 1 from member where name in ('n1', 'n2') and renewed_at > $1::timestamptz + interval '50 ms'";
      return (await nodes.postgres.query(text, [from])).rows.length === 2;
    });
  }

  const bind = (index: number, systemId: string) =>
    SmppClient.bind({ port: node(index).smppPort ?? assert.fail('SMPP is on'), systemId, password });

  it('of one account have as many binds as agreed, counted over all nodes', async () => {
    await add('counted', 5);
    const tries = await Promise.all(
      Array.from({ length: 16 }, (_each, at) => tryBind(node(at % 2).smppPort, 'counted')),
    );
    const bound = tries.filter((each) => each instanceof SmppClient);
    const refused = tries.filter((each) => !(each instanceof SmppClient));
    assert.equal(bound.length, 5);
    assert.deepEqual(new Set(refused), new Set([statuses.ESME_RBINDFAIL]));
    // When a session ends, a new one can bind at either node.
    for (const [at, client] of bound.entries()) {
      await client[Symbol.asyncDispose]();
      bound[at] = await bind(at % 2, 'counted');
    }
    done(await operator(1).account.set({ account: 'counted', smppBinds: '4' }));
    await bound.pop()?.[Symbol.asyncDispose]();
    assert.equal(await tryBind(node(0).smppPort, 'counted'), statuses.ESME_RBINDFAIL);
    for (const client of bound) await client[Symbol.asyncDispose]();
  });

  it('are listed with the sessions of all nodes, and a session at another node can be closed', async () => {
    await add('shown', 8);
    const clients = [await bind(0, 'shown'), await bind(1, 'shown'), await bind(0, 'shown')];
    for (const index of [0, 1]) {
      const { items } = done(await operator(index).session.list({ account: 'shown' }));
      assert.deepEqual(items.map((each) => String(each.node)).toSorted(), ['n1', 'n1', 'n2']);
    }
    const { items } = done(await operator(0).session.list({ account: 'shown' }));
    const there = items.find((each) => each.node === 'n2') ?? assert.fail('it is listed');
    const { closed, waiting } = done(await operator(0).session.close({ id: there.id }));
    assert.deepEqual([closed.map(({ id }) => id), waiting], [[there.id], []]);
    assert.deepEqual(
      clients.map(({ session }) => session.phase),
      ['bound_trx', 'closed', 'bound_trx'],
    );
    const again = await operator(0).session.close({ id: there.id });
    assert.match(JSON.stringify(again), /there is no session/);
    assert.equal(done(await operator(1).session.close({ account: 'shown' })).closed.length, 2);
  });

  it("get receipts at the node of the account's session, whichever node has the link or the webhook", async () => {
    await add('receipts', 4);
    let ids = 0;
    await using carrier = await ScriptedCarrier.open({
      onSubmit: ({ pdu, session, respond }) => {
        const id = `r-${++ids}`;
        if (respond(0, { message_id: id })) void session.request(receiptFor(pdu, id));
      },
    });
    await using ear = await WebhookEar.open();
    const { price, carrier: carriers, route, webhook } = operator(0);
    done(await price.set({ list: 'default', currency: 'EUR', prices: pricesOf({ 4: '0.0075' }) }));
    const login = { systemId: 'us', password: 'secret', host: '127.0.0.1', port: String(carrier.port) };
    done(await carriers.add({ name: 'one', ...login, links: '1' }));
    done(await route.add({ carrier: 'one', prefix: '4179' }));
    done(await webhook.add({ account: 'receipts', url: ear.url, allow: '127.0.0.1' }));
    await waitUntil('the link is bound', () => carrier.links === 1);
    const message = { registered_delivery: 1, short_message: Buffer.from('Hello') };
    for (const index of [0, 1]) {
      await using client = await bind(index, 'receipts');
      await bothKnow(
        `select 1 from duty join member using (node) where kind = 'sessions' and name = 'n${index + 1}'
         and key = (select id from account where name = 'receipts')`,
      );
      for (let at = 0; at < 5; at++) assert.equal((await client.submit(message)).status, 0);
      await waitUntil('the receipts are here', () => client.taken.length === 5);
    }
    assert.equal(ear.told.length, 0);
    done(await carriers.drain({ carrier: 'one' }));
  });

  it('are closed without a wait for a frozen node: it is named, and closes its sessions later', async () => {
    await add('frozen', 4);
    await using third = await nodes.startProcess('n4');
    const there = await tryBind(third.smppPort, 'frozen');
    assert.ok(there instanceof SmppClient);
    await bind(1, 'frozen');
    third.signal('SIGSTOP');
    const { closed, waiting } = done(await operator(0).session.close({ account: 'frozen' }));
    assert.deepEqual([closed.map((each) => each.node), waiting], [['n2'], ['n4']]);
    assert.equal(there.session.phase, 'bound_trx');
    third.signal('SIGCONT');
    await waitUntil('the session is closed', () => there.session.phase === 'closed');
    await third.stop();
  });

  it('are unbound by a draining node, which is not ready, and gives its duties to other nodes', async () => {
    await add('drained', 4);
    const clients = [await bind(0, 'drained'), await bind(1, 'drained')];
    const readyAt = async (index: number) => (await fetch(`http://127.0.0.1:${node(index).httpPort}/ready`)).status;
    const ready = () => Promise.all([readyAt(0), readyAt(1)]);
    assert.deepEqual(await ready(), [200, 200]);
    const drained = operator(1).node.drain({ name: 'n1' });
    await waitUntil('it is not ready', async () => (await ready()).join() === '503,200');
    assert.equal(clients[0]?.session.phase, 'bound_trx');
    assert.equal(await tryBind(node(0).smppPort, 'drained'), statuses.ESME_RSYSERR);
    assert.deepEqual(done(await drained), { name: 'n1', duties: 0, sessions: 0, others: 1 });
    assert.deepEqual(
      clients.map(({ session }) => session.phase),
      ['closed', 'bound_trx'],
    );
    // When both nodes drain, no node is left for their work.
    const both = done(await operator(0).node.drain({ name: 'n2' }));
    assert.deepEqual([both.others, both.sessions], [0, 1]);
    const { status: failed, errors } = await runMorsel(['node', 'drain', 'n2'], { dataDir: join(nodes.folder, 'n1') });
    assert.equal(failed, 1);
    assert.match(
      errors,
      /^morsel: n2 still has duties \(\d+\) and sessions \(1\): no other node can take them; node resume n2 /,
    );
    assert.deepEqual(await ready(), [200, 200]);
    for (const name of ['n1', 'n2']) done(await operator(0).node.resume({ name }));
    await waitUntil('both run', () =>
      node(0)
        .operator.nodes.list()
        .every(({ isDraining }) => !isDraining),
    );
    await using again = await bind(0, 'drained');
    assert.equal(again.session.phase, 'bound_trx');
    await clients[1]?.[Symbol.asyncDispose]();
  });

  it('an operator is known at all nodes, and each node writes its own part of the audit log', async () => {
    const { key } = await addOperator(node(0), 'owner', 'jane');
    const client = createAdminClient(`http://127.0.0.1:${node(1).adminPort}`, { key });
    await Promise.all([
      add('audited', 1),
      client.account.add({ name: 'other', currency: 'EUR' }).then((made) => assert.ok(made.ok)),
    ]);
    done(await operator(0).operator.remove({ operator: 'jane' }));
    const refused = await client.account.list();
    assert.ok(!refused.ok && refused.error.kind === 'refused' && refused.error.status === 401);
    const nodesSeen = new Set<string | undefined>();
    for (let place: string | undefined; ;) {
      const { faults, last, next } = done(await operator(1).audit.verify({ after: place }));
      assert.deepEqual(faults, []);
      if (last !== null) nodesSeen.add(last.split('-')[0]);
      if (next === null) break;
      place = next;
    }
    assert.equal(nodesSeen.size, 2);
    const byJane = done(await operator(0).audit.list({ operator: 'jane' }));
    assert.deepEqual(
      byJane.items.map(({ operation, account }) => [operation, account]),
      [['account.add', 'other']],
    );
  });

  it('that listen at one node get the events of the other', async () => {
    done(await operator(0).account.add({ name: 'heard', currency: 'EUR', balance: '100', lowBalance: '90,80,70' }));
    const begun = await Promise.all([0, 1].map((index) => operator(index).event.listen({ account: 'heard' })));
    const heard = begun.map((each) => ({ last: done(each).last, balances: [] as unknown[] }));
    for (const at of [0, 1, 0]) {
      const { posting } = operator(at);
      done(await posting.adjust({ account: 'heard', amount: '-11', reason: 'test' }));
      for (const [index, ear] of heard.entries()) {
        const { events, last } = done(
          await operator(index).event.listen({ account: 'heard', after: String(ear.last) }),
        );
        ear.last = last;
        ear.balances.push(...events.map(({ body }) => Object(JSON.parse(body))['clientBalance']));
      }
    }
    assert.deepEqual(
      heard.map(({ balances }) => balances.map(Number)),
      [
        [89, 78, 67],
        [89, 78, 67],
      ],
    );
  });
});
