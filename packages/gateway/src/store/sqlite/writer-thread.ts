import type { AnyResult, Command } from '../commands.ts';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { applyGroup } from '../apply.ts';
import type { Engine } from '../apply.ts';
import type { ListenEvent, NotificationNews } from '../tables/notification.ts';
import type { CheckpointEnd, FinishCheckpoint } from './checkpoint-thread.ts';
import { assertOursOrNew, busyTimeoutMs, fullDisk, migrate, openForWriting, StoreRefused } from './database.ts';
import { packResults, unpack } from '../packed.ts';
import type { Packed, PackedResults } from '../packed.ts';
import { SqliteEngine } from './engine.ts';
import { isFatal } from './faults.ts';
import { assertWalWhole } from './wal.ts';

/*
 * The thread that writes. It has one connection and applies one group at a time. A stalled fsync stops only this
 * thread: the event loop goes on answering enquire_link.
 */

export type ToWriter =
  | { readonly kind: 'group'; readonly commands: Packed<Command> }
  | FinishCheckpoint
  /** Report events of these accounts, and no others. */
  | { readonly kind: 'listen'; readonly accounts: readonly number[] }
  | { readonly kind: 'close' };

export type FromWriter =
  | { readonly kind: 'opened'; readonly synchronous: number; readonly journalMode: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'applied';
      readonly results: PackedResults<AnyResult>;
      readonly faults: readonly string[];
      /** Why the disk took nothing; null if it did. */
      readonly noRoom: string | null;
      readonly news: readonly NotificationNews[];
      readonly listenEvents: readonly ListenEvent[];
    }
  /** The data on disk cannot be trusted: the process must end. */
  | { readonly kind: 'fatal'; readonly reason: string }
  | { readonly kind: 'closed' };

export interface WriterData {
  readonly file: string;
  /** A database is expected: an empty file is refused. */
  readonly isExpected: boolean;
}

function start({ file, isExpected }: WriterData): void {
  const port = parentPort;
  if (!port) throw new Error('this file runs as a worker thread');
  const say = (message: FromWriter) => port.postMessage(message);
  const database = open({ file, isExpected }, say);
  if (!database) return;
  const engine = new SqliteEngine(database);
  const finish = makeFinish(database);
  const handle = async (message: ToWriter): Promise<void> => {
    switch (message.kind) {
      case 'group':
        say(await applied(engine, unpack(message.commands)));
        return;
      case 'finish-checkpoint':
        finish(message.how);
        return;
      case 'listen':
        engine.listen(message.accounts);
        return;
      case 'close':
        await engine.close();
        say({ kind: 'closed' });
        port.close();
    }
  };
  let last = Promise.resolve();
  port.on('message', (message: ToWriter) => {
    // One after the other: nothing comes between the statements of a group.
    last = last
      .then(() => handle(message))
      .catch((fault: unknown) => {
        // A WAL that could not restart now does so another time.
        if (message.kind === 'finish-checkpoint' && !isFatal(fault)) return;
        say({ kind: 'fatal', reason: describe(fault) });
      });
  });
  say({ kind: 'opened', ...readBack(database) });
}

/** Applies a group. The answer has its results, and what others have to know of it. */
async function applied(engine: Engine, commands: readonly Command[]): Promise<FromWriter> {
  const faults: string[] = [];
  let noRoom: string | null = null;
  const news: NotificationNews[] = [];
  const listenEvents: ListenEvent[] = [];
  const results = await applyGroup(engine, commands, {
    fault: (fault) => faults.push(describe(fault)),
    noRoom: (fault) => (noRoom = describe(fault)),
    applied: (rows) => {
      news.push(...rows.news.values());
      listenEvents.push(...rows.listenEvents);
    },
  });
  return { kind: 'applied', results: packResults(results), faults, noRoom, news, listenEvents };
}

/**
 * A reader holds the WAL for one snapshot. Groups wait meanwhile, so it is tried for this long and then again later.
 */
const finishMaxMs = 10;

function makeFinish(database: DatabaseSync): (how: CheckpointEnd) => void {
  const statements = {
    restart: database.prepare('pragma wal_checkpoint(restart)'),
    truncate: database.prepare('pragma wal_checkpoint(truncate)'),
  };
  return (how) => {
    database.exec(`pragma busy_timeout = ${finishMaxMs}`);
    try {
      statements[how].get();
    } finally {
      database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
    }
  };
}

/** Opens the database for groups. If it cannot be used, reports why and returns undefined. */
function open({ file, isExpected }: WriterData, say: (message: FromWriter) => void): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    assertWalWhole(file);
    assertOursOrNew(file, isExpected);
    database = openForWriting(file);
    // Otherwise a commit torn by a power cut could stay behind newer commits (wal.ts).
    database.exec('pragma wal_checkpoint(truncate)');
    migrate(database);
    return database;
  } catch (fault) {
    database?.close();
    const reason = refusalOf(fault, file);
    if (reason === undefined) throw fault;
    say({ kind: 'refused', reason });
    return undefined;
  }
}

/** A sentence for the operator about a file that SQLite or the system cannot use. */
function refusalOf(fault: unknown, file: string): string | undefined {
  if (fault instanceof StoreRefused) return fault.message;
  if (!(fault instanceof Error) || !('errcode' in fault || 'syscall' in fault)) return undefined;
  const full = fullDisk(dirname(file));
  if (full) return full.message;
  return `the database ${file} cannot be used: ${fault.message}. Nothing was changed; restore it from a backup, or correct the permissions of its folder`;
}

/** The durability settings that the connection reports. */
function readBack(database: DatabaseSync): { synchronous: number; journalMode: string } {
  return {
    synchronous: Number(database.prepare('pragma synchronous').get()?.['synchronous']),
    journalMode: String(database.prepare('pragma journal_mode').get()?.['journal_mode']),
  };
}

/** SQLite's messages name tables and columns, never values. Of other errors only the kind and the place are kept. */
function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return 'unknown fault';
  const where = fault.stack?.split('\n')[1]?.trim() ?? '';
  return 'errcode' in fault ? `${fault.message} (${where})` : `${fault.name} ${where}`;
}

const data: WriterData = workerData;
start(data);
