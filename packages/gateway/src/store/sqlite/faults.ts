import { dirname } from 'node:path';
import { StoreRefused } from '../../state/sealing/refused.ts';

/* The meaning of SQLite's faults, and sentences about them for the operator. */

/** Result codes of SQLite (sqlite.org/rescode.html): the primary code is the low byte. */
const busy = 5;
const readOnly = 8;
const ioError = 10;
const corrupt = 11;
const full = 13;
/** The -shm file could not grow, as on a full disk. SQLite calls it an I/O error, but no data is lost. */
const noShm = 4_874;
const notADatabase = 26;

/** Whether the disk is full or read-only. Commands are refused until there is room (P3). */
export function isNoRoom(fault: unknown): boolean {
  return [full, readOnly].includes(primaryCode(fault)) || codeOf(fault) === noShm;
}

/** Whether the disk can no longer be trusted, as after an I/O error. A failed fsync is never retried (P4). */
export function isFatal(fault: unknown): boolean {
  return (primaryCode(fault) === ioError && codeOf(fault) !== noShm) || isDamage(fault);
}

/** Whether pages of the database are damaged. Then nothing read from it can be trusted. */
export function isDamage(fault: unknown): fault is Error {
  return [corrupt, notADatabase].includes(primaryCode(fault));
}

export function damagedDatabase(file: string, what: string): StoreRefused {
  return new StoreRefused(
    `the database ${file} is damaged (${what}): check the disk, and restore a backup. "morsel ledger check --deep --data-dir ${dirname(file)}" shows whether a copy of the folder is whole`,
  );
}

/** `file` is the database file, if the engine is SQLite. */
export function reasonOfEnd(
  thread: string,
  fault: Error,
  { file }: { readonly kind: string; readonly file?: string },
): string {
  if (file !== undefined && isDamage(fault)) return damagedDatabase(file, fault.message).message;
  // Messages of SQLite have no values of rows. Other messages may have them.
  return `the ${thread} ended: ${'errcode' in fault ? fault.message : fault.name}`;
}

export function isBusy(fault: unknown): boolean {
  return primaryCode(fault) === busy;
}

function primaryCode(fault: unknown): number {
  return codeOf(fault) & 0xff;
}

function codeOf(fault: unknown): number {
  if (!(fault instanceof Error) || !('errcode' in fault) || typeof fault.errcode !== 'number') return 0;
  return fault.errcode;
}
