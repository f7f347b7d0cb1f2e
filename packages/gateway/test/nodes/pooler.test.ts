/* A connection pooler in front of PostgreSQL is refused at the start, whatever it pools. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { openSchema } from '../../src/store/postgres/migrate.ts';
import { makeFolder, missing } from '../peers/needs.ts';
import { endsWithUs } from '../support/ends-with-us.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { Postgres, unprivileged } from '../support/store/postgres.ts';
import { waitUntil } from '../support/wait-until.ts';

const program = '/usr/sbin/pgbouncer';
const needed = { skip: missing('postgres', program) };
const port = 6432;

/** PgBouncer with a socket in the folder of the server. */
async function startPooler(postgres: Postgres, mode: string): Promise<AsyncDisposable & { readonly url: string }> {
  const file = join(postgres.folder, `${mode}.ini`);
  const settings = {
    listen_port: port,
    unix_socket_dir: postgres.folder,
    auth_type: 'any',
    pool_mode: mode,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const database = `postgres = host=${postgres.folder} user=morsel`;
  writeFileSync(file, ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'));
  const user = unprivileged();
  if (user) chownSync(file, user.uid, user.gid);
  const pooler = endsWithUs(spawn(program, [file], { ...user, stdio: 'ignore' }));
  await waitUntil('PgBouncer listens', () => existsSync(join(postgres.folder, `.s.PGSQL.${port}`)));
  return {
    url: `postgresql://morsel@localhost:${port}/postgres?host=${encodeURIComponent(postgres.folder)}`,
    [Symbol.asyncDispose]: async () => {
      if (pooler.kill('SIGINT')) await once(pooler, 'exit');
    },
  };
}

const sentence =
  /^a connection pooler, such as PgBouncer, stands before the server, .*: set MORSEL_DATABASE_URL to the server itself$/;

it('PgBouncer is refused in each of its modes, and nothing is written', needed, async () => {
  await using postgres = await Postgres.start();
  for (const mode of ['session', 'transaction', 'statement']) {
    await using pooler = await startPooler(postgres, mode);
    await assert.rejects(openSchema(pooler.url), ({ message }: Error) => sentence.test(message), mode);
  }
  const { rows } = await postgres.query("select to_regclass('morsel_schema') is null");
  assert.deepEqual(rows, [[true]]);
});

it('a node behind PgBouncer ends with the sentence', needed, async () => {
  await using postgres = await Postgres.start();
  await openSchema(postgres.url);
  await using pooler = await startPooler(postgres, 'transaction');
  using folder = makeFolder();
  const environment = { MORSEL_DATABASE_URL: pooler.url, MORSEL_NODE_NAME: 'n1' };
  const node = new GatewayProcess({ dataDir: folder.path, environment });
  await node.ended;
  assert.match(node.errors, /a connection pooler, such as PgBouncer, .*: set MORSEL_DATABASE_URL to the server itself/);
});
