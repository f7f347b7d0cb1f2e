import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { isFatal } from './faults.ts';

/*
 * The thread that moves pages from the WAL into the database file while groups go on being committed. It never waits for
 * the writer and the writer never waits for it, but for the short rest of a WAL that has grown past its limit: only then
 * is the writer asked to finish the checkpoint between two groups, so that the WAL starts again from its beginning.
 */

/** The WAL has outgrown its limit and is nearly copied: the writer should finish it. */
export interface WalIsLong {
  readonly kind: 'wal-is-long';
}

const intervalMs = 250;

/** Pages of 4 KiB in the WAL beyond which the writer finishes the checkpoint: 64 MiB. */
const walPagesMax = 16_384;

/** Pages below which copying them would only repeat work on pages that change again at once: 4 MiB. */
const walPagesMin = 1_024;

function start(file: string): void {
  const port = parentPort;
  if (!port) throw new Error('this file runs as a worker thread');
  const database = new DatabaseSync(file);
  database.exec('pragma wal_autocheckpoint = 0');
  database.exec('pragma synchronous = full');
  const checkpoint = database.prepare('pragma wal_checkpoint(passive)');
  const probe = database.prepare('pragma wal_checkpoint(noop)');
  const timer = setInterval(() => {
    try {
      if (pagesIn(probe.get()) < walPagesMin) return;
      if (pagesIn(checkpoint.get()) < walPagesMax) return;
    } catch (fault) {
      // No room, or somebody in the way: what is in the WAL is safe there, and the next time may do.
      if (isFatal(fault)) throw fault;
      return;
    }
    const message: WalIsLong = { kind: 'wal-is-long' };
    port.postMessage(message);
  }, intervalMs);
  port.once('message', () => {
    clearInterval(timer);
    database.close();
    port.close();
  });
}

function pagesIn(row: { readonly [column: string]: unknown } | undefined): number {
  return Number(row?.['log'] ?? 0);
}

start(String(workerData));
