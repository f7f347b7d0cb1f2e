import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Failure, Input, Shell } from './command.ts';

/** How a command with --dry-run ends, also with --yes. */
export const dryRunText = 'nothing was changed, as --dry-run says';

/** The planned change of a command. */
interface Intent {
  /** What it would change, as a sentence without a full stop. */
  readonly sentence: string;
  readonly question: string;
}

/**
 * Whether the command goes on: with --yes, or after a yes at the terminal. Otherwise nothing is changed, and the exit
 * status tells a script.
 */
export async function confirmed(
  { flags }: Pick<Input, 'flags'>,
  { confirm }: Pick<Shell, 'confirm'>,
  { sentence, question }: Intent,
): Promise<Result<undefined, Failure>> {
  if (flags.has('yes')) return ok(undefined);
  if (confirm && (await confirm(question))) return ok(undefined);
  const what = confirm ? 'nothing was changed' : 'nothing was changed; repeat the command with --yes to change it';
  return refused({ kind: 'refused', detail: `${sentence}: ${what}` });
}
