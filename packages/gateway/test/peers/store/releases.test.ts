/* This version opens the databases of all releases (test/releases), finds no fault, and continues their work. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { startSimulator } from '@morsel/simulator';
import { version } from '../../../src/runtime/version.ts';
import { masterKeyName } from '../../../src/state/sealing/master-key.ts';
import { openSchema } from '../../../src/store/postgres/migrate.ts';
import { faultsOf, readAnswers } from '../../releases/answers.ts';
import { writeNewDatabase } from '../../support/store/database.ts';
import { startOn, timesOfOneNode } from '../../support/gateway/gateway.ts';
import { toJson } from '../../support/json.ts';
import { connectTo, Postgres, postgresFolder } from '../../support/store/postgres.ts';
import { runMorsel } from '../../support/gateway/run-morsel.ts';
import { meaningInPostgres, meaningInSqlite } from '../../support/store/schema-meaning.ts';
import { TestClock } from '../../support/test-clock.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { needsPostgres } from '../needs.ts';

const releases = join(import.meta.dirname, '..', '..', 'releases');
const versions = readdirSync(releases, { withFileTypes: true }).flatMap((each) =>
  each.isDirectory() ? [each.name] : [],
);
const root = mkdtempSync(join(tmpdir(), 'morsel-releases-'));
after(() => rmSync(root, { recursive: true, force: true }));

describe('the database of', needsPostgres, () => {
  let server: Postgres;
  before(async () => {
    server = await Postgres.start();
  });
  after(() => server[Symbol.asyncDispose]());

  /** Makes the database of a gateway: that of a release, or a new one. Returns the gateway's settings. */
  async function make(name: string, engine: string, dump?: Uint8Array): Promise<Record<string, string>> {
    mkdirSync(join(root, name), { mode: 0o700 });
    if (engine === 'sqlite') {
      const file = join(root, name, 'morsel.db');
      if (dump) writeFileSync(file, dump);
      else writeNewDatabase(file);
      return {};
    }
    const url = await server.makeDatabase('template template0', name);
    const psql = ['-q', '-v', 'ON_ERROR_STOP=1', url];
    if (dump) execFileSync(join(postgresFolder, 'psql'), psql, { input: dump, stdio: ['pipe', 'ignore', 'inherit'] });
    else await openSchema(url);
    return { MORSEL_DATABASE_URL: url };
  }

  async function schemaOf(name: string, engine: string): Promise<readonly string[]> {
    if (engine === 'sqlite') {
      using database = new DatabaseSync(join(root, name, 'morsel.db'), { readOnly: true });
      return meaningInSqlite(database);
    }
    const client = await connectTo(server.folder, name);
    const meaning = await meaningInPostgres(client);
    await client.end();
    return meaning;
  }

  it('the present version is among the kept releases', () => {
    assert.ok(versions.includes(version), `run npm run keep-release`);
  });

  for (const release of versions) {
    for (const engine of ['sqlite', 'postgres']) {
      it(`${release} on ${engine} is opened by this version, which continues its work`, async () => {
        const from = join(releases, release, engine);
        const name = `${release}-${engine}`;
        const dataDir = join(root, name);
        const environment = await make(name, engine, gunzipSync(readFileSync(join(from, 'morsel.gz'))));
        for (const each of [masterKeyName, 'operator-key']) {
          writeFileSync(join(dataDir, each), readFileSync(join(from, each)), { mode: 0o600 });
        }
        const kept = toJson(JSON.parse(readFileSync(join(from, 'answers.json'), 'utf8')));
        const gateway = await startOn(dataDir, {
          environment,
          isHeld: true,
          clock: TestClock.flowing(Number(kept['at'])),
          nodeTimes: timesOfOneNode,
        });
        await using stopping = new AsyncDisposableStack();
        stopping.defer(() => gateway.stop());
        assert.deepEqual(faultsOf(kept['answers'], await readAnswers(gateway, dataDir)), []);
        const run = async (...words: string[]) => {
          const { status, out, errors } = await runMorsel(words, { dataDir });
          assert.equal(status, 0, `${words.join(' ')}: ${errors}${out}`);
          return out;
        };
        for (const check of ['ledger check', 'cdr check', 'audit verify']) await run(...check.split(' '));
        const simulator = await startSimulator({ port: 0 });
        stopping.defer(() => simulator.close());
        await run('carrier', 'set', 'alpha', '--port', String(simulator.port));
        await run('carrier', 'resume', 'alpha');
        await run('resume');
        const waiting = '+41791230002';
        await waitUntil('a message that waited is delivered', async () =>
          (await run('message', 'find', '--receiver', waiting)).includes('delivered'),
        );
        await stopping.disposeAsync();
        await make(`${name}-new`, engine);
        assert.deepEqual(await schemaOf(name, engine), await schemaOf(`${name}-new`, engine));
      });
    }
  }
});
