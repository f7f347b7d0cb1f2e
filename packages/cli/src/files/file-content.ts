import { readFile } from 'node:fs/promises';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { usage } from '../command.ts';
import type { Failure } from '../command.ts';

/** Characters: no password or certificate is longer. */
const fileMax = 64 * 1_024;

/** The text of a file that an option names, without the byte order mark that some editors put before it. */
export async function contentOf(file: string): Promise<Result<string, Failure>> {
  try {
    const text = (await readFile(file, 'utf8')).replace(/^\ufeff/, '');
    return text.length > fileMax ? refused(usage(`${file} is too long for what it should hold`)) : ok(text);
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown fault';
    return refused(usage(`the file ${file} cannot be read: ${code}`));
  }
}

/** A password from a file or from standard input. */
export function firstLineOf(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? '';
}
