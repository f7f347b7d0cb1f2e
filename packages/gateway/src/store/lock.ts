import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { isBusy } from './sqlite/faults.ts';
import { StoreRefused } from './sqlite/database.ts';

/**
 * Takes the data directory for this process. The lock is SQLite's own on a small file, which the kernel holds: it ends
 * with the process however that ends, and a file left behind blocks nobody (P1).
 */
export function lockDataDirectory(folder: string): Disposable {
  const lock = new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
  try {
    lock.exec('pragma journal_mode = memory');
    lock.exec('begin exclusive');
  } catch (fault) {
    lock.close();
    if (!isBusy(fault)) throw new StoreRefused(`the file lock in ${folder} cannot be used: remove it and start again`);
    throw new StoreRefused(
      `another morsel is using ${folder}: stop it first, or set MORSEL_DATA_DIR to a folder of its own`,
    );
  }
  return { [Symbol.dispose]: () => lock.close() };
}
