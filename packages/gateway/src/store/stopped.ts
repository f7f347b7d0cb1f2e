/* Reads the database of a stopped gateway, for commands such as `ledger check` and `backup`. */

import { closeSync, existsSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { faultCode } from '../core/base/fault-code.ts';
import { lockDataDirectory, tryLockDataDirectory } from './lock.ts';
import { Reader } from './reader.ts';
import { StoreRefused } from '../state/sealing/refused.ts';
import { masterKeyName } from '../state/sealing/master-key.ts';
import { assertNothingLost } from './sqlite/commit-count.ts';
import { assertCurrent, commitsIn, fullDisk, openForReading } from './sqlite/database.ts';
import { isFatal, isNoRoom } from './sqlite/faults.ts';
import { assertWalWhole } from './sqlite/wal.ts';
import type { ViewAnswer, ViewInput, ViewName } from './views/views.ts';

export const databaseName = 'morsel.db';
/** Files that a read of the database makes beside it. */
const besides = [`${databaseName}-shm`, `${databaseName}-wal`, 'lock'];

interface Looking {
  /** Also compares pages, indexes and rows with each other, which takes several times as long. */
  readonly isDeep?: boolean;
  /** Allows the read while a gateway runs on the folder. */
  readonly mayRun?: boolean;
}

/**
 * Reads the database of a stopped gateway. No gateway can start on it during the read. The folder, which may be a
 * backup, is left unchanged. Throws `StoreRefused` with a sentence for the operator, also for a database that is
 * damaged or not ours.
 */
export async function readStopped<T>(
  folder: string,
  read: (ask: AskView) => Promise<T>,
  looking: Pick<Looking, 'isDeep'> = {},
): Promise<T> {
  return withDatabase(folder, {}, async (database) => {
    assertCurrent(database);
    assertWhole(folder, database, looking);
    if (looking.isDeep === true) assertNothingLost(join(folder, databaseName), commitsIn(database));
    // The cache of this connection is freed, because the reading thread has its own.
    database.exec('pragma shrink_memory');
    let refusal = damaged(folder, 'it cannot be read');
    const options = {
      place: {
        kind: 'sqlite',
        file: join(folder, databaseName),
        isExpected: true,
        masterKey: join(folder, masterKeyName),
      } as const,
      heapMaxMib,
      onFault: (reason: string) => void (refusal = damaged(folder, reason)),
      onFatal: (reason: string) => void (refusal = new StoreRefused(reason)),
    };
    await using reader = new Reader(options);
    return await read(async (view, input) => {
      const asked = await reader.ask(view, input);
      if (asked.ok) return asked.value;
      throw refusal;
    });
  });
}

type AskView = <V extends ViewName>(view: V, input: ViewInput<V>) => Promise<ViewAnswer<V>>;

/**
 * Heap of the reading thread. Without a limit, Node's heap would grow with the ledger that is checked. A chunk needs
 * some 10 MiB.
 */
const heapMaxMib = 64;

/** Compares every page and index of a database of any version. Throws `StoreRefused` if they do not agree. */
export function checkPages(folder: string, { mayRun = false }: Pick<Looking, 'mayRun'> = {}): Promise<void> {
  return withDatabase(folder, { mayRun }, async (database) => assertWhole(folder, database, { isDeep: true }));
}

/** Opens a database of any version for reading, without a check of its pages; otherwise like `readStopped`. */
export async function withDatabase<T>(
  folder: string,
  { mayRun = false }: Pick<Looking, 'mayRun'>,
  use: (database: DatabaseSync, isStopped: boolean) => Promise<T>,
): Promise<T> {
  const file = join(folder, databaseName);
  if (!existsSync(file)) throw new StoreRefused(`there is no database in ${folder}`);
  assertSqlite(folder, file);
  using opened = new DisposableStack();
  const made = besides.filter((name) => !existsSync(join(folder, name)));
  const lock = mayRun ? tryLockDataDirectory(folder) : lockDataDirectory(folder);
  if (lock) {
    opened.use(lock);
    // The files are removed while the lock is held, so that none is of another process.
    opened.defer(() => made.forEach((name) => rmSync(join(folder, name), { force: true })));
    assertWalWhole(file);
  }
  try {
    const database = opened.adopt(openForReading(file), (each) => each.close());
    assertOurs(folder, database);
    return await use(database, lock !== undefined);
  } catch (fault) {
    if (isNoRoom(fault)) throw fullDisk(folder) ?? fault;
    if (isFatal(fault)) throw fullDisk(folder) ?? damaged(folder, fault instanceof Error ? fault.message : '');
    throw fault;
  }
}

/** The first octets of every database (sqlite.org/fileformat.html, 1.3). */
const magic = 'SQLite format 3\0';

function assertSqlite(folder: string, file: string): void {
  const begin = Buffer.alloc(magic.length);
  try {
    using opened = new DisposableStack();
    readSync(opened.adopt(openSync(file, 'r'), closeSync), begin);
  } catch (fault) {
    const code = faultCode(fault, 'unreadable');
    throw new StoreRefused(`the database in ${folder} cannot be read: ${code}`);
  }
  if (begin.toString('latin1') !== magic) throw foreign(folder);
}

/** Tables that exist since the first version. */
const ourTables = ['node', 'account', 'entry', 'message', 'part'];

function assertOurs(folder: string, database: DatabaseSync): void {
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
  const names = new Set(tables.map((row) => row['name']));
  if (!ourTables.every((name) => names.has(name))) throw foreign(folder);
}

/** Checks pages, rows and the types of values, but not their meaning. It reads the whole file once. */
function assertWhole(folder: string, database: DatabaseSync, { isDeep = false }: Looking): void {
  const check = isDeep ? 'integrity_check' : 'quick_check';
  const found = Object.values(database.prepare(`pragma ${check}(1)`).get() ?? {})[0];
  if (found !== 'ok') throw damaged(folder, String(found));
}

function foreign(folder: string): StoreRefused {
  return new StoreRefused(
    `the database in ${folder} does not belong to morsel: name the data directory with --data-dir`,
  );
}

function damaged(folder: string, what: string): StoreRefused {
  const said = what.replaceAll(/\s+/g, ' ').trim();
  return new StoreRefused(
    `the database in ${folder} is damaged (${said}): restore an older copy of it, and start no gateway on this one`,
  );
}
