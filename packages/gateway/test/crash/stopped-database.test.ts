/* `morsel ledger check --data-dir` on copies of a database, whole and damaged. */

import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, it } from 'node:test';
import { answer, dataDir, folder, morsel, served } from '../support/gateway/morsel.ts';

/** The size of a database page in octets. */
const pageSize = 4_096;

/** Makes a folder with a copy of the database, which `alter` changes. */
function copy(name: string, alter: (file: string) => void): string {
  const made = join(folder, name);
  mkdirSync(made);
  const file = join(made, 'morsel.db');
  copyFileSync(join(dataDir, 'morsel.db'), file);
  alter(file);
  return made;
}

describe('ledger check --data-dir', () => {
  before(async () => {
    const gateway = await served();
    await answer(['price', 'set', '--currency', 'EUR', '--prefix', '', '--price', '0.01']);
    for (let each = 0; each < 5; each++) {
      await answer(['account', 'add', `a${each}`, '--currency', 'EUR', '--balance', '1']);
    }
    await gateway.stop();
  });

  it('reads a copy of a database, and leaves no other file beside it', async () => {
    const made = copy('backup', () => undefined);
    const octets = readFileSync(join(made, 'morsel.db'));
    const { status, errors } = await morsel(['ledger', 'check', '--data-dir', made]);
    assert.deepEqual([status, errors], [0, '']);
    assert.deepEqual(readdirSync(made), ['morsel.db']);
    assert.deepEqual(readFileSync(join(made, 'morsel.db')), octets);
  });

  const foreign = /^morsel: the database in \S+ does not belong to morsel: [^\n]*\n$/;
  const damaged = /^morsel: the database in \S+ is damaged \([^\n]*\n$/;
  const cases: readonly (readonly [name: string, alter: (file: string) => void, expected: RegExp])[] = [
    ['garbage', (file) => writeFileSync(file, 'This is no database. '.repeat(1_000)), foreign],
    [
      'foreign',
      (file) => {
        writeFileSync(file, '');
        const database = new DatabaseSync(file);
        database.exec('create table t (x); pragma user_version = 3');
        database.close();
      },
      foreign,
    ],
    ['truncated', (file) => truncateSync(file, 10 * pageSize), damaged],
    [
      'overwritten',
      (file) => {
        const octets = readFileSync(file);
        for (let page = 1; page * pageSize < octets.length; page += 2) {
          octets.fill(0xa5, page * pageSize, (page + 1) * pageSize);
        }
        writeFileSync(file, octets);
      },
      damaged,
    ],
  ];
  for (const [name, alter, expected] of cases) {
    it(`names the fault of a database that is ${name} in a sentence`, async () => {
      const made = copy(name.replaceAll(' ', '-'), alter);
      const { status, errors } = await morsel(['ledger', 'check', '--data-dir', made]);
      assert.equal(status, 1);
      assert.match(errors, expected);
      assert.doesNotMatch(errors, /start the gateway/);
      const json = await morsel(['ledger', 'check', '--json', '--data-dir', made]);
      assert.match(json.errors, /^\{"type":"[^"]+","title":"[^"]+","detail":"the database in [^\n]*\}\n$/);
      assert.deepEqual(readdirSync(made), ['morsel.db']);
    });
  }
});
