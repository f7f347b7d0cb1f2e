import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const migrationsFolder = join(import.meta.dirname, '..', 'migrations');
/** Nobody else writes; what the writing connection may meet is a reader's short snapshot when the WAL starts again. */
const busyTimeoutMs = 200;

/** Pages of 4 KiB that each connection keeps in memory: 64 MiB. */
const cacheKib = 64 * 1024;

/** The database cannot be used, for a reason that a person can act on: the message says what to do. */
export class StoreRefused extends Error {}

/** Opens the connection that writes: WAL, and a commit is on disk before it returns (`synchronous=FULL`). */
export function openForWriting(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: false });
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = full');
  // Checkpoints run in a thread of their own, off the path of a commit.
  database.exec('pragma wal_autocheckpoint = 0');
  database.exec(`pragma cache_size = -${cacheKib}`);
  database.exec('pragma temp_store = memory');
  return database;
}

export function openForReading(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly: true });
  database.exec(`pragma cache_size = -${cacheKib}`);
  database.exec('pragma query_only = 1');
  return database;
}

/**
 * Brings the schema up to what this program knows: each file of migrations/ once, in the order of its number, each in a
 * transaction of its own. A database that is newer than the program is refused untouched.
 */
export function migrate(database: DatabaseSync): void {
  const files = readdirSync(migrationsFolder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted();
  const present = Number(database.prepare('pragma user_version').get()?.['user_version'] ?? 0);
  if (present > files.length) {
    throw new StoreRefused(
      `the database has version ${present} and this program knows versions up to ${files.length}: run the newer program that wrote it`,
    );
  }
  for (const [index, name] of files.entries()) {
    if (index < present) continue;
    database.exec('begin immediate');
    database.exec(readFileSync(join(migrationsFolder, name), 'utf8'));
    database.exec(`pragma user_version = ${index + 1}`);
    database.exec('commit');
  }
}
