import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreRefused } from '../../state/sealing/refused.ts';
import { damagedDatabase } from './faults.ts';

/*
 * Finds damage in the write-ahead log (WAL), and a database file that was cut, before SQLite opens them. SQLite reads
 * the WAL up to the first frame with a wrong checksum, and silently drops the rest. So one bad octet would undo every
 * commit after it, even commits that the database file already has. The format is in sqlite.org/fileformat2.html,
 * section 4.
 *
 * A wrong checksum alone is not damage, because a power cut leaves one, too. With `synchronous=FULL` the WAL is on disk
 * before a commit is acknowledged, and the next commit is written after that. So a power cut can only lose frames of
 * the last commit, which was not acknowledged: any of these frames, in any order. So after a power cut, at most one
 * frame at or after the first bad frame ends a commit (a commit frame). Two commit frames there are damage, and the
 * start is refused.
 *
 * Old frames there do not count. Frames of an earlier run of the WAL have another salt. Frames of a commit that was
 * rolled back (disk full) may have the same salt. But each checksum covers that of the frame before, and theirs does
 * not continue it.
 *
 * The writing thread empties the WAL when it opens the database, so newer commits never follow a torn commit of an
 * earlier process. The header of the WAL is on disk before its first frame is written, so frames after a bad header are
 * damage. Damage in the last commit, or a WAL that was cut or deleted, cannot be found here: commit-count.ts finds it.
 */

/** Checks the WAL and changes nothing. Returns what its commits wrote. */
export function assertWalWhole(databaseFile: string): WalContent {
  const file = `${databaseFile}-wal`;
  const { damage, ...content } = lookAtWal(file);
  if (!damage) return content;
  const { frame, commits } = damage;
  const what =
    frame === 0
      ? 'its header is damaged, and every commit in it would be undone'
      : `frame ${frame} is damaged, and at least ${commits} acknowledged ${commits === 1 ? 'commit' : 'commits'} would be undone`;
  throw new StoreRefused(
    `the write-ahead log ${file} cannot be used: ${what}. Nothing was changed. Restore a backup; or, to go on without what only this file holds, move it to another folder, run "morsel ledger check --deep --data-dir ${dirname(file)}" on the rest, and start once with "morsel serve --accept-loss"`,
  );
}

/**
 * Checks that the database file was not cut. A crash during a checkpoint leaves a short file, too, but then the WAL has
 * the missing pages. Call it before the first connection: closing the file would end the locks of SQLite.
 */
export function assertFileWhole(file: string, wal: WalContent): void {
  using opened = new DisposableStack();
  const descriptor = opened.adopt(openSync(file, 'r'), closeSync);
  const header = new DataView(new ArrayBuffer(databaseHeaderSize));
  readSync(descriptor, header, 0, databaseHeaderSize, 0);
  const pageSize = header.getUint16(16) === 1 ? pageSizeMax : header.getUint16(16);
  const isKnown = [18, 19].every((at) => [1, 2].includes(header.getUint8(at))) && header.getUint32(56) <= 1;
  // SQLite opens a file with a wrong version for reading only, and reads texts in a wrong encoding.
  if (!isKnown) throw damagedDatabase(file, 'its header is wrong');
  // Section 1.3.9 of the format says when the size in the header is valid. SQLite refuses other headers itself.
  const isSizeValid = header.getUint32(24) === header.getUint32(92) && pageSize >= pageSizeMin;
  const pages = wal.pages ?? (isSizeValid ? header.getUint32(28) : 0);
  const present = Math.floor(fstatSync(descriptor).size / Math.max(pageSize, pageSizeMin));
  for (let page = present + 1; page <= pages; page++) {
    if (wal.written.has(page) || page === lockOctet / pageSize + 1) continue;
    throw damagedDatabase(file, `it has ${pages} pages, and page ${page} is missing`);
  }
}

const databaseHeaderSize = 100;
const pageSizeMax = 65_536;
/** SQLite never writes the page with this octet. */
const lockOctet = 0x40_00_00_00;

interface WalContent {
  /** The size of the database in pages after the last commit; undefined without a commit. */
  readonly pages: number | undefined;
  readonly written: ReadonlySet<number>;
}

interface WalDamage {
  /** The number of the first bad frame, from 1; 0 for the header. */
  readonly frame: number;
  /** Commits at or after the bad frame, as far as they can be counted. */
  readonly commits: number;
}

const headerSize = 32;
const frameHeaderSize = 24;
const magicLittleEndian = 0x377f0682;
const magicBigEndian = 0x377f0683;
const pageSizeMin = 512;

/** Octets that are read at a time. */
const chunkMax = 1 << 20;

interface WalLook extends WalContent {
  /** Undefined for a WAL that is whole, torn by a power cut, empty or missing. */
  readonly damage: WalDamage | undefined;
}

const emptyWal: WalContent = { pages: undefined, written: new Set() };

function lookAtWal(file: string): WalLook {
  if (!existsSync(file)) return { ...emptyWal, damage: undefined };
  using opened = new DisposableStack();
  const descriptor = opened.adopt(openSync(file, 'r'), closeSync);
  return lookInto({
    size: fstatSync(descriptor).size,
    read: (into, at) => void readSync(descriptor, into, 0, into.byteLength, at),
  });
}

