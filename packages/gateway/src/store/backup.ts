import { chmodSync, closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { backup } from 'node:sqlite';
import { makeFolder } from './folder.ts';
import { isCurrent, StoreRefused } from './sqlite/database.ts';
import { databaseName, withDatabase } from './stopped.ts';

/*
 * Copies the database of a gateway, while it runs or when it is stopped. The copy is one snapshot: the reader keeps its
 * transaction open meanwhile, so that commits go on beside it and are not in the copy. They stay in the WAL until it ends.
 */

const ownerOnlyFolder = 0o700;
const ownerOnlyFile = 0o600;
const others = 0o077;

/** Pages of 4 KiB that are copied between two reports of progress: 10 MiB. */
const pagesAtOnce = 2_560;

/** Makes the folder of a backup, for its owner alone; refuses one that holds anything. */
export function makeBackupFolder(folder: string): void {
  try {
    makeFolder(folder);
    if (readdirSync(folder).length > 0) {
      throw new StoreRefused(`the folder ${folder} is not empty: name one that is, or that is not there yet`);
    }
    if ((statSync(folder).mode & others) !== 0) chmodSync(folder, ownerOnlyFolder);
  } catch (fault) {
    if (fault instanceof StoreRefused) throw fault;
    if (isThere(fault)) {
      throw new StoreRefused(`${folder} is not a folder: name one that is empty, or that is not there yet`);
    }
    throw new StoreRefused(`the folder ${folder} cannot be used for a backup: ${reasonOf(fault)}`);
  }
}

function isThere(fault: unknown): boolean {
  return fault instanceof Error && 'code' in fault && fault.code === 'EEXIST';
}

/** Copies the database in `from` to the empty folder `into`. Throws `StoreRefused` with a sentence, and leaves no copy then. */
export async function copyDatabase(
  { from, into }: { readonly from: string; readonly into: string },
  progress: (percent: number) => void,
): Promise<{ readonly octets: number; readonly isCurrent: boolean }> {
  const target = join(into, databaseName);
  const partial = `${target}.partial`;
  try {
    return await withDatabase(from, { mayRun: true }, async (source) => {
      try {
        closeSync(openSync(partial, 'wx', ownerOnlyFile));
        source.exec('begin');
        source.prepare('select count(*) from sqlite_schema').get();
        await backup(source, partial, {
          rate: pagesAtOnce,
          progress: ({ totalPages, remainingPages }) => progress(Math.floor(100 * (1 - remainingPages / totalPages))),
        });
        source.exec('commit');
        renameSync(partial, target);
        syncFolder(into);
      } catch (fault) {
        throw new StoreRefused(`the backup could not be written to ${into}: ${reasonOf(fault)}`);
      }
      return { octets: statSync(target).size, isCurrent: isCurrent(source) };
    });
  } catch (fault) {
    for (const name of [partial, `${partial}-journal`, target]) rmSync(name, { force: true });
    throw fault;
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return 'unknown fault';
  return 'code' in fault && !('errcode' in fault) ? String(fault.code) : fault.message;
}
