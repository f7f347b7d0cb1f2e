import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Command } from '../../src/store/commands.ts';
import { Journal } from '../../src/store/journal.ts';
import { PostgresEngine } from '../../src/store/postgres/engine.ts';
import { openSchema } from '../../src/store/postgres/migrate.ts';
import { missing } from '../peers/needs.ts';
import { Postgres, postgresFolder } from '../support/postgres.ts';

const skip = missing(`${postgresFolder}/postgres`);

async function isDone(engine: PostgresEngine, command: Command): Promise<boolean | undefined> {
  return (await engine.apply([command])).results[0]?.ok;
}

it('a node begins although another one has just taken over its former run', { skip }, async () => {
  await using postgres = await Postgres.start();
  await openSchema(postgres.url);
  const open = (name: string) => PostgresEngine.open({ url: postgres.url, name });
  const begin = { kind: 'begin', at: Date.now() } as const;
  const [first, other] = [await open('n1'), await open('n2')];
  for (const each of [first, other]) assert.ok(await isDone(each, begin));
  const again = await open('n1');
  assert.ok(await isDone(other, { ...begin, kind: 'take-over', node: 4, lease: 4 + 128 }));
  assert.ok(await isDone(again, begin));
  for (const each of [first, other, again]) await each.close();
});

it('a new name gets the number of the node that ended first, if no number is free', { skip }, async () => {
  await using postgres = await Postgres.start();
  await openSchema(postgres.url);
  await postgres.query(`insert into member (node, name, is_stopped, renewed_at)
    select number, 'pod-' || number, number % 2 = 0, now() - interval '1 minute' * (200 - number) from generate_series(4, 127) as number`);
  const engine = await PostgresEngine.open({ url: postgres.url, name: 'pod-new' });
  assert.ok(await isDone(engine, { kind: 'begin', at: Date.now() }));
  const { rows } = await postgres.query("select node, name from member where name in ('pod-4', 'pod-new')");
  assert.deepEqual(rows, [['4', 'pod-new']]);
  await engine.close();
  await postgres.query('update member set is_stopped = false');
  await assert.rejects(PostgresEngine.open({ url: postgres.url, name: 'pod-late' }), /124 nodes that ran today/);
});

const end = () => assert.fail('it did not open');

it('a database that cannot be used is refused with its name, the reason and what to do', { skip }, async () => {
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
      /the user guest may not make tables in the database postgres/,
    ],
    [`postgresql://reader:secret@localhost/postgres?${host}`, /cannot be used \(25006\): it is read-only/],
  ];
  for (const [url, reason] of cases) {
    const opening = Journal.open({ place: { kind: 'postgres', url, name: 'n1' }, onFatal: end, onFault: end });
    await assert.rejects(opening, ({ message }: Error) => reason.test(message) && !message.includes('secret'), url);
  }
});
