import type { posting } from '@morsel/api/admin/money/posting.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { LowBalance } from '../../state/decide/notification/alert.ts';
import type { Posted } from '../../state/decide/money/posting.ts';
import type { Journal } from '../../store/journal.ts';
import type { Caller } from '../../core/account/caller.ts';
import { invalid } from '../../state/decide/decided.ts';

/* Postings of the operator: top-ups and adjustments. The snapshot has no balances, so it is not reloaded. */

export interface PostingNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: { now(): Instant };
  readonly caller: Pick<Caller, 'name'>;
  /** Notifies the client that the balance fell below a threshold. The alert itself is already stored. */
  readonly lowBalance?: (account: string, alert: LowBalance) => void;
}

type Operations = typeof posting.operations;
type Answer = AnswerOf<Operations['adjust']>;

/** Adds an amount to a balance, at most once for each key. */
export async function topUp(
  needs: PostingNeeds,
  input: InputOf<Operations['topUp']>,
): Promise<Result<Answer, Rejection>> {
  if (input.amount <= 0n) return invalid('amount', 'must be more than 0; to reduce a balance, use account adjust');
  const by = { at: needs.clock.now(), actor: needs.caller.name };
  const posted = await needs.journal.append<'top-up'>({ kind: 'top-up', ...by, ...input });
  return posted.ok ? ok(answerOf(input, posted.value)) : posted;
}

/** Corrects a balance, up or down. Below the limit of the account, the adjustment must be forced. */
export async function adjust(
  needs: PostingNeeds,
  { force: isForced, ...input }: InputOf<Operations['adjust']>,
): Promise<Result<Answer, Rejection>> {
  if (input.amount === 0n) return invalid('amount', 'must not be 0');
  const by = { at: needs.clock.now(), actor: needs.caller.name };
  const posted = await needs.journal.append<'adjust'>({ kind: 'adjust', ...by, ...input, isForced });
  if (!posted.ok) return posted;
  if (posted.value.alert) needs.lowBalance?.(input.account, posted.value.alert);
  return ok(answerOf(input, posted.value));
}

function answerOf({ account, amount }: Pick<Answer, 'account' | 'amount'>, posted: Posted): Answer {
  return { account, amount, balance: posted.balance, entry: posted.entry, replayed: posted.isReplay };
}
