/* Starts on databases that are damaged or cut. */

import assert from 'node:assert/strict';
import { closeSync, copyFileSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { writeNewDatabase } from '../../../test/support/store/database.ts';
import { assertUsable, openForWriting } from './database.ts';

const folder = mkdtempSync(join(tmpdir(), 'morsel-damage-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const pageSize = 4_096;

function newFile(name: string): string {
  const file = join(folder, name);
  writeNewDatabase(file);
  return file;
}

const pages = () => statSync(newFile('sizes.db')).size / pageSize;

/** The first page of a table or an index, from 1. */
function rootOf(file: string, name: string): number {
  using database = new DatabaseSync(file, { readOnly: true });
  return Number(database.prepare('select rootpage from sqlite_schema where name = ?').get(name)?.['rootpage']);
}

/** Overwrites a page, as another program or a bad disk may do. */
function spoil(file: string, page: number): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(pageSize, 0x55), 0, pageSize, (page - 1) * pageSize);
  closeSync(descriptor);
}

describe('a start', () => {
  it('refuses a database file that was cut anywhere', () => {
    for (const cut of [pageSize + 1, 5 * pageSize, pages() * pageSize - 1]) {
      const file = newFile('cut.db');
      truncateSync(file, cut);
      assert.throws(() => assertUsable(file, true), {
        message: /is damaged \(it has \d+ pages, and page \d+ is missing\)/,
      });
    }
  });

  it('refuses a cut database file although its WAL has commits, but takes it if the WAL has the missing pages', () => {
    const file = newFile('grown.db');
    using database = openForWriting(file);
    database.exec('create table t (x); insert into t values (zeroblob(40000)); create table other (x)');
    const killed = join(folder, 'killed.db');
    copyFileSync(`${file}-wal`, `${killed}-wal`);
    // A crash during a checkpoint may leave the file without any of the pages that the WAL has.
    database.exec('pragma wal_checkpoint(passive)');
    const before = pages();
    const whole = statSync(file).size / pageSize;
    assert.ok(whole > before + 10);
    for (let kept = whole; kept >= before - 1; kept--) {
      copyFileSync(file, killed);
      truncateSync(killed, kept * pageSize);
      if (kept >= before) assert.doesNotThrow(() => assertUsable(killed, true), `${kept} pages`);
      else assert.throws(() => assertUsable(killed, true), { message: /page \d+ is missing/ });
    }
  });

  it('refuses a database with a wrong header, or without the first page of a table or an index', () => {
    const headers: readonly (readonly [at: number, octet: number])[] = [
      [0, 0x00],
      [16, 0x03],
      [18, 0x07],
      [19, 0x00],
      [56, 0x02],
    ];
    for (const [at, octet] of headers) {
      const file = newFile('header.db');
      const descriptor = openSync(file, 'r+');
      writeSync(descriptor, Buffer.of(octet), 0, 1, at);
      closeSync(descriptor);
      assert.throws(() => assertUsable(file, true), `octet ${at}`);
    }
    for (const name of ['message', 'entry', 'part_deadline']) {
      const file = newFile('roots.db');
      spoil(file, rootOf(file, name));
      assert.throws(() => assertUsable(file, true), { message: new RegExp(`is damaged \\(.*${name}|malformed`) });
    }
  });
});
