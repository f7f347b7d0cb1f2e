import { readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { isBusy } from './sqlite/faults.ts';
import { StoreRefused } from '../state/sealing/refused.ts';

/**
 * Locks the data directory for this process. The kernel holds SQLite's lock on a small file. The lock ends with the
 * process, even after a crash, and a remaining file blocks nobody (P1).
 */
export function lockDataDirectory(folder: string): Disposable {
  const lock = tryLockDataDirectory(folder);
  if (lock) return lock;
  throw new StoreRefused(
    `another morsel is using ${folder}: stop it first, or set MORSEL_DATA_DIR to a folder of its own`,
  );
}

/** Like `lockDataDirectory`, but returns undefined while another process holds the lock. */
export function tryLockDataDirectory(folder: string): Disposable | undefined {
  assertNoLinks(folder);
  const file = join(folder, 'lock');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file, { timeout: 0 });
    lock.exec('pragma journal_mode = memory');
    lock.exec('begin exclusive');
    const held = lock;
    return { [Symbol.dispose]: () => held.close() };
  } catch (fault) {
    lock?.close();
    if (isBusy(fault)) return undefined;
    const said = fault instanceof Error ? fault.message : 'unknown fault';
    throw new StoreRefused(
      `the lock ${file} cannot be used (${said}): it must be a file that this user may write; remove it and start again`,
    );
  }
}

/** A person who may write into the directory could make the gateway read or overwrite any other file of its user. */
function assertNoLinks(folder: string): void {
  const link = readdirSync(folder, { withFileTypes: true }).find((each) => each.isSymbolicLink());
  if (!link) return;
  throw new StoreRefused(
    `${join(folder, link.name)} is a symbolic link, and none is followed in a data directory: put the file itself there, or set MORSEL_DATA_DIR to the folder that has it`,
  );
}
