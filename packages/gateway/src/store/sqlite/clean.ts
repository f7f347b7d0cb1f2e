import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Journal } from '../journal.ts';

/*
 * Removes the remains of an erased number from SQLite's files, and searches every file for it. Deleted rows are
 * overwritten (`secure_delete`). But copies can stay in the WAL until it is emptied, and in gaps of pages whose rows
 * were moved.
 */

/** A larger database is not rebuilt by itself: no message is accepted meanwhile, for about ten seconds a GiB. */
const rebuiltMax = 64 * 1024 * 1024;

const chunk = 1024 * 1024;
const tries = 5;

/** Rebuilds only a small database. Returns how many copies of the number are still in the files. */
export async function cleanSqlite(
  {
    journal,
    dataDir,
    file,
  }: { readonly journal: Pick<Journal, 'clean'>; readonly dataDir: string; readonly file: string },
  number: string,
  isLeft: boolean,
): Promise<number> {
  const digits = number.replace(/^\+/, '');
  let found = 0;
  for (let left = isLeft ? 1 : tries; left > 0; left--) {
    await journal.clean('empty-wal');
    found = await countIn(dataDir, digits);
    if (found === 0 || isLeft) return found;
    if ((await stat(file)).size <= rebuiltMax) await journal.clean('rebuild');
  }
  return found;
}

async function countIn(folder: string, text: string): Promise<number> {
  let count = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) count += await countInFile(join(entry.parentPath, entry.name), Buffer.from(text));
  }
  return count;
}

async function countInFile(name: string, text: Buffer): Promise<number> {
  let [kept, count] = [Buffer.alloc(0), 0];
  for await (const read of createReadStream(name, { highWaterMark: chunk })) {
    const part = Buffer.concat([kept, read]);
    for (let at = part.indexOf(text); at !== -1; at = part.indexOf(text, at + 1)) count += 1;
    // The end of the chunk is kept, because the text may go on in the next one.
    kept = part.subarray(Math.max(0, part.length - text.length + 1));
  }
  return count;
}
