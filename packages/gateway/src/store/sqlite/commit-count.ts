import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { faultCode } from '../../core/base/fault-code.ts';
import { syncFolder } from '../folder.ts';
import { StoreRefused } from '../../state/sealing/refused.ts';
import { stopwatchMs } from '../stopwatch.ts';

/*
 * The count of commits, in a file of its own beside the database. SQLite does not notice that its WAL was cut or
 * deleted, or that the database was replaced by an older copy. So each commit increases a count in the row of the node,
 * and the file has this count of at most a second ago. The file is written after the commits that it counts. So the
 * database has fewer commits than the file only if commits were lost.
 *
 * The file has two slots, which take turns. A power cut damages at most the slot that was being written. The other slot
 * has the count before it.
 */

/** The ending that is added to the database's file name. */
export const countSuffix = '-commits';

/** The count in the file is at most this old, plus the time of one group. */
const writeEveryMs = 500;

/** Each slot has a disk block of its own. */
const slotSize = 4_096;
const slots = 2;

const magic = Buffer.from('morselC1');
/** A slot has: magic, number of the write, count, checksum. */
const recordSize = 28;

/** The slot of the newest write has the higher number. The count may fall, if an operator accepts a loss. */
interface Slot {
  readonly number: bigint;
  readonly commits: number;
}

/** The count in the file; undefined if there is none. Throws `StoreRefused` if the file is damaged. */
export function readCommitCount(databaseFile: string): number | undefined {
  const file = `${databaseFile}${countSuffix}`;
  if (!existsSync(file)) return undefined;
  using opened = new DisposableStack();
  const newest = newestIn(opened.adopt(openSync(file, 'r'), closeSync));
  if (newest) return newest.commits;
  throw new StoreRefused(
    `the count of commits ${file} is damaged, so the gateway cannot tell whether the database has lost commits. Nothing was changed. Check the disk and restore a backup; or remove this file, run "morsel ledger check --deep --data-dir ${dirname(file)}", and start again`,
  );
}

/** Refuses a database that lacks commits. If the operator has accepted that, returns how many are missing. */
export function assertNothingLost(
  databaseFile: string,
  commits: number,
  { isLossAccepted = false }: { readonly isLossAccepted?: boolean | undefined } = {},
): number {
  const missing = Math.max(0, (readCommitCount(databaseFile) ?? 0) - commits);
  if (missing === 0 || isLossAccepted) return missing;
  const [what, are] = missing === 1 ? ['commit', 'is'] : ['commits', 'are'];
  throw new StoreRefused(
    `${missing} acknowledged ${what} ${are} missing in ${databaseFile}: the database or its write-ahead log was cut, deleted or replaced by an older copy. Nothing was changed. Put the missing file back, or restore a whole backup; to go on without the missing ${what}, start once with "morsel serve --accept-loss"`,
  );
}

/** Makes the file for a database that no gateway uses, such as a backup. */
export function makeCommitCount(databaseFile: string, commits: number): void {
  const file = `${databaseFile}${countSuffix}`;
  const made = `${file}.new`;
  using opened = new DisposableStack();
  const descriptor = opened.adopt(openSync(made, 'w', 0o600), closeSync);
  for (let number = 0n; number < slots; number++) writeSlot(descriptor, { number, commits });
  fsyncSync(descriptor);
  renameSync(made, file);
  syncFolder(dirname(file));
}

export function removeCommitCount(databaseFile: string): void {
  rmSync(`${databaseFile}${countSuffix}`, { force: true });
}

export class CommitCount {
  readonly #file: string;
  readonly #descriptor: number;
  readonly #commits: () => number;
  #number: bigint;
  #written: number;
  /** The first commit after a start is written to the file at once. */
  #writtenAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** Makes the file if it is missing. `commits` is the present number. */
  constructor(databaseFile: string, commits: () => number) {
    this.#file = `${databaseFile}${countSuffix}`;
    this.#commits = commits;
    if (!existsSync(this.#file)) makeCommitCount(databaseFile, commits());
    this.#descriptor = openSync(this.#file, 'r+');
    const { number, commits: written } = newestIn(this.#descriptor) ?? { number: 0n, commits: 0 };
    this.#number = number;
    this.#written = written;
  }

  /** Called after a commit: writes the count if it is due, or else soon. */
  look(): void {
    if (this.#commits() === this.#written || this.#timer) return;
    const leftMs = this.#writtenAtMs + writeEveryMs - stopwatchMs();
    if (leftMs <= 0) this.write();
    else this.#timer = setTimeout(() => this.write(), leftMs).unref();
  }

  /** A full disk is tried again: an old count only finds fewer losses. After any other fault it cannot be trusted. */
  write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const commits = this.#commits();
    this.#writtenAtMs = stopwatchMs();
    if (commits === this.#written) return;
    try {
      writeSlot(this.#descriptor, { number: this.#number + 1n, commits });
      fdatasyncSync(this.#descriptor);
    } catch (fault) {
      const code = faultCode(fault);
      if (['ENOSPC', 'EDQUOT', 'EROFS'].includes(code)) return;
      throw new StoreRefused(`the count of commits ${this.#file} cannot be written: ${code}`);
    }
    this.#number += 1n;
    this.#written = commits;
  }

  close(): void {
    this.write();
    closeSync(this.#descriptor);
  }
}

function writeSlot(descriptor: number, { number, commits }: Slot): void {
  const record = Buffer.alloc(slotSize);
  magic.copy(record);
  record.writeBigUInt64BE(number, 8);
  record.writeBigUInt64BE(BigInt(commits), 16);
  record.writeUInt32BE(sumOf(record), 24);
  writeSync(descriptor, record, 0, slotSize, Number(number % BigInt(slots)) * slotSize);
}

function newestIn(descriptor: number): Slot | undefined {
  let newest: Slot | undefined;
  for (let slot = 0; slot < slots; slot++) {
    const record = Buffer.alloc(recordSize);
    readSync(descriptor, record, 0, recordSize, slot * slotSize);
    if (!record.subarray(0, magic.length).equals(magic) || record.readUInt32BE(24) !== sumOf(record)) continue;
    const found = { number: record.readBigUInt64BE(8), commits: Number(record.readBigUInt64BE(16)) };
    if (!newest || found.number > newest.number) newest = found;
  }
  return newest;
}

function sumOf(record: Buffer): number {
  return crc32(record.subarray(0, 24));
}
