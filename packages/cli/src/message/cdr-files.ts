/*
 * The commands `cdr files`, which writes one file of CDRs for each day, and `cdr verify`, which checks such files. Each file
 * has a manifest with its sums, its hash, and the hash of the manifest before it, so that a file that is changed or missing is
 * found. Nobody can tell from the folder alone that its newest files were cut off: keep the hash that `cdr verify` prints.
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
import { createGunzip, gzipSync } from 'node:zlib';
import { optional } from '@morsel/api/admin/compose.ts';
import { instant, text } from '@morsel/api/admin/fields.ts';
import { cdr } from '@morsel/api/admin/message/cdr.ts';
import { formatMicros, parseMicros, toMicros } from '@morsel/api/values/money.ts';
import { nodeOf } from '@morsel/gateway/core/base/message-id.ts';
import { tryLockDataDirectory } from '@morsel/gateway/store/lock.ts';
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
  readonly firstId: number | null;
  readonly lastId: number | null;
  /** The sums of the amounts by currency, as exact decimals. */
  readonly amounts: { readonly [currency: string]: string };
  /** The first day of the folder: no file has earlier records. */
  readonly begin: string;
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
  using lock = tryLockDataDirectory(into);
  if (!lock) return refused({ kind: 'refused', detail: `another command writes files in ${into}` });
  const stored = manifestsIn(into);
  const torn = stored.find((each) => 'fault' in each);
  if (torn) return refused({ kind: 'refused', detail: `${torn.fault}: see cdr verify` });
  const last = stored.at(-1);
  const first = await firstDay(shell, { last, from });
  if (!first.ok) return first;
  const written: Manifest[] = [];
  let [place, previous] = [last?.manifest.place ?? '', last?.sha256 ?? null];
  const begin = last?.manifest.begin ?? (first.value === undefined ? '' : dayText(first.value));
  for (let day = first.value; day !== undefined && day + dayMs + settleMs <= Date.now(); day += dayMs) {
    const made = await writeDay(shell, { into, day, begin, place, previous });
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

function dayText(at: Instant): string {
  return new Date(at).toISOString().slice(0, 10);
}

function startOfDay(at: Instant): Instant {
  return Math.floor(at / dayMs) * dayMs;
}

interface Day {
  readonly into: string;
  readonly day: Instant;
  readonly begin: string;
  readonly place: string;
  readonly previous: string | null;
}

/** Writes a file and then its manifest, each with another name until it is whole. */
async function writeDay(shell: Shell, { into, day, begin, place, previous }: Day): Promise<Result<Stored, Failure>> {
  const name = dayText(day);
  const file = `cdr-${name}.csv.gz`;
  const out = new HashedFile(join(into, file));
  const read = new ReadRecords(place);
  const given = { after: place, from: begin, to: formatInstant(day + dayMs) };
  const { list: operation } = cdr.operations;
  const done = await askGatewayRows(shell, { operation, given, form: 'text/csv' }, (rows) => {
    out.write(rows);
    read.take(rows);
  });
  if (!done.ok) return done;
  const manifest = { day: name, file, begin, ...read.summary, sha256: out.finish(), previous };
  const stored = new HashedFile(join(into, `cdr-${name}.json`), { isPlain: true });
  stored.write(`${JSON.stringify(manifest)}\n`);
  const sha256 = stored.finish();
  syncFolder(into);
  return ok({ manifest, sha256 });
}

/** Sums up rows of CSV as they come: they begin with the columns that `cdrFields` begins with. */
class ReadRecords {
  readonly #places: Map<number, number>;
  readonly #amounts = new Map<string, bigint>();
  #records = 0;
  #firstId: number | null = null;
  #lastId: number | null = null;
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

  get summary(): Pick<Manifest, 'records' | 'firstId' | 'lastId' | 'amounts' | 'place'> {
    const amounts = [...this.#amounts].map(([currency, sum]) => [currency, formatMicros(toMicros(sum))]);
    const [firstId, lastId] = [this.#firstId, this.#lastId];
    const place = placesText(this.#places);
    return { records: this.#records, firstId, lastId, amounts: Object.fromEntries(amounts), place };
  }

  #add(line: string): void {
    // The heading has no id, and neither has a line that goes on in a cell.
    const [, id, amount = '', currency = ''] = /^(\d+),\d*,[^,]*,(-?[\d.]+),([A-Z]{3}),/.exec(line) ?? [];
    if (id === undefined) return;
    this.#records += 1;
    this.#firstId ??= Number(id);
    this.#lastId = Number(id);
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

/** Makes the names of new files survive a power failure. */
function syncFolder(into: string): void {
  const descriptor = openSync(into, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

interface Stored {
  readonly manifest: Manifest;
  /** Of the manifest's own file. */
  readonly sha256: string;
  /** Why the manifest cannot be read. */
  readonly fault?: string;
}

const manifestName = /^cdr-(\d{4}-\d\d-\d\d)\.json$/;

/** The manifests of a folder, by their days. */
function manifestsIn(from: string): Stored[] {
  const days = readdirSync(from).flatMap((name) => manifestName.exec(name)?.[1] ?? []);
  return days.toSorted((one, other) => (one < other ? -1 : 1)).map((day) => readManifest(from, day));
}

function readManifest(from: string, day: string): Stored {
  const name = `cdr-${day}.json`;
  const json = readFileSync(join(from, name));
  const sha256 = hash('sha256', json);
  try {
    const read: unknown = JSON.parse(json.toString());
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member is compared with the file
    if (typeof read === 'object' && read !== null && 'sha256' in read) return { manifest: read as Manifest, sha256 };
  } catch {
    // The answer below says it.
  }
  const nothing = { records: 0, firstId: null, lastId: null, amounts: {}, begin: day, place: '', previous: null };
  const manifest = { day, file: `cdr-${day}.csv.gz`, sha256: '', ...nothing };
  return { manifest, sha256, fault: `${name} is no manifest of cdr files` };
}

async function verifyFiles({ folder: from }: { readonly folder: string }, shell: Shell): ReturnType<Command['run']> {
  const stored = manifestsIn(from);
  const files = new Set(stored.map(({ manifest }) => manifest.file));
  const strays = readdirSync(from).filter((name) => name.endsWith('.csv.gz') && !files.has(name));
  const faults = strays.map((name) => `${name} has no manifest`);
  for (const [index, each] of stored.entries()) {
    faults.push(...(await faultsOf(from, each, stored[index - 1])));
    shell.progress?.(each.manifest.day);
  }
  shell.progress?.('');
  for (const fault of shell.isJson ? [] : faults) shell.warn(fault);
  const newest = stored.at(-1)?.sha256 ?? null;
  const json = JSON.stringify({ isRight: faults.length === 0, files: stored.length, newest, faults });
  const summary = `${counted(stored.length, 'file')}, ${counted(faults.length, 'fault')}; SHA-256 of the newest manifest: ${newest}`;
  shell.report({ json, text: summary });
  if (stored.length === 0) return refused({ kind: 'refused', detail: `${from} has no files of cdr files` });
  return faults.length === 0
    ? ok(undefined)
    : refused({ kind: 'refused', detail: 'files were changed or are missing' });
}

/** The faults of a file and its manifest. The manifest of the day before has the chain so far. */
async function faultsOf(from: string, { manifest, fault }: Stored, before: Stored | undefined): Promise<string[]> {
  if (fault !== undefined) return [fault];
  const { day, file, previous, begin } = manifest;
  const faults: string[] = [];
  if (before && Date.parse(before.manifest.day) + dayMs !== Date.parse(day)) faults.push('the day before is missing');
  else if (previous !== (before?.sha256 ?? null) || (!before && begin !== day))
    faults.push('the manifest of the day before was changed or is missing');
  const found = await readFile(join(from, file), before?.manifest.place ?? '');
  if (found === undefined) faults.push(`${file} is missing or cannot be read`);
  else {
    const { records, firstId, lastId, amounts, place, sha256 } = manifest;
    const said = { records, firstId, lastId, amounts, place, sha256 };
    if (JSON.stringify(found) !== JSON.stringify(said)) faults.push(`${file} or its manifest was changed`);
  }
  return faults.map((each) => `${day}: ${each}`);
}

async function readFile(file: string, place: string) {
  const sum = createHash('sha256');
  const read = new ReadRecords(place);
  try {
    const octets = createReadStream(file);
    octets.on('data', (piece) => sum.update(piece));
    const lines = octets.pipe(createGunzip()).setEncoding('utf8');
    octets.once('error', (fault) => lines.destroy(fault));
    for await (const piece of lines) read.take(String(piece));
  } catch {
    return undefined;
  }
  const { records, firstId, lastId, amounts, place: end } = read.summary;
  return { records, firstId, lastId, amounts, place: end, sha256: sum.digest('hex') };
}
