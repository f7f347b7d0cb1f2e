import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { assertWalWhole, lookInto } from './wal.ts';

/* WAL files that SQLite wrote, with the damage that a power cut or a bad disk can cause. */

const folder = mkdtempSync(join(tmpdir(), 'morsel-wal-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const headerSize = 32;
const pageSize = 512;
const frameSize = 24 + pageSize;
/** The size of a disk sector, whose octets are kept or lost together. */
const sector = 512;

/** The rows of each commit: some commits have one frame, some several. */
const commits = [1, 5, 1, 1, 3, 10];

interface Made {
  readonly database: Buffer;
  /** The WAL after each commit. */
  readonly wals: readonly Buffer[];
  /** The end of each commit's frames in the WAL. */
  readonly ends: readonly number[];
}

/** With `isRestarted`, the WAL was written over the frames of a longer, earlier run. */
function make({ isRestarted }: { readonly isRestarted: boolean }): Made {
  const file = join(folder, isRestarted ? 'restarted.db' : 'made.db');
  using database = new DatabaseSync(file);
  database.exec(`pragma page_size = ${pageSize}; pragma journal_mode = wal; pragma wal_autocheckpoint = 0;
    pragma synchronous = off; create table t (id integer primary key, x text)`);
  const insert = database.prepare('insert into t (x) values (?)');
  const commit = (rows: number) => {
    database.exec('begin');
    for (let row = 0; row < rows; row++) insert.run('x'.repeat(200));
    database.exec('commit');
  };
  const earlier = isRestarted ? 10 : 0;
  for (let each = 0; each < earlier; each++) commit(10);
  database.exec(`delete from t; pragma wal_checkpoint(${isRestarted ? 'restart' : 'truncate'})`);
  const wals = commits.map((rows) => {
    commit(rows);
    return readFileSync(`${file}-wal`);
  });
  return { database: readFileSync(file), wals, ends: wals.map(endOfRun) };
}

/** The end of the frames that have the same salt as the header. */
function endOfRun(wal: Buffer): number {
  const salt = wal.subarray(16, 24);
  let end = headerSize;
  while (end < wal.length && wal.subarray(end + 8, end + 16).equals(salt)) end += frameSize;
  return end;
}

function look(wal: Buffer): ReturnType<typeof lookInto>['damage'] {
  return lookInto({
    size: wal.length,
    read: (into, at) => new Uint8Array(into.buffer).set(wal.subarray(at, at + into.byteLength)),
  }).damage;
}

/** How many rows SQLite finds. SQLite would lose some of them with a WAL that the gateway refuses. */
function rowsIn(database: Buffer, wal: Buffer): number {
  const file = join(folder, 'opened.db');
  for (const name of [file, `${file}-wal`, `${file}-shm`]) rmSync(name, { force: true });
  writeFileSync(file, database);
  writeFileSync(`${file}-wal`, wal);
  using opened = new DatabaseSync(file, { readOnly: true });
  return Number(opened.prepare('select count(*) as n from t').get()?.['n']);
}

const rowsOf = (count: number) => commits.slice(0, count).reduce((sum, rows) => sum + rows, 0);
const plain = make({ isRestarted: false });
const restarted = make({ isRestarted: true });
const last = commits.length - 1;

describe('a WAL that a power cut can leave', () => {
  for (const [name, { database, wals, ends }] of Object.entries({ plain, restarted })) {
    const wal = wals[last] ?? Buffer.of();
    const before = wals[last - 1] ?? Buffer.of();
    const [begin = 0, end = 0] = ends.slice(-2);

    it(`${name}: is complete after each commit`, () => {
      for (const [at, each] of wals.entries()) {
        assert.equal(look(each), undefined);
        assert.equal(rowsIn(database, each), rowsOf(at + 1));
      }
      assert.equal(before.length > end, name === 'restarted', 'frames of the earlier run stand behind');
    });

    it(`${name}: ends anywhere in its last commit`, () => {
      for (let size = begin; size <= end; size++) {
        const torn = Buffer.concat([wal.subarray(0, size), before.subarray(size)]);
        assert.equal(look(torn), undefined);
      }
    });

    it(`${name}: lacks any sectors of its last commit, but has all acknowledged commits`, () => {
      const sectors = Array.from({ length: Math.ceil((end - begin) / sector) }, (_, at) => begin + at * sector);
      assert.ok(sectors.length > 4, 'the last commit has several frames');
      for (let kept = 0; kept < 2 ** sectors.length; kept++) {
        const torn = Buffer.from(wal);
        for (const [at, from] of sectors.entries()) {
          if ((kept >> at) % 2 === 1) continue;
          torn.fill(0, from, Math.min(from + sector, end));
          if (from < before.length) before.copy(torn, from, from, Math.min(from + sector, end));
        }
        assert.equal(look(torn), undefined);
        if (kept % 16 === 0) assert.ok(rowsIn(database, torn) >= rowsOf(last));
      }
    });
  }

  it('is missing, empty, or the beginning of a header', () => {
    assert.equal(assertWalWhole(join(folder, 'missing.db')).pages, undefined);
    for (const size of [0, 7, headerSize])
      assert.equal(look((plain.wals[0] ?? Buffer.of()).subarray(0, size)), undefined);
  });

  it('has frames of a rolled-back commit after its end', () => {
    // These frames have the salt, but their checksums do not continue the frame that was written over.
    const wal = plain.wals[last] ?? Buffer.of();
    const rolledBack = Buffer.concat([wal, wal.subarray(headerSize, headerSize + frameSize * 3)]);
    assert.equal(look(rolledBack), undefined);
  });
});

describe('a WAL with a bad octet', () => {
  const wal = plain.wals[last] ?? Buffer.of();
  const acknowledged = plain.ends[last - 1] ?? 0;
  const flipped = (at: number, flip: number) => {
    const octets = Buffer.from(wal);
    octets[at] = (octets[at] ?? 0) ^ flip;
    return octets;
  };

  it('is refused wherever the octet is, except in the last commit', () => {
    for (let at = 0; at < acknowledged; at++) {
      const damage = look(flipped(at, at % 2 === 0 ? 0x01 : 0xff));
      const frame = at < headerSize ? 0 : 1 + Math.floor((at - headerSize) / frameSize);
      assert.equal(damage?.frame, frame, `octet ${at}`);
    }
  });

  it('is refused if a whole sector of older commits is missing', () => {
    const end = plain.ends[last - 3] ?? 0;
    for (let at = headerSize; at < end; at += sector) {
      const octets = Buffer.from(wal).fill(0, at, Math.min(at + sector, end));
      assert.ok(look(octets), `sector at ${at}`);
    }
  });

  const said: readonly (readonly [bad: number, sentence: RegExp])[] = [
    [
      headerSize + 50,
      /said\.db-wal cannot be used: frame 1 is damaged, .* at least 6 acknowledged commits .* Restore a backup; or/,
    ],
    [3, /its header is damaged, and every commit in it would be undone\. Nothing was changed/],
  ];
  for (const [bad, sentence] of said) {
    it(`is refused with a sentence that says what to do: octet ${bad}`, () => {
      const file = join(folder, 'said.db');
      writeFileSync(`${file}-wal`, flipped(bad, 1));
      assert.throws(() => assertWalWhole(file), { message: sentence });
    });
  }
});
