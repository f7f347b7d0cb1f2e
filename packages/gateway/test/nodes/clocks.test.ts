/* The clocks of nodes and of their database, when a clock is wrong or makes a step. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Gateway } from '../../src/app.ts';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { done } from '../support/done.ts';
import { HttpClient } from '../support/clients/http-client.ts';
import { pricesOf } from '../support/store/prices.ts';
import { TestClock } from '../support/test-clock.ts';
import { waitUntil } from '../support/wait-until.ts';
import { needsPostgres } from '../peers/needs.ts';
import { Nodes, nodeTimes } from './nodes.ts';

async function stateOf(gateway: Gateway, name: string): Promise<string | undefined> {
  const { items } = done(await operatorCalls(gateway.operator).node.list());
  return items.find((each) => each.name === name)?.state;
}

it(
  'a node whose clock is 10 s ahead counts due times by the clock of the database; with 60 s it does not start',
  needsPostgres,
  async () => {
    await using nodes = await Nodes.open();
    await assert.rejects(
      nodes.start('n0', { clock: TestClock.flowing(Date.now() + 60_000) }),
      /the clock of this machine is (1 min|59 s) ahead of the clock of the database/,
    );
    const first = await nodes.start('n1');
    const clock = TestClock.flowing(Date.now() + 10_000);
    const second = await nodes.start('n2', { clock });
    const operator = operatorCalls(first.operator);
    done(await operator.carrier.add({ name: 'alpha', systemId: 'us', password: 'x', host: '127.0.0.1', port: '1' }));
    done(await operator.route.add({ carrier: 'alpha', prefix: '41' }));
    done(await operator.price.set({ list: 'default', currency: 'EUR', prices: pricesOf({ 41: '0.01' }) }));
    done(await operator.account.add({ name: 'acme', currency: 'EUR', balance: '10' }));
    const { token: auth } = done(await operator.token.add({ account: 'acme' }));
    const client = new HttpClient(second.httpPort, 1);
    const message = { auth, sender: '+41790000001', receiver: '+41791230001', text: 'Hello', dcs: 'GSM' };
    const sent = await client.post('/sms/send', message);
    client.close();
    assert.equal(sent.status, 200, sent.text);
    const late = 'select due - extract(epoch from clock_timestamp()) * 1000 < 1000 from queue';
    assert.deepEqual((await nodes.postgres.query(late)).rows, [[true]]);
    clock.wallAheadMs += 40_000;
    await waitUntil('it drains', async () => (await stateOf(first, 'n2')) === 'draining');
    clock.wallAheadMs -= 50_000;
    await waitUntil('it works again', async () => (await stateOf(first, 'n2')) === 'running');
  },
);

/** Replaces the database's clock for all SQL that calls `clock_timestamp()` without its schema. */
const clockOf = (ahead: string) =>
  `create or replace function public.clock_timestamp() returns timestamptz language sql volatile
    as $$ select pg_catalog.clock_timestamp() + interval '${ahead}' $$`;

it('a step of the clock of the database ends no node', needsPostgres, async () => {
  await using nodes = await Nodes.open();
  await nodes.postgres.query(clockOf('0 s'));
  await nodes.postgres.query('alter database postgres set search_path = public, pg_catalog');
  const [first, second] = [await nodes.start('n1'), await nodes.start('n2')];
  const renewals = 'select min(renewed_at) > $1::timestamptz from member';
  const renewed = async () => {
    const { rows } = await nodes.postgres.query('select pg_catalog.clock_timestamp()::text');
    return waitUntil('both renew', async () => (await nodes.postgres.query(renewals, rows[0])).rows[0]?.[0] === true);
  };
  // A node takes over from another only after it has watched that node for the time of a lease.
  const watchedFrom = performance.now();
  await waitUntil('they have watched each other', () => performance.now() - watchedFrom > nodeTimes.silentMs + 1_000);
  await nodes.postgres.query(clockOf('1 hour'));
  await renewed();
  await nodes.postgres.query(clockOf('0 s'));
  await waitUntil('both run', async () => {
    const states = [await stateOf(first, 'n2'), await stateOf(second, 'n1')];
    return states.every((state) => state === 'running');
  });
});
