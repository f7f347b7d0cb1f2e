import { parentPort, workerData } from 'node:worker_threads';
import { applyGroup } from '../apply.ts';
import type { AnyResult, Command } from '../commands.ts';
import { migrate, openForWriting, StoreRefused } from './database.ts';
import { SqliteEngine } from './engine.ts';

/*
 * The thread that writes. It has one connection, applies one group at a time, and a stalled fsync stops only it: the
 * event loop of the process goes on answering enquire_link.
 */

export type ToWriter =
  | { readonly kind: 'group'; readonly commands: readonly Command[] }
  /** Finish the checkpoint that is nearly done, so that the WAL starts from its beginning. */
  | { readonly kind: 'restart-wal' }
  | { readonly kind: 'close' };

export type FromWriter =
  | { readonly kind: 'opened'; readonly synchronous: number; readonly journalMode: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'applied'; readonly results: readonly AnyResult[]; readonly faults: readonly string[] }
  /** Nothing that was written can be trusted: the process must end. */
  | { readonly kind: 'fatal'; readonly reason: string }
  | { readonly kind: 'closed' };

function start(file: string): void {
  const port = parentPort;
  if (!port) throw new Error('this file runs as a worker thread');
  const say = (message: FromWriter) => port.postMessage(message);
  const database = openForWriting(file);
  try {
    migrate(database);
  } catch (fault) {
    if (!(fault instanceof StoreRefused)) throw fault;
    database.close();
    say({ kind: 'refused', reason: fault.message });
    return;
  }
  const engine = new SqliteEngine(database);
  const restartWal = database.prepare('pragma wal_checkpoint(restart)');
  port.on('message', (message: ToWriter) => {
    if (message.kind === 'close') {
      database.close();
      say({ kind: 'closed' });
      port.close();
      return;
    }
    if (message.kind === 'restart-wal') {
      restartWal.get();
      return;
    }
    const faults: string[] = [];
    try {
      const results = applyGroup(engine, message.commands, (fault) => faults.push(describe(fault)));
      say({ kind: 'applied', results, faults });
    } catch (fault) {
      say({ kind: 'fatal', reason: describe(fault) });
    }
  });
  say({ kind: 'opened', ...readBack(database) });
}

/** What the running connection itself says of its durability. */
function readBack(database: ReturnType<typeof openForWriting>): { synchronous: number; journalMode: string } {
  return {
    synchronous: Number(database.prepare('pragma synchronous').get()?.['synchronous']),
    journalMode: String(database.prepare('pragma journal_mode').get()?.['journal_mode']),
  };
}

/** SQLite's own messages name tables and columns, never values; other errors keep only their kind and place. */
function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return 'unknown fault';
  const where = fault.stack?.split('\n')[1]?.trim() ?? '';
  return 'errcode' in fault ? `${fault.message} (${where})` : `${fault.name} ${where}`;
}

start(String(workerData));
