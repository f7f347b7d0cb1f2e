import type { Instant } from '@morsel/api/values/time.ts';
import type { CommandOf, OperatorCommand, ResultOf } from '../store/commands/commands.ts';
import type { Journal } from '../store/journal.ts';
import type { OnLowBalance } from './money/posting.ts';

/*
 * What the operator changes. Each function reads its fields, appends one command, and answers only after everybody goes
 * by the change.
 */

export interface AdministerNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: { now(): Instant };
  /** So many bytes of chance. */
  readonly random: (bytes: number) => Uint8Array;
  /** Ends when admission and carriers go by what the store holds now. */
  readonly reloadSnapshot: () => Promise<void>;
  readonly lowBalance?: OnLowBalance;
}

/** Commits a change, and waits until everybody goes by it. */
export async function change<K extends OperatorCommand['kind']>(
  needs: AdministerNeeds,
  command: CommandOf<K>,
): Promise<ResultOf<K>> {
  const written = await needs.journal.append<K>(command);
  if (written.ok) await needs.reloadSnapshot();
  return written;
}