interface Octets {
  readonly size: number;
  readonly read: (into: DataView, at: number) => void;
}

export function lookInto(octets: Octets): WalLook {
  if (octets.size < headerSize + frameHeaderSize + pageSizeMin) return { ...emptyWal, damage: undefined };
  const header = headerOf(octets);
  if (!header) return { ...emptyWal, damage: { frame: 0, commits: 0 } };
  const frames = new Frames(header);
  const frameSize = frameHeaderSize + header.pageSize;
  const atOnce = Math.max(1, Math.floor(chunkMax / frameSize));
  // An incomplete last frame was never part of a commit.
  for (let left = Math.floor((octets.size - headerSize) / frameSize), at = headerSize; left > 0;) {
    const count = Math.min(left, atOnce);
    const chunk = new DataView(new ArrayBuffer(count * frameSize));
    octets.read(chunk, at);
    for (let frame = 0; frame < count; frame++) frames.look(new DataView(chunk.buffer, frame * frameSize, frameSize));
    left -= count;
    at += chunk.byteLength;
  }
  const { damage, content } = frames;
  return { ...content, damage };
}

interface WalHeader {
  readonly pageSize: number;
  readonly salt: bigint;
  readonly isLittleEndian: boolean;
  readonly sum: Sum;
}

/** The header of a WAL; undefined if SQLite did not write it. */
function headerOf({ read }: Octets): WalHeader | undefined {
  const header = new DataView(new ArrayBuffer(headerSize));
  read(header, 0);
  const magic = header.getUint32(0);
  if (magic !== magicLittleEndian && magic !== magicBigEndian) return undefined;
  const isLittleEndian = magic === magicLittleEndian;
  const sum = addTo({ one: 0, two: 0 }, header, { from: 0, to: 24, isLittleEndian });
  if (!isSame(sum, storedIn(header, 24))) return undefined;
  return { pageSize: header.getUint32(8), salt: header.getBigUint64(16), isLittleEndian, sum };
}

class Frames {
  readonly #header: WalHeader;
  /** The checksum in the frame before, and the one that it should have: a bad octet is in one of the two. */
  #before: readonly Sum[];
  #frames = 0;
  #firstBad = 0;
  #commits = 0;
  /** Pages of complete commits; `#writing` has those of the commit that is being read. */
  readonly #written = new Set<number>();
  #writing: number[] = [];
  #pages: number | undefined;

  constructor(header: WalHeader) {
    this.#header = header;
    this.#before = [header.sum];
  }

  get damage(): WalDamage | undefined {
    return this.#commits < 2 ? undefined : { frame: this.#firstBad, commits: this.#commits };
  }

  get content(): WalContent {
    return { pages: this.#pages, written: this.#written };
  }

  look(frame: DataView): void {
    const { salt, isLittleEndian } = this.#header;
    this.#frames += 1;
    const stored = storedIn(frame, 16);
    const sums = this.#before.map((before) => {
      const sum = addTo(before, frame, { from: 0, to: 8, isLittleEndian });
      return addTo(sum, frame, { from: frameHeaderSize, to: frame.byteLength, isLittleEndian });
    });
    const follows = sums.some((sum) => isSame(sum, stored));
    const hasSalt = frame.getBigUint64(8) === salt;
    const isCommit = frame.getUint32(4) !== 0;
    const isFirstBad = this.#firstBad === 0 && !(follows && hasSalt && frame.getUint32(0) !== 0);
    if (isFirstBad) this.#firstBad = this.#frames;
    // The first bad frame may have only one wrong octet, so its other fields still count.
    const isBelieved = isFirstBad ? follows || hasSalt : follows && hasSalt;
    if (this.#firstBad > 0 && isCommit && isBelieved) this.#commits += 1;
    if (this.#firstBad === 0) this.#add(frame.getUint32(0), frame.getUint32(4));
    this.#before = follows ? [stored] : [stored, ...sums.slice(0, 1)];
  }

  /** `pages` is 0 unless the frame ends a commit. */
  #add(page: number, pages: number): void {
    this.#writing.push(page);
    if (pages === 0) return;
    for (const each of this.#writing.splice(0)) this.#written.add(each);
    this.#pages = pages;
  }
}

/** The two running sums of a checksum, 32 bits each. */
interface Sum {
  readonly one: number;
  readonly two: number;
}

function addTo(
  sum: Sum,
  octets: DataView,
  { from, to, isLittleEndian }: { readonly from: number; readonly to: number; readonly isLittleEndian: boolean },
): Sum {
  let { one, two } = sum;
  for (let at = from; at < to; at += 8) {
    one = (one + octets.getInt32(at, isLittleEndian) + two) | 0;
    two = (two + octets.getInt32(at + 4, isLittleEndian) + one) | 0;
  }
  return { one, two };
}

function storedIn(octets: DataView, at: number): Sum {
  return { one: octets.getInt32(at), two: octets.getInt32(at + 4) };
}

function isSame(one: Sum, other: Sum): boolean {
  return one.one === other.one && one.two === other.two;
}
