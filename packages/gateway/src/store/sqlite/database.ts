/* Opens the SQLite database for writing or reading, checks that it is ours, and migrates it. */

import { readFileSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrationsIn } from '../migrations.ts';
import { StoreRefused } from '../refused.ts';

const migrationsFolder = join(import.meta.dirname, '..', 'migrations');
/** `Mors`: the first migration writes it into the file. */
const applicationId = 0x4d_6f_72_73;
/** Only one connection writes. A lock is met only while another connection opens or closes the database. */
export const busyTimeoutMs = 200;

/** Pages of 4 KiB that each connection caches: 64 MiB. */
const cacheKib = 64 * 1024;

/** A WAL that grew beside a long reader, such as a backup, is cut to this size when it restarts: 16 MiB. */
const walKeptMax = 16 * 1024 * 1024;

/** Free octets below which the disk counts as full: fewer than the -shm file and the first pages of a WAL need. */
const freeMin = 256 * 1024;

/**
 * The sentence for a database that could not be opened because its disk is full. SQLite reports an I/O error when it
 * cannot make the files beside a database.
 */
export function fullDisk(folder: string): StoreRefused | undefined {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= freeMin) return undefined;
  return new StoreRefused(`the disk with ${folder} is full: make room and try again. Nothing was lost`);
}

/** Opens the writing connection. A commit is on disk before it returns (`synchronous=FULL`). */
export function openForWriting(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: false });
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = full');
  // Checkpoints run in their own thread, off the path of a commit.
  database.exec('pragma wal_autocheckpoint = 0');
  database.exec(`pragma journal_size_limit = ${walKeptMax}`);
  database.exec(`pragma cache_size = -${cacheKib}`);
  database.exec('pragma temp_store = memory');
  // Deleted texts and numbers are overwritten with zeros. Otherwise they would stay in the free parts of the file.
  database.exec('pragma secure_delete = on');
  return database;
}

/**
 * Refuses an empty file where a database was (`isExpected`, or a WAL beside it): SQLite would silently start a new
 * database in it and delete the WAL. Also refuses a database of another program. Call it before the first connection.
 */
export function assertOursOrNew(file: string, isExpected: boolean): void {
  const isEmpty = sizeOf(file) === 0;
  if (isEmpty && (isExpected || sizeOf(`${file}-wal`) > 0)) throw emptied(file);
  if (isEmpty) return;
  using database = new DatabaseSync(file, { readOnly: true });
  const application = database.prepare('pragma application_id').get()?.['application_id'];
  if (application === applicationId) return;
  const tables = Number(database.prepare('select count(*) as n from sqlite_schema').get()?.['n']);
  if (tables > 0)
    throw new StoreRefused(
      `${file} is a database of another program, or of Morsel before its first release, whose data is not taken over: set MORSEL_DATA_DIR to another folder`,
    );
  if (isExpected) throw emptied(file);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function emptied(file: string): StoreRefused {
  return new StoreRefused(
    `the database ${file} is empty or missing, and its folder holds an operator key or a WAL, so there was one: restore a backup, or empty the folder to start with an empty database`,
  );
}

export function openForReading(file: string): DatabaseSync {
  using opening = new DisposableStack();
  const database = opening.use(new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly: true }));
  database.exec(`pragma cache_size = -${cacheKib}`);
  database.exec('pragma query_only = 1');
  opening.move();
  return database;
}

/**
 * Migrates the schema to this program's version. Each migration runs once, in the order of the numbers, in one
 * transaction with its version, so a kill leaves it done or not begun. A database that is newer than the program is
 * refused unchanged.
 */
export function migrate(database: DatabaseSync, folder = migrationsFolder): void {
  const names = migrationsIn(folder);
  const present = versionOf(database);
  if (present > names.length) {
    throw new StoreRefused(
      `the database has version ${present} and this program knows versions up to ${names.length}: run the newer program that wrote it, or restore an older backup`,
    );
  }
  for (const [index, name] of names.entries()) {
    const version = index + 1;
    if (version > present) migrateTo(database, version, readFileSync(join(folder, name), 'utf8'));
  }
}

function migrateTo(database: DatabaseSync, version: number, sql: string): void {
  database.exec('begin immediate');
  try {
    database.exec(sql);
    database.exec(`pragma user_version = ${version}`);
    database.exec('commit');
  } catch (fault) {
    if (database.isTransaction) database.exec('rollback');
    throw fault;
  }
}

/** Refuses a database of another version, where it cannot be migrated. */
export function assertCurrent(database: DatabaseSync): void {
  if (isCurrent(database)) return;
  const known = migrationsIn(migrationsFolder).length;
  const present = versionOf(database);
  const what = present < known ? 'start the gateway on it once' : 'run the newer program that wrote it';
  throw new StoreRefused(`the database has version ${present} and this program reads version ${known}: ${what}`);
}

export function isCurrent(database: DatabaseSync): boolean {
  return versionOf(database) === migrationsIn(migrationsFolder).length;
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.['user_version'] ?? 0);
}
