/* Decisions of the operations that change a balance: top-ups and adjustments. */

import type { OperationNamed } from '@morsel/api/admin/resources.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { formatMicros, toMicros } from '@morsel/api/values/money.ts';
import { ok } from '@morsel/api/values/result.ts';
import { noAccount } from '../../../core/named.ts';
import { accountByName, type AccountRow } from '../../tables/account.ts';
import { entryByKey } from '../../tables/ledger.ts';
import type { Rows } from '../../rows/rows.ts';
import { invalid } from '../../../core/base/rejection.ts';
import { conflict, exists, type Decided } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { forgetLowBalance, raiseLowBalance } from '../notification/low-balance.ts';
import { destinationsOf } from '../notification/notification.ts';
import { post, type Posting } from './entry.ts';

/**
 * The largest balance, positive or negative. It is half of SQLite's largest integer, so that refunds can never
 * overflow.
 */
const balanceMax = 2n ** 62n;

type Posted = AnswerOf<OperationNamed<'posting.topUp'>>;

const topUp: Decision<'posting.topUp'> = (rows, { account, ...given }, { at, by: actor }) => {
  if (given.amount <= 0n) return invalid('amount', 'must be more than 0; to reduce a balance, use account adjust');
  return decidePosting(rows, { account, force: false }, { ...given, kind: 'top-up', at, actor });
};

/** An adjustment that takes the balance below the credit limit must be forced. */
const adjust: Decision<'posting.adjust'> = (rows, { account, force, ...given }, { at, by: actor }) => {
  if (given.amount === 0n) return invalid('amount', 'must not be 0');
  return decidePosting(rows, { account, force }, { ...given, kind: 'adjustment', at, actor });
};

/** The snapshot has no balances, so postings do not reload it. */
export const postingDecisions = {
  'posting.topUp': { decide: topUp, isSetting: false },
  'posting.adjust': { decide: adjust, isSetting: false },
} as const;

function decidePosting(
  rows: Rows,
  { account: name, force }: { readonly account: string; readonly force: boolean },
  posting: Posting,
): Decided<Posted> {
  const account = rows.one(accountByName, name);
  if (!account) return noAccount(name);
  // A low balance creates a notification. An earlier command of the commit may cause it, so this is always read.
  destinationsOf(rows, account.id);
  const before = replay(rows, account, posting);
  if (before) return before;
  const { amount } = posting;
  const after = toMicros(account.balance + amount);
  if (after > balanceMax || after < -balanceMax)
    return invalid('amount', 'the amount is too large: the gateway cannot store such a balance');
  const limit = account.creditLimit;
  if (amount < 0n && after < -limit && !force) {
    const would = `the balance would be ${formatMicros(after)}, below the account's limit of ${formatMicros(toMicros(-limit))}`;
    return conflict(`${would}: use a smaller amount, or --force`);
  }
  const { id: entry } = post(rows, account, posting);
  if (amount < 0n) raiseLowBalance(rows, account, posting.at);
  else forgetLowBalance(account);
  return ok({ account: name, amount, balance: account.balance, entry, replayed: false });
}

/**
 * The answer to a posting whose idempotency key is known. The same posting gets the first answer again. A different
 * posting with the same key is rejected, because it is a mistake of the caller.
 */
function replay(rows: Rows, account: AccountRow, { key, kind, amount }: Posting): Decided<Posted> | undefined {
  if (key === undefined) return undefined;
  const before = rows.one(entryByKey, account.id, key);
  if (!before) return undefined;
  const { id: entry, balanceAfter: balance } = before;
  if (before.kind === kind && before.amount === amount)
    return ok({ account: account.name, amount, balance, entry, replayed: true });
  const what = `${before.kind} of ${formatMicros(before.amount)}`;
  return exists(`key ${key} was already used for entry ${entry}, a ${what}: use another key`);
}
