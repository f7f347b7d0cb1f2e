/*
 * The thread that writes to SQLite, one group at a time. A stalled fsync stops only this thread: the event loop still
 * answers enquire_link.
 */

import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { markInSqlite, refuseMark } from '../move/mark.ts';
import { threadPort, writeFor, type Clean, type Durability, type FromWriter, type PlaceOf } from '../writer.ts';
import type { FinishCheckpoint } from './checkpoint-thread.ts';
import { StoreRefused } from '../../state/sealing/refused.ts';
import { gatewayKeys } from '../../state/rows/keys.ts';
import { Vault } from '../../state/sealing/vault.ts';
import { encryptionKeyTable } from '../../state/tables/account.ts';
import { assertNothingLost, CommitCount, countSuffix, readCommitCount } from './commit-count.ts';
import { assertUsable, busyTimeoutMs, fullDisk, migrate, openForWriting } from './database.ts';
import { SqliteEngine } from './engine.ts';
import { damagedDatabase, isDamage, isFatal } from './faults.ts';
import { Statements } from './statements.ts';

function start(place: PlaceOf<'sqlite'>): void {
  const port = parentPort;
  if (!port) throw new Error('this file runs as a worker thread');
  const say = (message: FromWriter) => port.postMessage(message);
  const vault = new Vault(place.masterKey);
  const opened = open(place, vault, say);
  if (!opened) return;
  const { database, engine, count, durability } = opened;
  const finishCheckpoint = makeFinish(database);
  writeFor({
    port: threadPort(port),
    engine,
    describe: (fault) => (isDamage(fault) ? damagedDatabase(place.file, fault.message).message : describe(fault)),
    counts: count,
    finishCheckpoint: (message) => {
      finishCheckpoint(message);
      count.write();
    },
    clean: makeClean(database),
    commitDelayMs: place.commitDelayMs,
  });
  say({ kind: 'opened', ...durability });
}

/** Another reader may hold the WAL. Groups wait meanwhile, so the checkpoint is tried again later. */
const finishMaxMs = 10;

function makeFinish(database: DatabaseSync): (message: FinishCheckpoint) => void {
  const statements = {
    restart: database.prepare('pragma wal_checkpoint(restart)'),
    truncate: database.prepare('pragma wal_checkpoint(truncate)'),
  };
  return ({ how }) => {
    database.exec(`pragma busy_timeout = ${finishMaxMs}`);
    try {
      statements[how].get();
    } catch (fault) {
      // If the WAL could not restart now, it is tried again later.
      if (isFatal(fault)) throw fault;
    } finally {
      database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
    }
  };
}

/** Cleans the files. A reader may prevent it; then the caller finds the remains, and tries again. */
function makeClean(database: DatabaseSync): (how: Clean['how']) => void {
  return (how) => {
    try {
      if (how === 'rebuild') {
        // The temporary copy goes to disk, because in memory it could be as large as the database.
        database.exec('pragma temp_store = file');
        database.exec('vacuum');
      }
      database.exec('pragma wal_checkpoint(truncate)');
    } catch (fault) {
      if (isFatal(fault)) throw fault;
    } finally {
      database.exec('pragma temp_store = memory');
    }
  };
}

interface Opened {
  readonly database: DatabaseSync;
  readonly engine: SqliteEngine;
  readonly count: CommitCount;
  readonly durability: Durability;
}

/** Opens the database. If it cannot be used, reports why and returns undefined. */
function open(
  { file, isExpected, isLossAccepted, memoryMib }: PlaceOf<'sqlite'>,
  vault: Vault,
  say: (message: FromWriter) => void,
): Opened | undefined {
  let database: DatabaseSync | undefined;
  try {
    const counted = readCommitCount(file);
    const commits = assertUsable(file, isExpected || (counted ?? 0) > 0);
    const lostCommits = assertNothingLost(file, commits, { isLossAccepted });
    database = openForWriting(file, memoryMib);
    // Without this, a commit torn by a power cut could be followed by newer commits (wal.ts).
    database.exec('pragma wal_checkpoint(truncate)');
    refuseMark(markInSqlite(database), 'sqlite');
    migrate(database);
    vault.check(new Statements(database).find(encryptionKeyTable, 'where account = ?', gatewayKeys));
    const engine = new SqliteEngine(database, { vault, memoryMib });
    const count = new CommitCount(file, () => engine.commits);
    const warnings = counted === undefined && commits > 0 ? [noCount(file)] : [];
    return { database, engine, count, durability: { ...readBack(database), lostCommits, warnings } };
  } catch (fault) {
    database?.close();
    const reason = refusalOf(fault, file);
    if (reason === undefined) throw fault;
    say({ kind: 'refused', reason });
    return undefined;
  }
}

function noCount(file: string): string {
  return `the file ${file}${countSuffix} is missing: the gateway makes it anew, but cannot tell whether the database has lost commits before this start. Copy the whole folder, or use "morsel backup"`;
}

function refusalOf(fault: unknown, file: string): string | undefined {
  if (fault instanceof StoreRefused) return fault.message;
  if (!(fault instanceof Error) || !('errcode' in fault || 'syscall' in fault)) return undefined;
  const full = fullDisk(dirname(file));
  if (full) return full.message;
  return `the database ${file} cannot be used: ${fault.message}. Nothing was changed; restore it from a backup, or correct the permissions of its folder`;
}

/** The names of the values of `pragma synchronous`. With FULL, every commit is on disk before it returns. */
const synchronousWords = ['OFF', 'NORMAL', 'FULL', 'EXTRA'];

function readBack(database: DatabaseSync): Pick<Durability, 'engine' | 'commitSettings'> {
  const journalMode = String(database.prepare('pragma journal_mode').get()?.['journal_mode']);
  const synchronous = Number(database.prepare('pragma synchronous').get()?.['synchronous']);
  const level = synchronousWords[synchronous] ?? String(synchronous);
  return { engine: 'SQLite', commitSettings: `journal_mode ${journalMode}, synchronous ${level}` };
}

/** SQLite's messages name tables and columns, never values. Of other errors, only kind and place are kept. */
function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return 'unknown fault';
  if (fault instanceof StoreRefused) return fault.message;
  const where = fault.stack?.split('\n')[1]?.trim() ?? '';
  return 'errcode' in fault ? `${fault.message} (${where})` : `${fault.name} ${where}`;
}

const place: PlaceOf<'sqlite'> = workerData;
start(place);
