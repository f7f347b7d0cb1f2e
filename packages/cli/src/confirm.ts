import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Failure, Input, Shell } from './command.ts';

/** The result of a command with --dry-run, even if --yes is given, too. */
export const dryRunText = 'nothing was changed, because of --dry-run';

interface Intent {
  /** A sentence without a full stop. */
  readonly sentence: string;
  readonly question: string;
}

/** Asks for confirmation. Without it nothing is changed and the command fails, so that a script notices. */
export async function confirmed(
  { flags }: Pick<Input, 'flags'>,
  { confirm }: Pick<Shell, 'confirm'>,
  { sentence, question }: Intent,
): Promise<Result<undefined, Failure>> {
  if (flags.has('yes')) return ok(undefined);
  if (confirm && (await confirm(question))) return ok(undefined);
  const what = confirm
    ? 'nothing was changed'
    : 'nothing was changed; repeat the command with --yes to make the change';
  return refused({ kind: 'refused', detail: `${sentence}: ${what}` });
}
