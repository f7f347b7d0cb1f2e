/* The log of the shim, and what a power cut at any record of it leaves on the disk. */

import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { decode, Framer } from '@morsel/smpp';
import type { Chance } from '../support/chance.ts';

export interface LogRecord {
  /** w: written; t: truncated; s: synced; u: removed; r: renamed; o: goes to a socket. */
  readonly kind: string;
  /** The place in the file, or the size to which it was cut; the descriptor of a socket. */
  readonly at: number;
  readonly name: string;
  readonly octets: Buffer;
}

const headSize = 32;

export function readLog(file: string): LogRecord[] {
  const log = readFileSync(file);
  const records: LogRecord[] = [];
  for (let from = 0; from < log.length;) {
    const [kind = 0, at = 0, nameSize = 0, size = 0] = [0, 8, 16, 24].map((place) =>
      Number(log.readBigInt64LE(from + place)),
    );
    const octetsAt = from + headSize + nameSize;
    const name = log.toString('utf8', from + headSize, octetsAt);
    records.push({ kind: String.fromCodePoint(kind), at, name, octets: log.subarray(octetsAt, octetsAt + size) });
    from = octetsAt + size;
  }
  return records;
}

/** What the gateway has promised others until a record; all of it must be committed. */
export class Promised {
  /** The ids in answers of status 200. */
  readonly accepted = new Set<string>();
  /** The receivers of submit_sm. */
  readonly submitted = new Set<string>();
  /** Receipts that were acknowledged, by socket and sequence number. */
  readonly acknowledged = new Set<string>();

  hear({ kind, at, octets }: LogRecord): void {
    if (kind !== 'o') return;
    const text = octets.toString('latin1');
    if (text.startsWith('HTTP/')) {
      const id = text.startsWith('HTTP/1.1 200') && /"msgId":"(\d+)"/.exec(text)?.[1];
      if (typeof id === 'string') this.accepted.add(id);
      return;
    }
    for (const frame of new Framer().push(octets)) {
      const decoded = 'bytes' in frame ? decode(frame.bytes) : undefined;
      if (!decoded?.ok) continue;
      const { pdu } = decoded;
      if (pdu.command === 'submit_sm') this.submitted.add(`+${pdu.destination_addr}`);
      if (pdu.command === 'deliver_sm_resp' && pdu.command_status === 0) {
        this.acknowledged.add(`${at} ${pdu.sequence_number}`);
      }
    }
  }
}

/** What a disk writes whole, or not at all. */
const sectorSize = 512;

type Change = (content: Buffer) => Buffer;

interface DiskFile {
  content: Buffer;
  /** Written since the last sync: a power cut keeps, drops or tears each of them. */
  pending: LogRecord[];
}

type Names = Map<string, DiskFile>;

/** A folder on a disk: what is synced stays, and of all else a power cut leaves anything. */
export class Disk {
  readonly #folder: string;
  /** By their names in the folder, as the process sees it, and as it is on the disk. */
  readonly #names: Names;
  readonly #synced: Names;
  #renamed: ((names: Names) => void)[] = [];

  constructor(folder: string, files: ReadonlyMap<string, Buffer>) {
    this.#folder = folder;
    this.#names = new Map([...files].map(([name, content]) => [name, { content, pending: [] }]));
    this.#synced = new Map(this.#names);
  }

  apply(record: LogRecord): void {
    const { kind, name: path } = record;
    if (kind === 'o') return;
    if (kind === 's' && path === this.#folder) {
      for (const change of this.#renamed.splice(0)) change(this.#synced);
      return;
    }
    const [name = '', to = ''] = path.split('\0').map((each) => basename(each));
    const file = this.#names.get(name) ?? { content: Buffer.alloc(0), pending: [] };
    if (kind === 'u') this.#rename((names) => names.delete(name));
    else if (kind === 'r') this.#rename((names) => names.delete(name) && names.set(to, file));
    else if (!this.#names.has(name)) this.#rename((names) => names.set(name, file));
    if (kind === 's') {
      for (const each of file.pending.splice(0)) file.content = changeOf(each)(file.content);
    } else if (kind === 'w' || kind === 't') file.pending.push(record);
  }

  /** Writes into a folder what a power cut may leave. */
  cutInto(folder: string, chance: Chance): void {
    const kept = chance.pick([0, 0.5, 0.8, 1]);
    const names = new Map(this.#synced);
    for (const change of this.#renamed.slice(0, Math.round(this.#renamed.length * kept))) change(names);
    for (const [name, { content, pending }] of names) {
      let left = content;
      for (const each of pending) {
        if (chance.happens(kept)) left = changeOf(each)(left);
        else if (each.kind === 'w' && kept > 0)
          left = tear(each, chance).reduce((whole, part) => changeOf(part)(whole), left);
      }
      writeFileSync(join(folder, name), left, { mode: 0o600 });
    }
  }

  #rename(change: (names: Names) => void): void {
    change(this.#names);
    this.#renamed.push(change);
  }
}

function changeOf({ kind, at, octets }: LogRecord): Change {
  if (kind === 't')
    return (content) => Buffer.concat([content.subarray(0, at), Buffer.alloc(Math.max(0, at - content.length))]);
  return (content) => {
    const changed = Buffer.alloc(Math.max(content.length, at + octets.length));
    content.copy(changed);
    octets.copy(changed, at);
    return changed;
  };
}

/** Some sectors of a write. */
function tear(record: LogRecord, chance: Chance): LogRecord[] {
  const { at, octets } = record;
  const parts: LogRecord[] = [];
  for (let from = 0; from < octets.length;) {
    const to = Math.min(octets.length, from + sectorSize - ((at + from) % sectorSize));
    if (chance.happens(0.5)) parts.push({ ...record, at: at + from, octets: octets.subarray(from, to) });
    from = to;
  }
  return parts;
}
