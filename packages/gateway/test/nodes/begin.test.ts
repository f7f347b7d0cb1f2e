import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { toMessageId } from '../../src/core/base/message-id.ts';
import type { Command } from '../../src/state/commands.ts';
import { Journal } from '../../src/store/journal.ts';
import { PostgresEngine } from '../../src/store/postgres/engine.ts';
import { openSchema } from '../../src/store/postgres/migrate.ts';
import { needsPostgres } from '../peers/needs.ts';
import { Postgres } from '../support/store/postgres.ts';
import { Cable } from './cable.ts';
import { testMasterKey, testVault } from '../support/store/vault.ts';

async function isDone(engine: PostgresEngine, command: Command): Promise<boolean | undefined> {
  return (await engine.apply([command])).results[0]?.ok;
}

it('a node starts although another node has just taken over the work of its former run', needsPostgres, async () => {
  await using postgres = await Postgres.start();
  await openSchema(postgres.url);
  const open = (name: string) => PostgresEngine.open({ vault: testVault, url: postgres.url, name });
  const begin = { kind: 'begin', at: Date.now() } as const;
  const [first, other] = [await open('n1'), await open('n2')];
  for (const each of [first, other]) assert.ok(await isDone(each, begin));
  const again = await open('n1');
  assert.ok(await isDone(other, { ...begin, kind: 'take-over', node: 4, lease: 4 + 128 }));
  assert.ok(await isDone(again, begin));
  for (const each of [first, other, again]) await each.close();
});

it('a new name gets the number of the node that ended first, if no number is free', needsPostgres, async () => {
  await using postgres = await Postgres.start();
  await openSchema(postgres.url);
  await postgres.query(`insert into member (node, name, is_stopped, renewed_at)
    select number, 'pod-' || number, number % 2 = 0, now() - interval '1 minute' * (200 - number) from generate_series(4, 127) as number`);
  const engine = await PostgresEngine.open({ vault: testVault, url: postgres.url, name: 'pod-new' });
  assert.ok(await isDone(engine, { kind: 'begin', at: Date.now() }));
  const { rows } = await postgres.query("select node, name from member where name in ('pod-4', 'pod-new')");
  assert.deepEqual(rows, [['4', 'pod-new']]);
  await engine.close();
  await postgres.query('update member set is_stopped = false');
  await assert.rejects(
    PostgresEngine.open({ vault: testVault, url: postgres.url, name: 'pod-late' }),
    /124 nodes that ran today/,
  );
});

const end = (reason: string) => assert.fail(reason);

it('a database that cannot be used is refused with its name, the reason and what to do', needsPostgres, async () => {
  await using postgres = await Postgres.start();
  for (const sql of [
    'create role guest login',
    'create role reader login superuser',
    'alter role reader set default_transaction_read_only = on',
  ])
    await postgres.query(sql);
  const host = `host=${encodeURIComponent(postgres.folder)}`;
  const cases: readonly (readonly [url: string, reason: RegExp])[] = [
    [
      'postgresql://morsel:secret@127.0.0.1:1/x',
      /database x at 127.0.0.1:1 cannot be used \(ECONNREFUSED\): no server/,
    ],
    [
      `postgresql://morsel:secret@localhost/none?${host}`,
      /database none at \S+ cannot be used \(3D000\): there is no such/,
    ],
    [
      `postgresql://guest:secret@localhost/postgres?${host}`,
      /the user guest may not make tables in the database postgres: .*\(alter database postgres owner to guest\)/,
    ],
    [`postgresql://reader:secret@localhost/postgres?${host}`, /cannot be used \(25006\): it is read-only/],
  ];
  for (const [url, reason] of cases) {
    const opening = Journal.open({
      place: { kind: 'postgres', url, name: 'n1', masterKey: testMasterKey },
      onFatal: end,
      onFault: end,
    });
    await assert.rejects(opening, ({ message }: Error) => reason.test(message) && !message.includes('secret'), url);
  }
});

it('while the database is silent, clients are refused, and other commands are done later', needsPostgres, async () => {
  await using postgres = await Postgres.start();
  await using cable = await Cable.open({ path: join(postgres.folder, '.s.PGSQL.5432') });
  const away = Promise.withResolvers<void>();
  const place = {
    kind: 'postgres',
    url: `postgresql://morsel@127.0.0.1:${cable.port}/postgres`,
    name: 'n1',
    masterKey: testMasterKey,
  } as const;
  const onAway = (isAway: boolean) => isAway && away.resolve();
  const journal = await Journal.open({ place, onFatal: end, onFault: end, onAway });
  await journal.append<'begin'>({ kind: 'begin', at: Date.now() });
  cable.silence();
  const underWay = journal.append<'see-clock'>({ kind: 'see-clock', at: Date.now(), isForced: false });
  // Commands of the group that is under way would wait, too.
  await away.promise;
  const cancel = { kind: 'cancel', at: Date.now(), account: 1, message: toMessageId(1) } as const;
  const [behind, later] = [
    journal.append<'cancel'>(cancel),
    journal.append<'see-clock'>({ kind: 'see-clock', at: Date.now(), isForced: false }),
  ];
  const refusedAs = await behind;
  assert.equal(!refusedAs.ok && refusedAs.error.code, 'unavailable');
  cable.restore();
  assert.ok((await underWay).ok && (await later).ok);
  await journal[Symbol.asyncDispose]();
});
