import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toMicros } from '@morsel/api/values/money.ts';
import { messageIdsAfter } from '../../src/core/base/message-id.ts';
import type { Command } from '../../src/state/commands.ts';
import { PostgresEngine } from '../../src/store/postgres/engine.ts';
import { openSchema } from '../../src/store/postgres/migrate.ts';
import { needsPostgres } from '../peers/needs.ts';
import { Postgres } from '../support/store/postgres.ts';
import { PostgresTestDatabase } from '../support/store/postgres-test-database.ts';
import { carrierCommand, routeCommand } from '../support/store/routing-commands.ts';
import { acceptCommand, TestStore } from '../support/store/store.ts';
import { operate } from '../support/store/operate.ts';
import { testVault } from '../support/store/vault.ts';

/* The engines of several nodes on one database, without their gateways. */

const other = 5;

class PostgresStore extends TestStore {
  static async onPostgres(): Promise<TestStore> {
    return new PostgresStore(await PostgresTestDatabase.open(true)).fill();
  }
}

it('a message that a node has in memory is taken over as it is in the database', needsPostgres, async () => {
  await using store = await PostgresStore.onPostgres();
  await store.run(
    `insert into node (id, last_message_id, lease, inbound_answered, seen_at, last_cdr, groups) values (${other}, 0, ${other}, 1, 0, 0, 0)`,
  );
  await store.apply(store.accept());
  // The same changes as by a claim of the other node.
  await store.run(`delete from queue; update part set state = 'claimed', attempts = 1, tries = 1, due = null,
    tried_by = 1, claim_link = 1, claim_lease = ${other}, claim_at = ${store.now}, claim_is_whole = 0`);
  const taken = await store.one({ kind: 'take-over', at: store.now, node: other, lease: other });
  assert.deepEqual([taken, await store.part(1001)], [{ ok: true, value: { inDoubt: 1 } }, 'in_doubt']);
});

const longMessages = 60;

it('parts of a long message that arrive at two nodes at the same moment make one message', needsPostgres, async () => {
  await using server = await Postgres.start();
  await openSchema(server.url);
  const [first, second] = await Promise.all([openNode(server.url, 'n1'), openNode(server.url, 'n2')]);
  await first.done(carrierCommand({ at: Date.now() }));
  for (let reference = 0; reference < longMessages; reference++) {
    const part = (number: number) => ({ kind: '8-bit' as const, reference, total: 2, number });
    const both = await Promise.all([first.heard(part(1)), second.heard(part(2))]);
    assert.deepEqual(both.toSorted(), ['message', 'waiting'], `message ${reference}`);
  }
  const { rows } = await server.query('select count(*) from inbound where complete = 1 and parts_received = 2');
  assert.deepEqual(rows, [[String(longMessages)]]);
  await Promise.all([first.engine.close(), second.engine.close()]);
});

it('a node notices that its database came back without commits that were answered', needsPostgres, async () => {
  await using server = await Postgres.start();
  await openSchema(server.url);
  const lost: number[] = [];
  const { engine, done } = await openNode(server.url, 'n1', (groups) => lost.push(groups));
  await done(carrierCommand({ at: Date.now() }));
  await server.query('update node set groups = groups - 2 where id = 4');
  await server.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'morsel'");
  await done(carrierCommand({ at: Date.now(), name: 'beta' }));
  assert.deepEqual(lost, [2]);
  await engine.close();
});

it('a money operation beside messages is not refused by an account that is old in memory', needsPostgres, async () => {
  await using server = await Postgres.start();
  await openSchema(server.url);
  const [first, second] = await Promise.all([openNode(server.url, 'n1'), openNode(server.url, 'n2')]);
  const account = { name: 'acme', currency: 'EUR', balance: toMicros(100n) };
  await first.done(operate('account.add', account, { at: Date.now(), made: {} }));
  await first.done(carrierCommand({ at: Date.now() }));
  await first.done(routeCommand({ at: Date.now() }));
  const message = (cost: bigint) => acceptCommand({ at: Date.now(), id: first.nextId(), totalCost: toMicros(cost) });
  await first.done(message(1n));
  await second.done(adjust(100n));
  // Node 1 still has the balance of 99 in memory, which the message uses.
  const { results } = await first.engine.apply([message(1_000n), adjust(-110n)]);
  assert.deepEqual(
    results.map((result) => result.ok),
    [false, true],
  );
  await Promise.all([first.engine.close(), second.engine.close()]);
});

function adjust(amount: bigint): Command {
  return operate('posting.adjust', { account: 'acme', reason: 'test', amount: toMicros(amount) }, { at: Date.now() });
}

async function openNode(url: string, name: string, lost?: (groups: number) => void) {
  const engine = await PostgresEngine.open({ vault: testVault, url, name, ...(lost && { lost }) });
  const done = async (command: Command) => {
    const [result] = (await engine.apply([command])).results;
    return result?.ok === true ? result.value : assert.fail(JSON.stringify(result));
  };
  await done({ kind: 'begin', at: Date.now() });
  const { rows } = await engine.apply([]);
  const nextId = messageIdsAfter(0, rows.node.id, Date.now);
  const frame = { carrier: 1, sender: '+41790000002', receiver: '+41791112233', code: 0 };
  const heard = async (concatenation: { kind: '8-bit'; reference: number; total: number; number: number }) => {
    const octets = Buffer.from(`part ${concatenation.number}`);
    const text = { octets, coding: 'gsm7' as const, header: null, concatenation };
    const recorded = await done({ kind: 'inbound', at: Date.now(), id: nextId(), ...frame, ...text });
    return recorded && 'became' in recorded ? recorded.became : assert.fail(JSON.stringify(recorded));
  };
  return { engine, done, heard, nextId };
}
