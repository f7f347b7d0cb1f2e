import { counted } from '@morsel/api/fields/shown.ts';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { faultCode } from '@morsel/gateway/core/base/fault-code.ts';
import { problemType } from '@morsel/api/problems.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { syncFolder } from '@morsel/gateway/store/folder.ts';
import { usage, type Failure, type Shell } from '../command.ts';
import { writeWhole } from '../output.ts';
import type { FileProblem } from '@morsel/api/admin/csv-read.ts';

/* Reads and writes the files that a command names. If a file has a problem, no part of the file is used. */

/** The largest data file, in octets: it has room for some millions of prices. */
const fileMax = 64 * 1024 * 1024;
/** The most problems of one file that are reported. A file with more problems is probably in another format. */
const problemsMax = 1_000;

/** Reads the text of a file; `-` is standard input. */
export async function dataIn(shell: Shell, file: string): Promise<Result<string, Failure>> {
  try {
    if (file === '-') return ok(await shell.readInput());
    const { size } = await stat(file);
    if (size > fileMax) return refused(usage(`${file} is larger than the limit of ${fileMax} octets`));
    return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file)));
  } catch (fault) {
    const code = faultCode(fault, 'unreadable');
    const why =
      code === 'ENCODING_ERR' || code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'the file is not UTF-8 text' : code;
    return refused(usage(`${file} cannot be read: ${why}`));
  }
}

/**
 * Writes a file that only the user may read, and which gets its name when all of it is on the disk. A file that exists
 * is not overwritten.
 */
export async function writeNewFile(
  file: string,
  fill: (write: (rows: string) => void) => Promise<Result<undefined, Failure>>,
): Promise<Result<undefined, Failure>> {
  if (existsSync(file)) return refused(usage(`${file} exists already: name a new file`));
  const made = `${file}.${process.pid}.new`;
  let descriptor: number;
  try {
    rmSync(made, { force: true });
    descriptor = openSync(made, 'wx', 0o600);
  } catch (fault) {
    return refused(usage(`${file} cannot be made: ${faultCode(fault)}`));
  }
  let lost: unknown;
  try {
    const done = await fill((rows) => {
      try {
        writeWhole(descriptor, rows);
      } catch (fault) {
        lost = fault;
        throw fault;
      }
    });
    if (lost !== undefined) throw lost;
    if (!done.ok) return done;
    fsyncSync(descriptor);
    renameSync(made, file);
    syncFolder(dirname(file));
    return done;
  } catch (fault) {
    return refused({ kind: 'refused', detail: `${file} could not be written: ${faultCode(fault)}` });
  } finally {
    closeSync(descriptor);
    rmSync(made, { force: true });
  }
}

/**
 * The failure for a file with problems. Their line numbers are in warnings for people, or in the problem details for
 * programs.
 */
export function unusable(shell: Shell, file: string, problems: readonly FileProblem[]): Failure {
  const shown = problems.slice(0, problemsMax);
  const more = problems.length > shown.length ? `, and the first ${shown.length} are shown` : '';
  const detail = `${file} has ${counted(problems.length, 'problem')}${more}: no part of the file was used`;
  for (const { line, column, detail: what } of shell.isJson ? [] : shown) {
    shell.warn(`${[file, line, column].filter((each) => each !== undefined).join(':')}: ${what}`);
  }
  const title = 'The file has problems and was not used';
  const problem = { type: problemType('usage'), title, detail, code: 'usage', problems: shown };
  return { kind: 'usage', detail, problem: JSON.stringify(problem) };
}
