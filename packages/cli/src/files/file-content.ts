import { readFile } from 'node:fs/promises';
import { faultCode } from '@morsel/gateway/core/base/fault-code.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { usage, type Failure } from '../command.ts';

const fileMax = 64 * 1_024;

/** The content of a file, without the byte order mark that some editors write. */
export async function contentOf(file: string): Promise<Result<string, Failure>> {
  try {
    const text = (await readFile(file, 'utf8')).replace(/^\ufeff/, '');
    return text.length > fileMax
      ? refused(
          usage(
            `the file ${file} has more than ${fileMax} characters: it is not a password, a secret or a certificate`,
          ),
        )
      : ok(text);
  } catch (fault) {
    const code = faultCode(fault);
    return refused(usage(`the file ${file} cannot be read: ${code}`));
  }
}

/** The password in a file or in standard input. */
export function firstLineOf(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? '';
}
