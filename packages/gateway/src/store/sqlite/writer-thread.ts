/*
 * The thread that writes to SQLite, one group at a time. A stalled fsync stops only this thread: the event loop still
 * answers enquire_link.
 */

import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { threadPort, writeFor, type Clean, type FromWriter, type PlaceOf } from '../writer.ts';
import type { FinishCheckpoint } from './checkpoint-thread.ts';
import { StoreRefused } from '../../state/sealing/refused.ts';
import { Vault } from '../../state/sealing/vault.ts';
import { busyTimeoutMs } from './database.ts';
import { damagedDatabase, isDamage, isFatal } from './faults.ts';
import { openToWrite, type Opened } from './open.ts';

function start(place: PlaceOf<'sqlite'>): void {
  const port = parentPort;
  if (!port) throw new Error('this file runs as a worker thread');
  const say = (message: FromWriter) => port.postMessage(message);
  const vault = new Vault(place.masterKey);
  let opened: Opened;
  try {
    opened = openToWrite(place, vault);
  } catch (fault) {
    if (!(fault instanceof StoreRefused)) throw fault;
    say({ kind: 'refused', reason: fault.message });
    return;
  }
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

/** SQLite's messages name tables and columns, never values. Of other errors, only kind and place are kept. */
function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return 'unknown fault';
  if (fault instanceof StoreRefused) return fault.message;
  const where = fault.stack?.split('\n')[1]?.trim() ?? '';
  return 'errcode' in fault ? `${fault.message} (${where})` : `${fault.name} ${where}`;
}

const place: PlaceOf<'sqlite'> = workerData;
start(place);
