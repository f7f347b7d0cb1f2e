/*
 * The commands `cdr files`, which writes one file of CDRs for each day, and `cdr verify`, which checks such files. Each file
 * has a manifest with its hash and the hash of the manifest before it, so that a file that is changed or missing is found.
 */

import { createHash, hash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { optional } from '@morsel/api/admin/compose.ts';
import { instant, text } from '@morsel/api/admin/fields.ts';
import { cdr } from '@morsel/api/admin/message/cdr.ts';
import { formatMicros, parseMicros, toMicros } from '@morsel/api/values/money.ts';
import { nodeOf } from '@morsel/gateway/core/base/message-id.ts';
import { placesIn, placesText } from '@morsel/gateway/core/message/cdr-place.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { formatInstant, hourMs, minuteMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { askGatewayRows, gatewayCalls } from '../admin-client.ts';
import { commandOf } from '../bind.ts';
import type { Command, Failure, Shell } from '../command.ts';
import { counted } from '../counted.ts';

const dayMs = 24 * hourMs;
/** A day is written this long after its end. A commit that is still later goes into the file of the next day. */
const settleMs = 10 * minuteMs;

/** What a file has. Programs may rely on these members. */
interface Manifest {
  readonly day: string;
  readonly file: string;
  readonly records: number;
  /** The sums of the amounts by currency, as exact decimals. */
  readonly amounts: { readonly [currency: string]: string };
  /** The place behind the last record (`cdr list --after`). */
  readonly place: string;
  readonly sha256: string;
  /** The SHA-256 of the manifest of the day before; null for the first. */
  readonly previous: string | null;
}

const folder = text({ summary: 'folder of the files', placeholder: '<folder>' });

export const cdrFileCommands: readonly Command[] = [
  commandOf({
    words: 'cdr files',
    summary: 'Write the CDRs of each day that has ended into a file of its own (UTC)',
    input: {
      folder,
      from: optional(
        instant({ summary: 'first day, if the folder has no files yet', defaultText: 'the day of the first record' }),
      ),
    },
    arguments: ['folder'],
    examples: [
      [
        'cdr files /var/lib/morsel/cdr',
        'write the files of all days that are missing, for example each night by a timer',
      ],
    ],
    notes:
      () => `A day is complete ten minutes after its end. A record that a node commits later is in the next file, so all files
together have each record once. The files are CSV, compressed with gzip.`,
    run: writeFiles,
  }),
  commandOf({
    words: 'cdr verify',
    summary: 'Check the files of cdr files: their hashes, and that no day is missing',
    input: { folder },
    arguments: ['folder'],
    examples: [['cdr verify /var/lib/morsel/cdr', 'exit status 1 means that a file was changed or is missing']],
    run: verifyFiles,
  }),
];

async function writeFiles(
  { folder: into, from }: { readonly folder: string; readonly from?: Instant | undefined },
  shell: Shell,
): ReturnType<Command['run']> {
  mkdirSync(into, { recursive: true, mode: 0o700 });
  const last = manifestsIn(into).at(-1);
  const first = await firstDay(shell, { last, from });
  if (!first.ok) return first;
  const written: Manifest[] = [];
  let { place, previous } = { place: last?.manifest.place ?? '', previous: last?.sha256 ?? null };
  for (let day = first.value; day !== undefined && day + dayMs + settleMs <= Date.now(); day += dayMs) {
    const made = await writeDay(shell, { into, day, place, previous });
    if (!made.ok) return made;
    written.push(made.value.manifest);
    ({ place } = made.value.manifest);
    previous = made.value.sha256;
    shell.progress?.(`${made.value.manifest.day}: ${counted(made.value.manifest.records, 'record')}`);
  }
  shell.progress?.('');
  const lines = written.map(({ file, records }) => `${file}: ${counted(records, 'record')}`);
  return ok({
    json: JSON.stringify({ files: written }),
    text: lines.join('\n') || 'no day has ended since the last file',
  });
}

/** The day behind the last file, or else the first one. Undefined if there are no records. */
async function firstDay(
  shell: Shell,
  { last, from }: { readonly last: Stored | undefined; readonly from: Instant | undefined },
): Promise<Result<Instant | undefined, Failure>> {
  if (last) return ok(Date.parse(last.manifest.day) + dayMs);
  if (from !== undefined) return ok(startOfDay(from));
  const page = await gatewayCalls(shell).cdr.list({ limit: 1 });
  if (!page.ok) return page;
  const [record] = page.value.items;
  return ok(record && startOfDay(record.recordedAt));
}

function startOfDay(at: Instant): Instant {
  return Math.floor(at / dayMs) * dayMs;
}

interface Day {
  readonly into: string;
  readonly day: Instant;
  readonly place: string;
  readonly previous: string | null;
}

/** Writes a file and then its manifest, each with another name until it is whole. */
async function writeDay(shell: Shell, { into, day, place, previous }: Day): Promise<Result<Stored, Failure>> {
  const name = new Date(day).toISOString().slice(0, 10);
  const file = `cdr-${name}.csv.gz`;
  const out = new HashedFile(join(into, file));
  const read = new ReadRecords(place);
  const given = { after: place, to: formatInstant(day + dayMs) };
  const { list: operation } = cdr.operations;
  const done = await askGatewayRows(shell, { operation, given, form: 'text/csv' }, (rows) => {
    out.write(rows);
    read.take(rows);
  });
  if (!done.ok) return done;
  const manifest = { day: name, file, ...read.summary, sha256: out.finish(), previous };
  const stored = new HashedFile(join(into, `cdr-${name}.json`), { isPlain: true });
  stored.write(`${JSON.stringify(manifest)}\n`);
  return ok({ manifest, sha256: stored.finish() });
}

/** Sums up rows of CSV as they come: they begin with the columns that `cdrFields` begins with. */
class ReadRecords {
  readonly #places: Map<number, number>;
  readonly #amounts = new Map<string, bigint>();
  #records = 0;
  /** The beginning of a line whose rest has not come. */
  #begun = '';

  constructor(place: string) {
    this.#places = placesIn(place);
  }

  take(rows: string): void {
    const lines = (this.#begun + rows).split('\n');
    this.#begun = lines.pop() ?? '';
    for (const line of lines) this.#add(line);
  }

  get summary(): Pick<Manifest, 'records' | 'amounts' | 'place'> {
    const amounts = [...this.#amounts].map(([currency, sum]) => [currency, formatMicros(toMicros(sum))]);
    return { records: this.#records, amounts: Object.fromEntries(amounts), place: placesText(this.#places) };
  }

  #add(line: string): void {
    // The heading has no id, and neither has a line that goes on in a cell.
    const [, id, amount = '', currency = ''] = /^(\d+),\d*,[^,]*,(-?[\d.]+),([A-Z]{3}),/.exec(line) ?? [];
    if (id === undefined) return;
    this.#records += 1;
    const read = parseMicros(amount);
    if (read.ok) this.#amounts.set(currency, (this.#amounts.get(currency) ?? 0n) + read.value);
    this.#places.set(nodeOf(Number(id)), Number(id));
  }
}

/** A new file with lines, compressed piece by piece: gzip allows several members (RFC 1952, section 2.2). */
class HashedFile {
  readonly #file: string;
  readonly #descriptor: number;
  readonly #isPlain: boolean;
  readonly #hash: Hash = createHash('sha256');

  constructor(file: string, { isPlain = false } = {}) {
    this.#file = file;
    this.#isPlain = isPlain;
    this.#descriptor = openSync(`${file}.new`, 'w', 0o600);
  }

  write(lines: string): void {
    const octets = this.#isPlain ? Buffer.from(lines) : gzipSync(lines);
    writeSync(this.#descriptor, octets);
    this.#hash.update(octets);
  }

  /** Gives the file its name, after it is on the disk. Returns its hash. */
  finish(): string {
    fsyncSync(this.#descriptor);
    closeSync(this.#descriptor);
    renameSync(`${this.#file}.new`, this.#file);
    return this.#hash.digest('hex');
  }
}

interface Stored {
  readonly manifest: Manifest;
  /** Of the manifest's own file. */
  readonly sha256: string;
}

/** The manifests of a folder, by their days. */
function manifestsIn(from: string): Stored[] {
  return readdirSync(from)
    .filter((each) => /^cdr-\d{4}-\d\d-\d\d\.json$/.test(each))
    .toSorted()
    .map((each) => {
      const json = readFileSync(join(from, each));
      return { manifest: JSON.parse(json.toString()), sha256: hash('sha256', json) };
    });
}

async function verifyFiles({ folder: from }: { readonly folder: string }, shell: Shell): ReturnType<Command['run']> {
  const stored = manifestsIn(from);
  const faults: string[] = [];
  for (const [index, { manifest }] of stored.entries()) {
    const { day, file, sha256, previous } = manifest;
    const before = stored[index - 1];
    if (before && Date.parse(before.manifest.day) + dayMs !== Date.parse(day))
      faults.push(`${day}: the day before is missing`);
    else if (previous !== (before?.sha256 ?? null))
      faults.push(`${day}: the manifest of the day before was changed or is missing`);
    const found = await hashOf(join(from, file));
    if (found !== sha256) faults.push(`${day}: ${file} ${found === undefined ? 'is missing' : 'was changed'}`);
    shell.progress?.(day);
  }
  shell.progress?.('');
  for (const fault of shell.isJson ? [] : faults) shell.warn(fault);
  const json = JSON.stringify({ isRight: faults.length === 0, files: stored.length, faults });
  const summary = `${counted(stored.length, 'file')}, ${counted(faults.length, 'fault')}`;
  shell.report({ json, text: summary });
  if (stored.length === 0) return refused({ kind: 'refused', detail: `${from} has no files of cdr files` });
  return faults.length === 0
    ? ok(undefined)
    : refused({ kind: 'refused', detail: 'files were changed or are missing' });
}

async function hashOf(file: string): Promise<string | undefined> {
  const sum = createHash('sha256');
  try {
    for await (const piece of createReadStream(file)) sum.update(piece);
  } catch {
    return undefined;
  }
  return sum.digest('hex');
}
