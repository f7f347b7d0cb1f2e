import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { isFatal } from './faults.ts';

/*
 * Copies pages from the write-ahead log (WAL) into the database file. The WAL is kept short: one bad octet in it loses
 * every commit after the octet (wal.ts). The last step, which restarts the WAL, needs the writer. The writer is asked
 * only when nearly all pages are copied, so that it does not wait for the disk.
 */

/** Asks the writer to finish the checkpoint: `restart` while it is busy, `truncate` while nothing is written. */
export interface FinishCheckpoint {
  readonly kind: 'finish-checkpoint';
  readonly how: CheckpointEnd;
}

/** A restarted WAL keeps its file: overwriting it is faster than growing it. */
export type CheckpointEnd = 'restart' | 'truncate';

const intervalMs = 250;

/** The WAL is emptied after this many looks without a new page in it: one second. */
const idleLooks = 4;

/** Above this many pages of 4 KiB in the WAL, the writer finishes the checkpoint: 8 MiB. */
const walPagesMax = 2_048;

/** Below this many pages nothing is copied, because the same pages would soon change again: 4 MiB. */
const walPagesMin = 1_024;

function start(file: string): void {
  const port = parentPort;
  if (!port) throw new Error('this file runs as a worker thread');
  const database = new DatabaseSync(file);
  database.exec('pragma wal_autocheckpoint = 0');
  database.exec('pragma synchronous = full');
  const checkpoint = database.prepare('pragma wal_checkpoint(passive)');
  const probe = database.prepare('pragma wal_checkpoint(noop)');
  let lastPages = 0;
  let looks = 0;
  const look = (): CheckpointEnd | undefined => {
    const { pages } = walOf(probe.get());
    looks = pages === lastPages ? looks + 1 : 0;
    lastPages = pages;
    const isIdle = looks >= idleLooks;
    if (pages === 0 || (pages < walPagesMin && !isIdle)) return undefined;
    const copied = walOf(checkpoint.get());
    const left = copied.pages - copied.copied;
    if (isIdle) return left === 0 ? 'truncate' : undefined;
    // Pages that a long reader (a backup) still needs cannot be copied, so the writer would wait in vain.
    return copied.pages >= walPagesMax && left < walPagesMin ? 'restart' : undefined;
  };
  let timer: NodeJS.Timeout;
  const turn = () => {
    timer = setTimeout(turn, intervalMs);
    try {
      const how = look();
      if (how === undefined) return;
      const message: FinishCheckpoint = { kind: 'finish-checkpoint', how };
      port.postMessage(message);
    } catch (fault) {
      // The disk is full, or a reader prevents the checkpoint. The WAL is safe, and the next look may succeed.
      if (isFatal(fault)) throw fault;
    }
  };
  timer = setTimeout(turn, intervalMs);
  port.once('message', () => {
    clearTimeout(timer);
    database.close();
    port.close();
  });
}

function walOf(row: { readonly [column: string]: unknown } | undefined): { pages: number; copied: number } {
  return { pages: Number(row?.['log'] ?? 0), copied: Number(row?.['checkpointed'] ?? 0) };
}

start(String(workerData));
