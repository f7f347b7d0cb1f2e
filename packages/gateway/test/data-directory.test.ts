import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { GatewayProcess } from './gateway-process.ts';
import { HttpClient } from './http-client.ts';
import { StoreFile } from './store-file.ts';

describe('the data directory', { concurrency: true }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'morsel-directory-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('belongs to one process, and to the next one as soon as that is gone, even by kill -9 (P1)', async () => {
    const dataDir = join(folder, 'one');
    await using first = new GatewayProcess({ dataDir });
    const port = await first.ready();
    await using second = new GatewayProcess({ dataDir });
    const { code } = await second.child.ended;
    assert.equal(code, 1);
    assert.match(second.child.errors, /another morsel is using .*: stop it first, or set MORSEL_DATA_DIR/);
    assert.doesNotMatch(second.child.errors, /\n\s+at /, 'a sentence, and no stack');
    const client = new HttpClient(port);
    assert.equal((await client.ask({ path: '/ready' })).status, 200, 'the first one goes on');
    client.close();
    await first.kill();
    await using third = new GatewayProcess({ dataDir });
    await third.ready();
    await third.stop();
  });

  it('of a newer program is refused with a sentence, and left as it is', async () => {
    const dataDir = join(folder, 'newer');
    const gateway = new GatewayProcess({ dataDir });
    await gateway.ready();
    await gateway.stop();
    const database = new DatabaseSync(join(dataDir, 'morsel.db'));
    database.exec('pragma user_version = 4711');
    database.close();
    await using refused = new GatewayProcess({ dataDir });
    const { code } = await refused.child.ended;
    assert.equal(code, 1);
    assert.match(
      refused.child.errors,
      /the database has version 4711 and this program knows versions up to \d+: run the newer program/,
    );
    assert.doesNotMatch(refused.child.errors, /\n\s+at /, 'a sentence, and no stack');
    using store = StoreFile.of(dataDir);
    assert.deepEqual(store.texts('pragma user_version'), ['4711']);
    assert.deepEqual(store.texts('select lease from node'), ['1']);
  });

  it('with something else in place of the database is refused with a sentence', async () => {
    const dataDir = join(folder, 'other');
    const gateway = new GatewayProcess({ dataDir });
    await gateway.ready();
    await gateway.stop();
    writeFileSync(
      join(dataDir, 'morsel.db'),
      'This is no database, and is longer than the header of one would be. '.repeat(100),
    );
    await using refused = new GatewayProcess({ dataDir });
    const { code } = await refused.child.ended;
    assert.equal(code, 1);
    assert.doesNotMatch(refused.child.errors, /\n\s+at /, `a sentence, and no stack: ${refused.child.errors}`);
  });
});
