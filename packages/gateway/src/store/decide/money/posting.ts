/* Decides top-ups and adjustments. */

import { formatMicros, toMicros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Adjust, Posted, TopUp } from '../../commands/ledger.ts';
import { entryKey } from '../../tables/rows.ts';
import type { AccountRow } from '../../tables/account.ts';
import type { Rows } from '../../tables/rows.ts';
import { forgetLowBalance, raiseLowBalance } from '../notification/alert.ts';
import { post } from './entry.ts';
import type { Posting } from './entry.ts';
import { conflict, exists, missing } from '../decided.ts';

/**
 * The largest balance, positive or negative. It is half of SQLite's largest integer, so that refunds can never
 * overflow.
 */
const balanceMax = 2n ** 62n;

export function decideTopUp(rows: Rows, command: TopUp): Result<Posted, Rejection> {
  return decidePosting(rows, command, { ...command, kind: 'top-up' });
}

/** Adjusts a balance. The balance may fall below its credit limit only if the operator forces it. */
export function decideAdjust(rows: Rows, command: Adjust): Result<Posted, Rejection> {
  return decidePosting(rows, command, { ...command, kind: 'adjustment' });
}

function decidePosting(
  rows: Rows,
  command: { readonly account: string; readonly isForced?: boolean },
  posting: Posting,
): Result<Posted, Rejection> {
  const account = rows.accountsByName.get(command.account);
  if (!account) return missing(`there is no account named ${command.account}`);
  const before = replay(rows, account, posting);
  if (before) return before;
  const after = toMicros(account.balance + posting.amount);
  if (after > balanceMax || after < -balanceMax)
    return wrongAmount('the amount is too large: the gateway cannot store such a balance');
  const limit = account.creditLimit;
  if (posting.amount < 0n && after < -limit && command.isForced !== true) {
    const would = `the balance would be ${formatMicros(after)}, below the account's limit of ${formatMicros(toMicros(-limit))}`;
    return conflict(`${would}: use a smaller amount, or --force`);
  }
  const entry = post(rows, account, posting);
  if (posting.key !== undefined) rows.entriesByKey.set(entryKey(entry.account, posting.key), entry);
  const posted = { balance: account.balance, entry: entry.id, isReplay: false };
  if (posting.amount > 0n) {
    forgetLowBalance(account);
    return ok(posted);
  }
  const alert = raiseLowBalance(rows, account, posting.at);
  return ok(alert ? { ...posted, alert } : posted);
}

/**
 * The answer to a posting with a known key. The same posting gets the first answer again. A different posting with the
 * same key is rejected, because it is a mistake of the caller.
 */
function replay(rows: Rows, account: AccountRow, posting: Posting): Result<Posted, Rejection> | undefined {
  if (posting.key === undefined) return undefined;
  const before = rows.entriesByKey.get(entryKey(account.id, posting.key));
  if (!before) return undefined;
  if (before.kind === posting.kind && before.amount === posting.amount) {
    return ok({ balance: before.balanceAfter, entry: before.id, isReplay: true });
  }
  const what = `${before.kind} of ${formatMicros(before.amount)}`;
  return exists(`key ${posting.key} was already used for entry ${before.id}, a ${what}: use another key`);
}

function wrongAmount(detail: string): { ok: false; error: Rejection } {
  return refused({ code: 'invalid_parameter', field: 'amount', detail });
}
