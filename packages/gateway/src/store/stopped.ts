/* Reads the database of a gateway that does not run, for commands such as `ledger check` and `backup`. */

import { closeSync, existsSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { lockDataDirectory, tryLockDataDirectory } from './lock.ts';
import { Reader } from './reader.ts';
import { assertCurrent, fullDisk, openForReading, StoreRefused } from './sqlite/database.ts';
import { isFatal } from './sqlite/faults.ts';
import { assertWalWhole } from './sqlite/wal.ts';
import type { ViewAnswer, ViewInput, ViewName } from './views/views.ts';

export const databaseName = 'morsel.db';
/** What SQLite and we make beside a database to read it. */
const besides = [`${databaseName}-shm`, `${databaseName}-wal`, 'lock'];

interface Looking {
  /** Pages, indexes and rows are compared with each other, too: some times as long. */
  readonly isDeep?: boolean;
  /** Also beside a gateway that runs on the folder. */
  readonly mayRun?: boolean;
}

/**
 * Reads the database of a gateway that does not run: meanwhile none can start on it, and the folder, which may be a backup,
 * is left as it was. Throws `StoreRefused` with a sentence for the operator, also for what is damaged or is none of ours.
 */
export async function readStopped<T>(
  folder: string,
  read: (ask: AskView) => Promise<T>,
  looking: Pick<Looking, 'isDeep'> = {},
): Promise<T> {
  return withDatabase(folder, {}, async (database) => {
    assertCurrent(database);
    assertWhole(folder, database, looking);
    // The thread below has a cache of its own.
    database.exec('pragma shrink_memory');
    let reason = 'it cannot be read';
    const hear = (said: string) => {
      reason = said;
    };
    const options = { file: join(folder, databaseName), heapMaxMib, onFault: hear, onFatal: hear };
    await using reader = new Reader(options);
    return await read(async (view, input) => {
      const asked = await reader.ask(view, input);
      if (asked.ok) return asked.value;
      throw damaged(folder, reason);
    });
  });
}

type AskView = <V extends ViewName>(view: V, input: ViewInput<V>) => Promise<ViewAnswer<V>>;

/**
 * Heap of the thread that reads. Node lets a heap grow with what a process has done; with a limit the check of a large ledger
 * takes no more memory than that of a small one. A chunk of it needs some 10 MiB.
 */
const heapMaxMib = 64;

/** Compares every page and index of a database of any version; throws `StoreRefused` where they do not agree. */
export function checkPages(folder: string, { mayRun = false }: Pick<Looking, 'mayRun'> = {}): Promise<void> {
  return withDatabase(folder, { mayRun }, async (database) => assertWhole(folder, database, { isDeep: true }));
}

/** Opens a database of ours for reading, of any version, without a look at its pages; otherwise as `readStopped`. */
export async function withDatabase<T>(
  folder: string,
  { mayRun = false }: Pick<Looking, 'mayRun'>,
  use: (database: DatabaseSync) => Promise<T>,
): Promise<T> {
  const file = join(folder, databaseName);
  if (!existsSync(file)) throw new StoreRefused(`there is no database in ${folder}`);
  assertSqlite(folder, file);
  using opened = new DisposableStack();
  const made = besides.filter((name) => !existsSync(join(folder, name)));
  const lock = mayRun ? tryLockDataDirectory(folder) : lockDataDirectory(folder);
  if (lock) {
    opened.use(lock);
    // While the lock is still held, so that it is not taken from somebody else.
    opened.defer(() => made.forEach((name) => rmSync(join(folder, name), { force: true })));
    assertWalWhole(file);
  }
  try {
    const database = opened.adopt(openForReading(file), (each) => each.close());
    assertOurs(folder, database);
    return await use(database);
  } catch (fault) {
    if (isFatal(fault)) throw fullDisk(folder) ?? damaged(folder, fault instanceof Error ? fault.message : '');
    throw fault;
  }
}

/** The first octets of every database (sqlite.org/fileformat.html, 1.3). */
const magic = 'SQLite format 3\0';

function assertSqlite(folder: string, file: string): void {
  const begin = Buffer.alloc(magic.length);
  try {
    const descriptor = openSync(file, 'r');
    try {
      readSync(descriptor, begin);
    } finally {
      closeSync(descriptor);
    }
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unreadable';
    throw new StoreRefused(`the database in ${folder} cannot be read: ${code}`);
  }
  if (begin.toString('latin1') !== magic) throw foreign(folder);
}

/** Tables that were there from the first version on. */
const ourTables = ['node', 'account', 'entry', 'message', 'part'];

function assertOurs(folder: string, database: DatabaseSync): void {
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
  const names = new Set(tables.map((row) => row['name']));
  if (!ourTables.every((name) => names.has(name))) throw foreign(folder);
}

/** Pages, rows and the types in them; what they say is for others to look at. It reads the whole file once. */
function assertWhole(folder: string, database: DatabaseSync, { isDeep = false }: Looking): void {
  const check = isDeep ? 'integrity_check' : 'quick_check';
  const found = Object.values(database.prepare(`pragma ${check}(1)`).get() ?? {})[0];
  if (found !== 'ok') throw damaged(folder, String(found));
}

function foreign(folder: string): StoreRefused {
  return new StoreRefused(
    `the database in ${folder} is not one of morsel: name the folder with --data-dir that has one`,
  );
}

function damaged(folder: string, what: string): StoreRefused {
  const said = what.replaceAll(/\s+/g, ' ').trim();
  return new StoreRefused(
    `the database in ${folder} is damaged (${said}): take a copy of it from before, and start no gateway on this one`,
  );
}
