/** Result codes of SQLite (sqlite.org/rescode.html): the primary code is the low byte. */
const busy = 5;
const readOnly = 8;
const ioError = 10;
const corrupt = 11;
const full = 13;
const notADatabase = 26;

/** The disk is full or read-only. Refuse, and go on when there is room (P3). */
export function isNoRoom(fault: unknown): boolean {
  return [full, readOnly].includes(primaryCode(fault));
}

/** After an I/O error the content of the disk is unknown. A failed fsync is never retried (P4). */
export function isFatal(fault: unknown): boolean {
  return [ioError, corrupt, notADatabase].includes(primaryCode(fault));
}

/** Another connection holds the lock. */
export function isBusy(fault: unknown): boolean {
  return primaryCode(fault) === busy;
}

function primaryCode(fault: unknown): number {
  if (!(fault instanceof Error) || !('errcode' in fault) || typeof fault.errcode !== 'number') return 0;
  return fault.errcode & 0xff;
}
