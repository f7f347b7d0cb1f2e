/* Starts on data directories that are locked, damaged, incomplete or of another program. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import { start } from '@morsel/cli/running/start.ts';
import { testConfig } from '../support/gateway/gateway.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { HttpClient } from '../support/clients/http-client.ts';
import { runMorsel } from '../support/gateway/run-morsel.ts';
import { StoreFile } from '../support/store/store-file.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Child, program, type ChildOptions } from '../support/gateway/child.ts';

const isFolder = (name: string) => (dataDir: string) => {
  rmSync(join(dataDir, name), { force: true });
  mkdirSync(join(dataDir, name, 'with something in it'), { recursive: true });
};
const isLink = (name: string) => (dataDir: string) => {
  writeFileSync(join(dataDir, 'elsewhere'), '');
  if (existsSync(join(dataDir, name))) renameSync(join(dataDir, name), join(dataDir, 'elsewhere'));
  symlinkSync(join(dataDir, 'elsewhere'), join(dataDir, name));
};

describe('the data directory', { concurrency: true }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'morsel-directory-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** The data directory of a stopped gateway, which tests copy. */
  const whole = join(folder, 'whole');
  before(async () => {
    const started = await start(testConfig(whole));
    assert.ok(started.ok);
    await started.value.stop();
  });

  /** Leaves a data directory as `kill -9` does: with commits that are only in the WAL. */
  const leaveWal = (dataDir: string) => {
    using database = new DatabaseSync(join(whole, 'morsel.db'));
    database.exec('pragma wal_autocheckpoint = 0');
    for (let each = 0; each < 5; each++) database.exec('update node set lease = lease + 128');
    for (const name of ['morsel.db', 'morsel.db-wal']) copyFileSync(join(whole, name), join(dataDir, name));
  };

  it('belongs to one process, and is free as soon as that process has ended, even by kill -9 (P1)', async () => {
    const dataDir = join(folder, 'one');
    await using first = await GatewayProcess.start({ dataDir });
    const port = first.httpPort;
    await using second = new GatewayProcess({ dataDir });
    const { status } = await second.ended;
    assert.equal(status, 1);
    assert.match(second.errors, /another morsel is using .*: stop it first, or set MORSEL_DATA_DIR/);
    assert.doesNotMatch(second.errors, /\n\s+at /, 'a sentence, and no stack');
    const client = new HttpClient(port);
    assert.equal((await client.ask({ path: '/ready' })).status, 200, 'the first one goes on');
    client.close();
    await first.kill();
    await using third = await GatewayProcess.start({ dataDir });
    await third.stop();
  });

  const damageWal = (dataDir: string) => {
    leaveWal(dataDir);
    const file = join(dataDir, 'morsel.db-wal');
    const octets = readFileSync(file);
    octets.writeUInt8(octets.readUInt8(1_000) ^ 1, 1_000);
    writeFileSync(file, octets);
  };

  describe(
    'without a part of its data is refused with a sentence, and no link or listener is started',
    { concurrency: 1 },
    () => {
      const emptied = /the database \S+ is empty or missing, .*: restore a backup, or empty the folder/;
      const rows: readonly (readonly [what: string, alter: (dataDir: string) => void, says: RegExp])[] = [
        ['a bad octet in its WAL', damageWal, /morsel\.db-wal cannot be used: frame 1 is damaged, .*Restore a backup/],
        ['an empty database', (dataDir) => truncateSync(join(dataDir, 'morsel.db')), emptied],
        [
          'a WAL alone',
          (dataDir) => {
            leaveWal(dataDir);
            for (const name of readdirSync(dataDir)) if (name !== 'morsel.db-wal') rmSync(join(dataDir, name));
          },
          emptied,
        ],
        [
          'a database without tables',
          (dataDir) => {
            rmSync(join(dataDir, 'morsel.db'));
            using database = new DatabaseSync(join(dataDir, 'morsel.db'));
            database.exec('pragma journal_mode = wal');
          },
          emptied,
        ],
      ];
      for (const [what, alter, says] of rows) {
        it(what, async () => {
          const dataDir = join(folder, what.replaceAll(' ', '-'));
          cpSync(whole, dataDir, { recursive: true });
          alter(dataDir);
          const names = readdirSync(dataDir);
          const octets = names.map((name) => readFileSync(join(dataDir, name)).toString('hex'));
          assert.match(await refusalOf(dataDir), says);
          const left = names.map((name) => readFileSync(join(dataDir, name)).toString('hex'));
          assert.ok(left.join() === octets.join(), 'nothing was changed');
        });
      }

      it('with commits only in an undamaged WAL is accepted, and the WAL is emptied soon', async () => {
        const dataDir = join(folder, 'killed');
        cpSync(whole, dataDir, { recursive: true });
        leaveWal(dataDir);
        await using gateway = await GatewayProcess.start({ dataDir });
        await waitUntil('an idle gateway has an empty WAL', () => statSync(join(dataDir, 'morsel.db-wal')).size === 0);
        await gateway.kill();
        using store = StoreFile.of(dataDir);
        assert.ok(store.count('select lease / 128 from node') > 5);
      });
    },
  );

  it('that has lost commits is refused until the operator accepts the loss, which the audit log records', async () => {
    const dataDir = join(folder, 'lossy');
    cpSync(whole, dataDir, { recursive: true });
    const older = new DatabaseSync(join(dataDir, 'morsel.db'));
    older.exec('update node set groups = groups - 2');
    older.close();
    assert.match(await refusalOf(dataDir), /2 acknowledged commits are missing in .*: .*"morsel serve --accept-loss"/);
    const check = await runMorsel(['ledger', 'check', '--deep', '--data-dir', dataDir], { dataDir });
    assert.match(check.errors, /2 acknowledged commits are missing/);
    const environment = { MORSEL_DATA_DIR: dataDir };
    await using gateway = await new Child(['serve', '--json', '--accept-loss'], { environment }).untilReady();
    await gateway.stop();
    using store = StoreFile.of(dataDir);
    assert.deepEqual(store.texts('select operation || given from audit_entry'), ['serve.acceptLoss{"lostCommits":2}']);
    const next = await start(testConfig(dataDir));
    assert.ok(next.ok);
    await next.value.stop();
  });

  describe('that the operator set up wrongly is refused with a sentence', { concurrency: 1 }, () => {
    const link =
      /is a symbolic link, and none is followed in a data directory: put the file itself there, or set MORSEL_DATA_DIR/;
    const rows: readonly (readonly [what: string, alter: (dataDir: string) => void, says: RegExp])[] = [
      ['a lock that is a folder', isFolder('lock'), /the lock \S+ cannot be used \(.*\): it must be a file/],
      ['a database that is a folder', isFolder('morsel.db'), /the database \S+ cannot be used: /],
      ['an operator key that is a folder', isFolder('operator-key'), /the operator key \S+ cannot be read: EISDIR/],
      ['an address that is a folder', isFolder('admin-address'), /admin-address\S* cannot be opened: EISDIR/],
      ...['lock', 'morsel.db', 'operator-key'].map((name) => [`a link for ${name}`, isLink(name), link] as const),
      [
        'a database of another program',
        (dataDir) => {
          rmSync(join(dataDir, 'morsel.db'));
          using database = new DatabaseSync(join(dataDir, 'morsel.db'));
          database.exec('create table theirs (x)');
        },
        /morsel\.db is a database of another program, or of Morsel before .*: set MORSEL_DATA_DIR/,
      ],
    ];
    for (const [what, alter, says] of rows) {
      it(what, async () => {
        const dataDir = join(folder, what.replaceAll(' ', '-'));
        cpSync(whole, dataDir, { recursive: true });
        alter(dataDir);
        assert.match(await refusalOf(dataDir), says);
      });
    }

    const asNobody = { uid: 65_534, gid: 65_534 };
    const lowered = {};
    const processes: readonly (readonly [
      what: string,
      shell: string,
      options: Pick<ChildOptions, 'uid' | 'gid'>,
      says: RegExp,
    ])[] = [
      [
        'of another user',
        '',
        asNobody,
        /cannot be used \(EACCES\): run the gateway as the owner of the directory, or set/,
      ],
      [
        'with few descriptors',
        'ulimit -n 100;',
        lowered,
        /may open 100 files and connections, and morsel needs at least/,
      ],
    ];
    for (const [what, shell, options, says] of processes) {
      it(what, async (test) => {
        const canBeOther = process.getuid?.() === 0 && spawnSync('test', ['-r', program], asNobody).status === 0;
        if (options === asNobody && !canBeOther) {
          test.diagnostic('not tried: it needs root, and a checkout that other users can read');
          return;
        }
        const under = ['sh', '-c', `${shell} exec "$@"`, 'sh'];
        const environment = { MORSEL_DATA_DIR: whole };
        const { status, errors } = await new Child(['serve'], { ...options, under, environment }).ended;
        assert.match(errors, says);
        assert.doesNotMatch(errors, /a bug|\n\s+at /);
        assert.equal(status, 1);
      });
    }
  });
});

/** Starts a gateway. Returns the sentence that refuses the start. */
async function refusalOf(dataDir: string): Promise<string> {
  const started = await start(testConfig(dataDir));
  if (started.ok) await started.value.stop();
  assert.ok(!started.ok, 'it started');
  assert.equal(started.error.kind, 'refused');
  return started.error.detail;
}
