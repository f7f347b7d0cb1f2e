/* Opens the SQLite database for writing or reading, checks that it is ours and whole, and migrates it. */

import { readFileSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { memoryShares } from '../../core/base/memory.ts';
import { migrationsIn } from '../migrations.ts';
import { StoreRefused } from '../../state/sealing/refused.ts';
import { damagedDatabase } from './faults.ts';
import { soleNode } from './start.ts';
import { assertFileWhole, assertWalWhole } from './wal.ts';

const migrationsFolder = join(import.meta.dirname, '..', 'migrations');
/** The application id of the file: `Mors`. The first migration writes it. */
export const applicationId = 0x4d_6f_72_73;
/** How long a connection waits for a lock, which is met only while another one opens or closes the database. */
export const busyTimeoutMs = 200;

/** If a long reader, such as a backup, made the WAL grow, it is cut to this size when it restarts: 16 MiB. */
const walKeptMax = 16 * 1024 * 1024;

/** With fewer free octets the disk counts as full: the -shm file and the first pages of a WAL need more. */
const freeMin = 256 * 1024;

/** The refusal if the disk is full: SQLite reports an I/O error if it cannot make the files beside a database. */
export function fullDisk(folder: string): StoreRefused | undefined {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= freeMin) return undefined;
  return new StoreRefused(`the disk with ${folder} is full: make room and try again. Nothing was lost`);
}

/** Opens the writing connection. A commit is on disk before it returns (`synchronous=FULL`). */
export function openForWriting(file: string, memoryMib?: number): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: false });
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = full');
  // Checkpoints are made in a thread of their own, so that commits do not wait for them.
  database.exec('pragma wal_autocheckpoint = 0');
  database.exec(`pragma journal_size_limit = ${walKeptMax}`);
  database.exec(`pragma cache_size = -${memoryShares(memoryMib).cacheKib}`);
  database.exec('pragma temp_store = memory');
  // Deleted texts and numbers are overwritten with zeros. Without this, they would stay in the free parts of the file.
  database.exec('pragma secure_delete = on');
  return database;
}

/**
 * Refuses damaged files, files of another program, and an empty file where a database is expected (`isExpected`, or a
 * WAL beside it). SQLite would start a new database there and delete the WAL. Call it before the first connection.
 * Returns the number of commits.
 */
export function assertUsable(file: string, isExpected: boolean): number {
  const wal = assertWalWhole(file);
  const isEmpty = sizeOf(file) === 0;
  if (isEmpty && (isExpected || sizeOf(`${file}-wal`) > 0)) throw emptied(file);
  if (isEmpty) return 0;
  assertFileWhole(file, wal);
  using database = new DatabaseSync(file, { readOnly: true });
  if (isOurs(database)) {
    assertRoots(file, database);
    return commitsIn(database);
  }
  const tables = Number(database.prepare('select count(*) as n from sqlite_schema').get()?.['n']);
  if (tables > 0)
    throw new StoreRefused(
      `${file} is a database of another program, or of Morsel before its first release, whose data is not taken over: set MORSEL_DATA_DIR to another folder`,
    );
  if (isExpected) throw emptied(file);
  return 0;
}

function isOurs(database: DatabaseSync): boolean {
  return database.prepare('pragma application_id').get()?.['application_id'] === applicationId;
}

/** Reads the first page of each table and index. Damage in other pages is found when they are read. */
function assertRoots(file: string, database: DatabaseSync): void {
  const typeOfRoot = database.prepare('select pagetype from dbstat where name = ? limit 1');
  for (const { name } of database.prepare('select name from sqlite_schema where rootpage > 0').all()) {
    const { pagetype } = typeOfRoot.get(String(name)) ?? {};
    if (pagetype !== 'leaf' && pagetype !== 'internal')
      throw damagedDatabase(file, `${String(name)} has no first page`);
  }
}

export function commitsIn(database: DatabaseSync): number {
  return Number(database.prepare('select groups from node where id = ?').get(soleNode)?.['groups'] ?? 0);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function emptied(file: string): StoreRefused {
  return new StoreRefused(
    `the database ${file} is empty or missing, and its folder holds an operator key, a WAL or a count of commits, so there was one: restore a backup, or empty the folder to start with an empty database`,
  );
}

export function openForReading(file: string, memoryMib?: number): DatabaseSync {
  using opening = new DisposableStack();
  const database = opening.use(new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly: true }));
  database.exec(`pragma cache_size = -${memoryShares(memoryMib).cacheKib}`);
  database.exec('pragma query_only = 1');
  opening.move();
  return database;
}

/**
 * Each migration runs once, in order, in one transaction with its version, so a kill leaves it done or not begun. A
 * database that is newer than the program is refused unchanged.
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
