import type { Micros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { LowBalance } from '../../store/commands/ledger.ts';
import type { Journal } from '../../store/journal.ts';
import type { Posted } from '../../store/commands/ledger.ts';
import { amount, amountMax, ascii, flag, invalid, name, optional, readFields, sentence } from '../fields.ts';
import type { Fields } from '../fields.ts';

/*
 * Postings of the operator: top-ups and adjustments. Balances are not in the snapshot, so nothing needs to be reloaded.
 */

export interface PostingNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: { now(): Instant };
  readonly lowBalance?: OnLowBalance;
}

/** The balance of the account of this name fell below a threshold: who is to hear of it beside the list of alerts. */
export type OnLowBalance = (account: string, alert: LowBalance) => void;

const reasonMax = 200;
const actorMax = 64;
/** As long as the Idempotency-Key of a send. */
const keyMax = 255;

/** Who did it, as entries of the ledger say. */
export const actor = optional(sentence(actorMax), 'operator');

const common = {
  account: name,
  amount: amount(-amountMax, amountMax),
  actor,
  key: optional(ascii(1, keyMax), undefined),
};
const topUpFields = { ...common, reason: optional(sentence(reasonMax), 'top-up') };
const adjustFields = { ...common, reason: sentence(reasonMax), force: optional(flag, false) };

type Answer = Promise<Result<PostedView, Rejection>>;

type PostedView = {
  readonly account: string;
  readonly amount: Micros;
  readonly balance: Micros;
  readonly entry: number;
  /** It was posted before, under the same key; this is what that came to. */
  readonly replayed: boolean;
};

/** Adds to a balance: at most once for each key. */
export async function topUp(needs: PostingNeeds, fields: Fields): Answer {
  const read = readFields(topUpFields, fields);
  if (!read.ok) return read;
  if (read.value.amount < 0n) {
    return invalid('amount', 'a top-up adds: post what takes from a balance with account adjust, which wants a reason');
  }
  if (read.value.amount === 0n) return nothing;
  const posted = await needs.journal.append<'top-up'>({ kind: 'top-up', at: needs.clock.now(), ...read.value });
  return posted.ok ? ok(viewOf(read.value, posted.value)) : posted;
}

/** Puts a balance right, up or down, and says why: not below its limit unless it is forced. */
export async function adjust(needs: PostingNeeds, fields: Fields): Answer {
  const read = readFields(adjustFields, fields);
  if (!read.ok) return read;
  if (read.value.amount === 0n) return nothing;
  const { force: isForced, ...wanted } = read.value;
  const posted = await needs.journal.append<'adjust'>({ kind: 'adjust', at: needs.clock.now(), ...wanted, isForced });
  if (!posted.ok) return posted;
  if (posted.value.alert) needs.lowBalance?.(wanted.account, posted.value.alert);
  return ok(viewOf(wanted, posted.value));
}

const nothing = invalid('amount', 'amount must not be 0');

function viewOf({ account, amount: moved }: { account: string; amount: Micros }, posted: Posted): PostedView {
  return { account, amount: moved, balance: posted.balance, entry: posted.entry, replayed: posted.isReplay };
}
