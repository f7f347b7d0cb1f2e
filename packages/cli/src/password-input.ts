import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { usage } from './command.ts';
import type { Failure, Input, Option, Shell } from './command.ts';
import { contentOf, firstLineOf } from './file-content.ts';

/* A password that is not an argument: those of a command are seen by everybody on the machine, and kept by shells. */

export const passwordOptions: readonly Option[] = [
  { flags: '--password-file <file>', summary: 'its password, the first line of a file, or of standard input: -' },
  { flags: '--password-stdin', summary: 'its password, the first line of standard input' },
];

/** The fields that were given, with the password if a place for it was named. */
export async function withPassword(
  { values, flags }: Input,
  shell: Shell,
): Promise<Result<{ readonly [field: string]: string }, Failure>> {
  const { passwordFile, ...fields } = values;
  const isPiped = flags.has('passwordStdin');
  if (isPiped && passwordFile !== undefined) return refused(usage('name one of --password-file and --password-stdin'));
  if (!isPiped && passwordFile === undefined) return ok(fields);
  const isInput = passwordFile === undefined || passwordFile === '-';
  const text = isInput ? ok(await shell.readInput()) : await contentOf(passwordFile);
  if (!text.ok) return text;
  return ok({ ...fields, password: firstLineOf(text.value) });
}
