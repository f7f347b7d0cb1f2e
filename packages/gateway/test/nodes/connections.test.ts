/* The connections of a node to PostgreSQL when they fail, and what other nodes see of it. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { NodeMembers } from '../../src/store/postgres/members.ts';
import { openSchema } from '../../src/store/postgres/migrate.ts';
import { startOfNode } from '../../src/store/postgres/start.ts';
import { PostgresConnection, reconnectPauseMs } from '../../src/store/postgres/wire/connection.ts';
import { Reader } from '../../src/store/reader.ts';
import { needsPostgres } from '../peers/needs.ts';
import { connectTo, Postgres } from '../support/store/postgres.ts';
import { testMasterKey } from '../support/store/vault.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Cable } from './cable.ts';

const backends = "from pg_stat_activity where application_name like 'morsel%'";

async function countOf(postgres: Postgres): Promise<number> {
  const { rows } = await postgres.query(`select count(*) ${backends}`);
  return Number(rows[0]?.[0]);
}

it('a read that failed or was canceled leaves no connection behind', needsPostgres, async () => {
  await using postgres = await Postgres.start();
  await openSchema(postgres.url);
  // Within a transaction, pg_stat_activity would not change.
  const locker = await connectTo(postgres.folder);
  const faults: string[] = [];
  const place = { kind: 'postgres', url: postgres.url, name: 'n1', masterKey: testMasterKey } as const;
  await using reader = new Reader({ place, onFatal: assert.fail, onFault: (fault) => faults.push(fault) });
  for (let read = 1; read <= 12; read++) {
    await locker.query('begin; lock table account');
    const answer = reader.ask('account.list', { limit: 10, now: Date.now(), caller: '' });
    const cancel = `select pg_cancel_backend(pid) ${backends} and wait_event_type = 'Lock'`;
    await waitUntil('the read waits', async () => (await postgres.query(cancel)).rows.length > 0);
    assert.equal((await answer).ok, false);
    await locker.query('rollback');
  }
  assert.deepEqual(new Set(faults), new Set(['57014']));
  assert.ok((await reader.ask('account.list', { limit: 10, now: Date.now(), caller: '' })).ok);
  await waitUntil('one connection is left', async () => (await countOf(postgres)) === 1);
  await locker.end();
});

it('simultaneous queries of a node without a connection share one new connection', needsPostgres, async () => {
  await using postgres = await Postgres.start();
  await openSchema(postgres.url);
  const members = new NodeMembers({ url: postgres.url, name: 'n1', node: 4, lease: 4, release: '1.0.0' });
  const ask = () => members.calls.unanswered(1);
  await Promise.all([ask(), ask(), ask()]);
  assert.equal(await countOf(postgres), 1);
  await members.close();
});

it(
  'a node is ended only while it has no connection, and if it has not renewed its lease since',
  needsPostgres,
  async () => {
    await using postgres = await Postgres.start();
    await openSchema(postgres.url);
    const [n1, n2] = [await joined(postgres, 'n1'), await joined(postgres, 'n2')];
    const renew = async () => (await n1.renew(ownState, [], [])).isOwn;
    const look = async () => (await n2.watch.look()).leases[0] ?? assert.fail('n1 is there');
    const cut = async () => {
      await postgres.query(
        "select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = 'morsel n1'",
      );
      await waitUntil('its lock is free', async () => !(await look()).isLocked);
    };
    const first = await look();
    assert.deepEqual([first.name, first.isLocked, first.isEnded], ['n1', true, false]);
    assert.equal(await n2.watch.end({ ...first, isLocked: false }), false, 'it is connected');
    await cut();
    await waitUntil('it is connected again', () => renew().catch(() => undefined));
    assert.equal((await look()).isLocked, true);
    const seen = await look();
    assert.ok(await renew());
    await cut();
    assert.equal(await n2.watch.end(seen), false, 'it has renewed its lease');
    assert.equal(await n2.watch.end(await look()), true);
    await waitUntil('it finds out', () =>
      renew().then(
        (isOwn) => !isOwn,
        () => false,
      ),
    );
    assert.equal((await look()).isEnded, true);
    await n1.close();
    await n2.close();
  },
);

const ownState = { settings: 1, boundLinks: [], sessions: 0, clockOffMs: 0 };

async function joined({ url }: Postgres, name: string): Promise<NodeMembers> {
  await using connection = await PostgresConnection.open(url);
  const { id, lease } = (await startOfNode(connection, name)).node;
  const members = new NodeMembers({ url, name, node: id, lease, release: '1.0.0' });
  await members.join();
  return members;
}

it('pauses between attempts to connect grow up to 2 s, and differ by chance', () => {
  const pauses = [0, 1, 4, 5, 1_000].map((tries) => [0, 1].map((chance) => reconnectPauseMs(tries, chance)));
  assert.deepEqual(pauses, [
    [50, 100],
    [100, 200],
    [800, 1_600],
    [1_000, 2_000],
    [1_000, 2_000],
  ]);
});

it(
  'while the database does not answer, queries are refused without an attempt to connect for each query',
  needsPostgres,
  async () => {
    await using postgres = await Postgres.start();
    await using cable = await Cable.open({ path: join(postgres.folder, '.s.PGSQL.5432') });
    cable.cut();
    const url = `postgresql://morsel@127.0.0.1:${cable.port}/postgres`;
    const place = { kind: 'postgres', url, name: 'n1', masterKey: testMasterKey } as const;
    await using reader = new Reader({ place, onFatal: assert.fail, onFault: assert.fail });
    for (let question = 1; question <= 100; question++) {
      assert.equal((await reader.ask('account.list', { limit: 10, now: Date.now(), caller: '' })).ok, false);
    }
    assert.ok(cable.calls < 50, `${cable.calls} attempts`);
  },
);
