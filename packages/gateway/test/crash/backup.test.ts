/* `morsel backup` of a running gateway and of a stopped one, and the check of the copy. */

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { copyDatabase, makeBackupFolder } from '../../src/store/backup.ts';
import { answer, dataDir, folder, morsel, running } from '../support/gateway/morsel.ts';
import { alterStore, StoreFile } from '../support/store/store-file.ts';
import type { Child } from '../support/gateway/child.ts';

const pageSize = 4_096;
const modeOf = (path: string) => statSync(path).mode & 0o777;
const balanceIn = (store: StoreFile) => store.count('select balance from account');
const carrier = ['--host', '127.0.0.1', '--port', '1', '--system-id', 'us', '--password', 'x'];
const message = ['--account', 'acme', '--sender', 'Shop', '--receiver', '+41791112233', '--text', 'x'];

describe('morsel backup', () => {
  let gateway: Child;
  before(async () => {
    gateway = await running(['serve']);
    await answer(['carrier', 'add', 'alpha', ...carrier]);
    await answer(['route', 'add', '--prefix', '', '--carrier', 'alpha']);
    await answer(['price', 'set', '--currency', 'EUR', '--prefix', '', '--price', '0.01']);
    await answer(['account', 'add', 'acme', '--currency', 'EUR', '--balance', '1']);
    await answer(['send', ...message]);
  });
  after(() => gateway.stop());

  it('copies all files of a running gateway, readable by their owner only, and checks the copy', async () => {
    const into = join(folder, 'deep', 'backup');
    const { status, out, errors } = await morsel(['backup', into]);
    assert.deepEqual([status, errors], [0, '']);
    assert.match(
      out,
      /^the backup in \S+ is complete, \d+ MiB; its ledger is right: 1 account, 2 entries and 1 message were checked\n$/,
    );
    assert.deepEqual(readdirSync(into).toSorted(), ['master-key', 'morsel.db', 'morsel.db-commits', 'operator-key']);
    assert.equal(modeOf(into), 0o700);
    for (const name of readdirSync(into)) assert.equal(modeOf(join(into, name)), 0o600);
    assert.equal(readFileSync(join(into, 'operator-key'), 'utf8'), readFileSync(join(dataDir, 'operator-key'), 'utf8'));
    assert.equal((await answer(['send', ...message])) !== undefined, true, 'the gateway goes on');
  });

  const refusals: readonly (readonly [what: string, made: (path: string) => void, says: RegExp])[] = [
    [
      'a folder that holds something',
      (path) => cpSync(dataDir, path, { recursive: true }),
      /is not empty: name an empty or a new folder/,
    ],
    ['a file', (path) => writeFileSync(path, ''), /file is not a folder: name an empty or a new folder/],
  ];
  for (const [what, make, says] of refusals) {
    it(`refuses ${what} as its target, and changes nothing in it`, async () => {
      const into = join(folder, what.replaceAll(' ', '-'));
      make(into);
      const { mtimeMs } = statSync(into);
      const { status, errors } = await morsel(['backup', into]);
      assert.equal(status, 1);
      assert.match(errors, says);
      assert.equal(statSync(into).mtimeMs, mtimeMs);
    });
  }

  it('refuses a data directory without a database, and removes what the backup made', async () => {
    const empty = join(folder, 'nothing');
    mkdirSync(empty);
    const above = join(folder, 'of-nothing');
    const into = join(above, 'deep');
    const { status, errors } = await morsel(['backup', into], { dataDir: empty });
    assert.deepEqual([status, existsSync(above)], [1, false]);
    assert.match(errors, /there is no database in /);
    // A target folder that existed before is kept.
    mkdirSync(above);
    assert.equal((await morsel(['backup', into], { dataDir: empty })).status, 1);
    assert.deepEqual(readdirSync(above), []);
    assert.match((await morsel(['backup', into], { dataDir: join(folder, 'missing') })).errors, /no data directory/);
  });

  it('refers to the documentation when the data is in PostgreSQL', async () => {
    const into = join(folder, 'of-postgres');
    // A move to PostgreSQL leaves the file of SQLite in the data directory.
    const environment = { MORSEL_DATABASE_URL: 'postgresql://morsel:secret@127.0.0.1:1/morsel' };
    for (const words of [
      ['backup', into],
      ['ledger', 'check', '--deep'],
    ]) {
      const { status, errors } = await morsel(words, { environment });
      assert.deepEqual([status, existsSync(into)], [1, false]);
      assert.match(
        errors,
        /^morsel: the data is in PostgreSQL, .* is for SQLite: see "Back up .* in docs\/nodes.md\n$/,
      );
      assert.doesNotMatch(errors, /secret/);
    }
    const alone = await morsel(['ledger', 'check'], { environment });
    assert.deepEqual([alone.status, alone.errors], [0, '']);
  });

  describe('of a stopped gateway', () => {
    const stopped = join(folder, 'stopped');
    before(async () => {
      await morsel(['backup', stopped]);
    });

    it('copies a database of another version, too, as before an upgrade', async () => {
      const older = join(folder, 'older');
      cpSync(stopped, older, { recursive: true });
      await alterStore(older, 'pragma user_version = 0');
      const { status, out } = await morsel(['backup', join(folder, 'of-older')], { dataDir: older });
      assert.equal(status, 0);
      assert.match(out, /its pages are whole; its ledger was not checked, because the database is of another version/);
    });

    it('reports faults in the copy, and keeps the copy', async () => {
      const faulty = join(folder, 'faulty');
      cpSync(stopped, faulty, { recursive: true });
      await alterStore(faulty, 'update account set balance = balance + 1');
      const into = join(folder, 'of-faulty');
      const { status, errors } = await morsel(['backup', into], { dataDir: faulty });
      assert.equal(status, 1);
      assert.match(errors, /is an exact copy, but its ledger has faults: see morsel ledger check --data-dir /);
      assert.ok(existsSync(join(into, 'morsel.db')));
    });

    it('makes a copy whose indexes ledger check --deep checks, too', async () => {
      const crooked = join(folder, 'crooked');
      cpSync(stopped, crooked, { recursive: true });
      const file = join(crooked, 'morsel.db');
      using database = new DatabaseSync(file);
      database.exec("create table t (x text); create index i on t (x); insert into t values ('marked')");
      const { rootpage } = database.prepare("select rootpage from sqlite_schema where name = 'i'").get() ?? {};
      database.close();
      // This changes an octet of the index, but leaves the page and its order valid.
      const octets = readFileSync(file);
      const at = octets.indexOf('marked', (Number(rootpage) - 1) * pageSize);
      octets.write('M', at);
      writeFileSync(file, octets);
      const check = ['ledger', 'check', '--data-dir', crooked];
      assert.equal((await morsel(check)).status, 0);
      const said = await morsel([...check, '--deep']);
      assert.equal(said.status, 1);
      assert.match(said.errors, /the database in \S+ is damaged \(row 1 missing from index i\)/);
    });

    it('copies one moment of the database, whatever is committed meanwhile', async () => {
      const busy = join(folder, 'busy');
      const into = join(folder, 'of-busy');
      cpSync(stopped, busy, { recursive: true });
      makeBackupFolder(into);
      using writer = new DatabaseSync(join(busy, 'morsel.db'));
      writer.exec('create table filler (x); insert into filler values (zeroblob(40000000))');
      const seen: number[] = [];
      await copyDatabase({ from: busy, into }, (percent) => {
        seen.push(percent);
        writer.exec('update account set balance = balance + 1');
      });
      assert.ok(seen.length >= 3 && seen.length < 10, `it was not begun anew: ${seen.join(' ')}`);
      using copy = StoreFile.of(into);
      using source = StoreFile.of(busy);
      assert.equal(balanceIn(source), balanceIn(copy) + seen.length);
    });
  });
});
