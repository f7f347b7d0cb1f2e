import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, it } from 'node:test';
import { migrate, openForWriting } from '../../src/store/sqlite/database.ts';
import { writeNewDatabase } from '../support/store/database.ts';
import { Child } from '../support/gateway/child.ts';

/* A migration whose process is killed with kill -9 leaves no change, and is done at the next start. */

const folder = mkdtempSync(join(tmpdir(), 'morsel-migration-'));
after(() => rmSync(folder, { recursive: true }));
const migrations = join(import.meta.dirname, '../../src/store/migrations');

const begin = 'alter table account add column nickname text; update account set nickname = name;';
const end = 'create table nickname (account integer primary key) strict;';
for (const [place, deadly] of [['middle', `${begin} select die(); ${end}`]] as const) {
  it(`a migration killed in its ${place} leaves no change, and is done at the next start`, async () => {
    const file = join(folder, `${place}.db`);
    writeNewDatabase(file);
    const before = schemaOf(file);
    const child = new Child([file, folderWith(`${place}-deadly`, deadly)], {
      file: join(import.meta.dirname, 'migrate-program.ts'),
    });
    const { signal } = await child.ended;
    assert.equal(signal, 'SIGKILL', child.errors + child.out);
    assert.deepEqual(schemaOf(file), before);
    const database = openForWriting(file);
    migrate(database, folderWith(place, `${begin} ${end}`));
    database.close();
    const [version, tables] = schemaOf(file);
    assert.equal(version, before[0] + 1);
    assert.match(tables, /nickname/);
  });
}

/** A folder with the program's migrations, and one more. */
function folderWith(name: string, sql: string): string {
  const made = join(folder, name);
  mkdirSync(made);
  const names = readdirSync(migrations).filter((each) => each.endsWith('.sql'));
  for (const each of names) copyFileSync(join(migrations, each), join(made, each));
  writeFileSync(join(made, `${String(names.length + 1).padStart(4, '0')}-nicknames.sql`), sql);
  return made;
}

function schemaOf(file: string): [version: number, tables: string] {
  using database = new DatabaseSync(file);
  const tables = database.prepare('select sql from sqlite_schema order by name').all();
  return [
    Number(database.prepare('pragma user_version').get()?.['user_version']),
    tables.map(({ sql }) => String(sql)).join('\n'),
  ];
}
