import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { backup } from 'node:sqlite';
import { faultCode } from '../core/base/fault-code.ts';
import { makeFolder, syncFolder } from './folder.ts';
import { StoreRefused } from '../state/sealing/refused.ts';
import { assertNothingLost, countSuffix, makeCommitCount } from './sqlite/commit-count.ts';
import { commitsIn, isCurrent } from './sqlite/database.ts';
import { databaseName, withDatabase } from './stopped.ts';

/*
 * Copies the database of a running or stopped gateway. The copy is one snapshot: it holds a read transaction open.
 * Commits during the copy are not part of it; they stay in the WAL until the copy ends.
 */

const ownerOnlyFolder = 0o700;
const ownerOnlyFile = 0o600;
const others = 0o077;

/** Pages of 4 KiB copied between two progress reports: 10 MiB. */
const pagesAtOnce = 2_560;

/**
 * Makes the folder of a backup, readable by its owner only. Refuses a folder that is not empty. Returns the folders
 * that it made.
 */
export function makeBackupFolder(folder: string): readonly string[] {
  try {
    const made = makeFolder(folder);
    if (readdirSync(folder).length > 0) {
      throw new StoreRefused(`the folder ${folder} is not empty: name an empty or a new folder`);
    }
    if ((statSync(folder).mode & others) !== 0) chmodSync(folder, ownerOnlyFolder);
    return made;
  } catch (fault) {
    if (fault instanceof StoreRefused) throw fault;
    if (isThere(fault)) {
      throw new StoreRefused(`${folder} is not a folder: name an empty or a new folder`);
    }
    throw new StoreRefused(`the folder ${folder} cannot be used for a backup: ${reasonOf(fault)}`);
  }
}

/** Copies files of the data directory into the backup, readable by their owner only. Missing files are skipped. */
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

/** Removes the files of a failed backup, and the folders made for it if they are empty. */
export function removeBackup(
  into: string,
  { made, names }: { readonly made: readonly string[]; readonly names: readonly string[] },
): void {
  const ours = [...['', '-wal', '-shm', '-journal', countSuffix].map((suffix) => `${databaseName}${suffix}`), ...names];
  for (const name of ours) rmSync(join(into, name), { force: true });
  for (const folder of made) {
    if (readdirSync(folder).length > 0) return;
    rmdirSync(folder);
  }
}

function isThere(fault: unknown): boolean {
  return faultCode(fault) === 'EEXIST';
}

/**
 * Copies the database in `from` to the empty folder `into`. On a failure it throws `StoreRefused` with a sentence for
 * the operator, and leaves no copy.
 */
export async function copyDatabase(
  { from, into }: { readonly from: string; readonly into: string },
  progress: (percent: number) => void,
): Promise<{ readonly octets: number; readonly isCurrent: boolean }> {
  const target = join(into, databaseName);
  const partial = `${target}.partial`;
  try {
    return await withDatabase(from, { mayRun: true }, async (source, isStopped) => {
      // The count file of a running gateway is newer than what is read here, so it is compared only if none runs.
      if (isStopped) assertNothingLost(join(from, databaseName), commitsIn(source));
      try {
        closeSync(openSync(partial, 'wx', ownerOnlyFile));
        source.exec('begin');
        const commits = commitsIn(source);
        await backup(source, partial, {
          rate: pagesAtOnce,
          progress: ({ totalPages, remainingPages }) => progress(Math.floor(100 * (1 - remainingPages / totalPages))),
        });
        source.exec('commit');
        renameSync(partial, target);
        makeCommitCount(target, commits);
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

function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return 'unknown fault';
  return 'code' in fault && !('errcode' in fault) ? String(fault.code) : fault.message;
}
