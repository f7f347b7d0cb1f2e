import { readFile, stat } from 'node:fs/promises';
import { problemType } from '@morsel/api/problems.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { usage } from '../command.ts';
import type { Failure, Shell } from '../command.ts';
import { counted } from '../counted.ts';
import type { Problem } from './csv-read.ts';

/* Files of data that a command names. A file with a problem is not used at all. */

/** Octets of a file: some millions of prices. */
const fileMax = 64 * 1024 * 1024;
/** Problems of a file that are reported: a file with more is of another kind. */
const problemsMax = 1_000;

/** The text of a file, or of standard input for `-`. */
export async function dataIn(shell: Shell, file: string): Promise<Result<string, Failure>> {
  try {
    if (file === '-') return ok(await shell.readInput());
    const { size } = await stat(file);
    if (size > fileMax) return refused(usage(`${file} has more than ${fileMax} octets`));
    return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file)));
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unreadable';
    const why = code === 'ENCODING_ERR' || code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not in UTF-8' : code;
    return refused(usage(`${file} cannot be read: ${why}`));
  }
}

/** Every problem with its line: one line each for people, all in the problem for programs. */
export function unusable(shell: Shell, file: string, problems: readonly Problem[]): Failure {
  const told = problems.slice(0, problemsMax);
  const more = problems.length > told.length ? `, of which the first ${told.length} are shown` : '';
  const detail = `${file} has ${counted(problems.length, 'problem')}${more}: nothing of it is used`;
  if (!shell.isJson) for (const each of told) shell.warn(`${file}:${each.line}: ${each.detail}`);
  const title = 'The file cannot be used as it is';
  const problem = { type: problemType('usage'), title, detail, code: 'usage', problems: told };
  return { kind: 'usage', detail, problem: JSON.stringify(problem) };
}
