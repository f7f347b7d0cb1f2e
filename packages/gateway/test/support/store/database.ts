import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openForWriting } from '../../../src/store/sqlite/database.ts';

let empty: Uint8Array | undefined;

/**
 * For tests: writes a new database. The migrations take about 40 ms, so they run once in a process; further
 * databases are copies.
 */
export function writeNewDatabase(file: string): void {
  empty ??= migrated();
  writeFileSync(file, empty);
}

function migrated(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'morsel-migrated-'));
  const file = join(folder, 'new.db');
  const database = openForWriting(file);
  // The database is temporary, so no migration needs to wait for the disk.
  database.exec('pragma synchronous = off');
  migrate(database);
  // The last connection moves the WAL into the file.
  database.close();
  const octets = readFileSync(file);
  rmSync(folder, { recursive: true });
  return octets;
}
