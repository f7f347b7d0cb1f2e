/* TLS to PostgreSQL: `sslmode` and the files in the URL have the same meaning as for PostgreSQL's own clients. */

import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { PostgresConnection } from '../../src/store/postgres/wire/connection.ts';
import { whyUnusable } from '../../src/store/postgres/wire/unusable.ts';
import { Authority } from '../peers/smpp/certificates.ts';
import { missing } from '../peers/needs.ts';
import { Postgres, unprivileged } from '../support/store/postgres.ts';
import { waitUntil } from '../support/wait-until.ts';

const needed = { skip: missing('postgres', 'openssl') };

/** A loopback address for this process alone, because the port is always 5432. */
const address = `127.${(process.pid % 200) + 20}.${(process.pid >> 8) % 250}.2`;

/** Whether the connection has TLS, or why there is none. */
async function connected(url: string): Promise<string> {
  try {
    const connection = await PostgresConnection.open(url);
    const [[[ssl] = []] = []] = await connection.send([
      { text: 'select ssl from pg_stat_ssl where pid = pg_backend_pid()' },
    ]);
    await connection.close();
    return String(ssl) === 'true' ? 'TLS' : 'plain';
  } catch (fault) {
    return whyUnusable(url, fault);
  }
}

it('each sslmode means what PostgreSQL means by it, and a fault gets a sentence', needed, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'morsel-pg-tls-'));
  const [ours, other] = [new Authority(folder, 'ours'), new Authority(folder, 'other')];
  const [server, client] = [ours.issue('localhost'), ours.issue('morsel')];
  const user = unprivileged();
  chmodSync(folder, 0o755);
  if (user) chownSync(server.keyFile, user.uid, user.gid);
  chmodSync(server.keyFile, 0o600);
  const files = [
    `ssl_cert_file=${server.certFile}`,
    `ssl_key_file=${server.keyFile}`,
    `ssl_ca_file=${ours.own.certFile}`,
  ];
  const listening = ['fsync=off', 'autovacuum=off', `listen_addresses=${address}`];
  const to = (query: string) => connected(`postgresql://morsel@${address}/postgres${query}`);
  {
    await using withTls = await Postgres.start({ settings: [...listening, 'ssl=on', ...files] });
    const root = `sslrootcert=${ours.own.certFile}`;
    const rows: readonly (readonly [query: string, ends: string | RegExp])[] = [
      ['', 'plain'],
      ['?sslmode=disable', 'plain'],
      ['?sslmode=allow', 'plain'],
      ['?sslmode=prefer', 'TLS'],
      ['?sslmode=require', 'TLS'],
      [`?sslmode=require&${root}`, 'TLS'],
      [`?sslmode=require&sslrootcert=${other.own.certFile}`, /cannot be used \(\w+\): .* not signed by the authority/],
      [`?sslmode=prefer&sslrootcert=${other.own.certFile}`, 'plain'],
      ['?sslmode=verify-ca', /sslmode=verify-ca .* needs the file of the authority/],
      [`?sslmode=verify-ca&${root}`, 'TLS'],
      [`?sslmode=verify-ca&sslrootcert=${other.own.certFile}`, /not signed by the authority/],
      [`?sslmode=verify-full&${root}`, /the certificate of the server is for another host/],
      ['?sslmode=verify-full&sslrootcert=system', /not signed by the authority/],
      [`?sslmode=require&sslcert=${client.certFile}&sslkey=${client.keyFile}`, 'TLS'],
      [`?sslmode=require&sslcert=${client.certFile}&sslkey=${server.certFile}`, /must be PEM/],
      ['?sslmode=require&sslrootcert=/none', /the file of sslrootcert in MORSEL_DATABASE_URL cannot be read: \/none/],
      ['?sslmode=on', /sslmode of MORSEL_DATABASE_URL must be disable, allow/],
    ];
    for (const [query, ends] of rows) {
      const end = await to(query);
      if (typeof ends === 'string') assert.equal(end, ends, query);
      else assert.match(end, ends, query);
    }
    // The server accepts only connections with TLS.
    writeFileSync(join(withTls.folder, 'data', 'pg_hba.conf'), 'local all all trust\nhostssl all all all trust\n');
    await withTls.query('select pg_reload_conf()');
    await waitUntil('only TLS is let in', async () => (await to('?sslmode=disable')).includes('(28000)'));
    assert.equal(await to('?sslmode=allow'), 'TLS');
  }
  await using withoutTls = await Postgres.start({ settings: listening });
  assert.deepEqual((await withoutTls.query('show ssl')).rows, [['off']]);
  assert.equal(await to('?sslmode=prefer'), 'plain');
  assert.match(await to('?sslmode=require'), /the server has no TLS: set up TLS/);
  rmSync(folder, { recursive: true, force: true });
});
