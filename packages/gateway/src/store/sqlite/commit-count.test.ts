/* The count finds every loss of commits older than a second, and reports no loss where there is none. */

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { copyDatabase } from '../backup.ts';
import { makeFolder } from '../folder.ts';
import { Journal } from '../journal.ts';
import type { Durability } from '../writer.ts';
import { assertNothingLost, CommitCount, countSuffix, makeCommitCount, readCommitCount } from './commit-count.ts';
import { assertUsable } from './database.ts';

const folder = mkdtempSync(join(tmpdir(), 'morsel-commits-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const fileIn = (dataDir: string) => join(dataDir, 'morsel.db');
const wal = (dataDir: string) => `${fileIn(dataDir)}-wal`;

function open(dataDir: string, isLossAccepted = false): Promise<Journal> {
  const file = fileIn(dataDir);
  return Journal.open({
    place: { kind: 'sqlite', file, isExpected: false, isLossAccepted, masterKey: join(dataDir, 'master-key') },
    onFatal: assert.fail,
    onFault: assert.fail,
  });
}

/** Starts and stops a writing thread. Returns what its start reported. */
async function start(dataDir: string, isLossAccepted = false): Promise<Durability> {
  await using journal = await open(dataDir, isLossAccepted);
  return journal.durability;
}

/** Checks a database as a start does, but without the writing thread. */
function look(dataDir: string): void {
  assertNothingLost(fileIn(dataDir), assertUsable(fileIn(dataDir), false));
}

/** Makes this many commits. */
async function commit(journal: Journal, times: number): Promise<void> {
  for (let at = 1; at <= times; at++) await journal.append<'see-clock'>({ kind: 'see-clock', at, isForced: true });
}

function copyOf(dataDir: string, name: string): string {
  const made = join(folder, name);
  rmSync(made, { recursive: true, force: true });
  cpSync(dataDir, made, { recursive: true });
  return made;
}

/** Waits until the file beside the database has this count. */
function counted(dataDir: string, commits: number): Promise<void> {
  return waitUntil('the commits are counted', () => readCommitCount(fileIn(dataDir)) === commits).then(() => undefined);
}

const lost = /(\d+) acknowledged commits? (?:is|are) missing .*start once with "morsel serve --accept-loss"/;

describe('the count of commits', () => {
  /** The folder as kill -9 leaves it: one commit in the database file, and twelve in the WAL. */
  let killed: string;
  /** The folder after the first commit. */
  let older: string;
  /** The size of the WAL after each commit. */
  const ends: number[] = [];
  before(async () => {
    const dataDir = join(folder, 'running');
    makeFolder(dataDir);
    {
      await using first = await open(dataDir);
      await commit(first, 1);
    }
    older = copyOf(dataDir, 'older');
    await using journal = await open(dataDir);
    for (let each = 0; each < 12; each++) {
      await commit(journal, 1);
      ends.push(statSync(`${fileIn(dataDir)}-wal`).size);
    }
    await counted(dataDir, 13);
    killed = copyOf(dataDir, 'killed');
  });

  it('lets a gateway start after kill -9', async () => {
    const { lostCommits, warnings } = await start(copyOf(killed, 'whole'));
    assert.deepEqual([lostCommits, warnings], [0, []]);
  });

  it('refuses a WAL that is cut anywhere, and changes nothing', () => {
    const size = ends.at(-1) ?? 0;
    const cuts = [0, 31, 33, ends[0] ?? 0, (ends[1] ?? 0) - 1, ends.at(-2) ?? 0, size - 4_096, size - 1];
    for (const cut of cuts) {
      const dataDir = copyOf(killed, 'cut');
      truncateSync(wal(dataDir), cut);
      const octets = octetsIn(dataDir);
      const kept = ends.filter((end) => end <= cut).length;
      assert.throws(
        () => look(dataDir),
        (fault: Error) => Number(lost.exec(fault.message)?.[1]) === 12 - kept,
      );
      assert.ok(octets === octetsIn(dataDir), `the file was changed: cut at ${cut}`);
    }
  });

  const losses: readonly (readonly [what: string, lose: (dataDir: string) => void])[] = [
    ['a WAL that is gone', (dataDir) => rmSync(wal(dataDir))],
    [
      'an older database with its WAL',
      (dataDir) => {
        for (const each of ['morsel.db', 'morsel.db-wal']) rmSync(join(dataDir, each));
        cpSync(fileIn(older), fileIn(dataDir));
      },
    ],
  ];
  for (const [what, lose] of losses) {
    it(`refuses ${what}, unless the operator accepts the loss, which is then forgotten`, async () => {
      const dataDir = copyOf(killed, 'lost');
      lose(dataDir);
      assert.throws(() => look(dataDir), { message: lost });
      {
        await using journal = await open(dataDir, true);
        assert.equal(journal.durability.lostCommits, 12);
        await commit(journal, 1);
      }
      look(dataDir);
      assert.equal(readCommitCount(fileIn(dataDir)), 2);
    });
  }

  it('refuses an empty folder with a count file, whatever the operator accepts', async () => {
    const dataDir = copyOf(killed, 'emptied');
    for (const name of readdirSync(dataDir)) if (!name.endsWith(countSuffix)) rmSync(join(dataDir, name));
    await assert.rejects(start(dataDir, true), { message: /is empty or missing, and its folder holds .* a count/ });
  });

  it('is made again if its file is missing, with a warning, and refused if the file is damaged', async () => {
    const dataDir = copyOf(killed, 'uncounted');
    rmSync(`${fileIn(dataDir)}${countSuffix}`);
    assert.match(String((await start(dataDir)).warnings), /morsel\.db-commits is missing: the gateway makes it anew/);
    assert.deepEqual((await start(dataDir)).warnings, []);
    writeFileSync(`${fileIn(dataDir)}${countSuffix}`, 'x');
    await assert.rejects(start(dataDir), { message: /the count of commits \S+ is damaged/ });
  });

  it('goes into a backup with the value that fits it', async () => {
    const dataDir = copyOf(killed, 'running-on');
    const into = join(folder, 'backup');
    makeFolder(into);
    await using journal = await open(dataDir);
    await commit(journal, 1);
    await copyDatabase({ from: dataDir, into }, () => undefined);
    await commit(journal, 1);
    assert.equal(readCommitCount(fileIn(into)), 14);
    look(into);
  });

  it('is not copied to the backup of a stopped gateway that has lost commits', async () => {
    const dataDir = copyOf(killed, 'stopped');
    rmSync(wal(dataDir));
    const into = join(folder, 'backup-of-stopped');
    makeFolder(into);
    await assert.rejects(
      copyDatabase({ from: dataDir, into }, () => undefined),
      { message: lost },
    );
  });

  it('is the count before or after, if a power cut ends its writing anywhere', () => {
    const file = join(folder, 'torn.db');
    makeCommitCount(file, 5);
    let commits = 5;
    const count = new CommitCount(file, () => commits);
    const name = `${file}${countSuffix}`;
    for (const next of [6, 7, 300]) {
      const last = commits;
      const old = readFileSync(name);
      commits = next;
      count.write();
      const fresh = readFileSync(name);
      assert.equal(readCommitCount(file), next);
      const changed = [...fresh.keys()].filter((at) => fresh[at] !== old[at]);
      assert.ok(changed.length > 0);
      for (const at of changed) {
        for (const [one, other] of [[old, fresh] as const, [fresh, old] as const]) {
          writeFileSync(name, Buffer.concat([one.subarray(0, at), other.subarray(at)]));
          assert.ok([last, next].includes(readCommitCount(file) ?? 0), `torn at ${at}`);
        }
      }
      writeFileSync(name, fresh);
    }
    count.close();
  });
});

function octetsIn(dataDir: string): string {
  return ['morsel.db', 'morsel.db-wal', 'morsel.db-commits']
    .map((name) => readFileSync(join(dataDir, name)).toString('hex'))
    .join();
}
