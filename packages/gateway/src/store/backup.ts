import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
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

/** Makes the folder of a backup, for its owner alone; refuses one that holds anything. Gives the folders that were made. */
export function makeBackupFolder(folder: string): readonly string[] {
  try {
    const made = makeFolder(folder);
    if (readdirSync(folder).length > 0) {
      throw new StoreRefused(`the folder ${folder} is not empty: name one that is, or that is not there yet`);
    }
    if ((statSync(folder).mode & others) !== 0) chmodSync(folder, ownerOnlyFolder);
    return made;
  } catch (fault) {
    if (fault instanceof StoreRefused) throw fault;
    if (isThere(fault)) {
      throw new StoreRefused(`${folder} is not a folder: name one that is empty, or that is not there yet`);
    }
    throw new StoreRefused(`the folder ${folder} cannot be used for a backup: ${reasonOf(fault)}`);
  }
}

/** Copies files of the data directory to the backup, for their owner alone; one that is not there is left out. */
export function copyBesides(
  { from, into }: { readonly from: string; readonly into: string },
  names: readonly string[],
): void {
  try {
    for (const name of names.filter((each) => existsSync(join(from, each)))) {
      copyFileSync(join(from, name), join(into, name));
      chmodSync(join(into, name), ownerOnlyFile);
    }
  } catch (fault) {
    throw new StoreRefused(`the backup could not be written to ${into}: ${reasonOf(fault)}`);
  }
}

/** Removes what a backup that failed has left: its files, and the folders that were made for it, if nothing else is in them. */
export function removeBackup(
  into: string,
  { made, names }: { readonly made: readonly string[]; readonly names: readonly string[] },
): void {
  const ours = [...['', '-wal', '-shm', '-journal'].map((suffix) => `${databaseName}${suffix}`), ...names];
  for (const name of ours) rmSync(join(into, name), { force: true });
  for (const folder of made) {
    if (readdirSync(folder).length > 0) return;
    rmdirSync(folder);
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
