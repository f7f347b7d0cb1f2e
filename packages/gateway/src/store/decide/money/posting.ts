/* Decisions on top-ups and adjustments. */

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

/** The limit of a balance, positive or negative: half of SQLite's 64 bits, so that every refund fits on top. */
const balanceMax = 2n ** 62n;

export function decideTopUp(rows: Rows, command: TopUp): Result<Posted, Rejection> {
  return decidePosting(rows, command, { ...command, kind: 'top-up' });
}

/** Does not take a balance below its credit limit unless it is forced. */
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
  if (after > balanceMax || after < -balanceMax) return wrongAmount('the balance would be larger than can be kept');
  const limit = account.creditLimit;
  if (posting.amount < 0n && after < -limit && command.isForced !== true) {
    const would = `the balance would be ${formatMicros(after)}, below its limit of ${formatMicros(toMicros(-limit))}`;
    return conflict(`${would}: take less, or give --force`);
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

/** A repeat gets the answer of the first one. Another posting under its key is a mistake in the caller's script. */
function replay(rows: Rows, account: AccountRow, posting: Posting): Result<Posted, Rejection> | undefined {
  if (posting.key === undefined) return undefined;
  const before = rows.entriesByKey.get(entryKey(account.id, posting.key));
  if (!before) return undefined;
  if (before.kind === posting.kind && before.amount === posting.amount) {
    return ok({ balance: before.balanceAfter, entry: before.id, isReplay: true });
  }
  const what = `${before.kind} of ${formatMicros(before.amount)}`;
  return exists(`key ${posting.key} was used by entry ${before.id}, a ${what}: give another key`);
}

function wrongAmount(detail: string): { ok: false; error: Rejection } {
  return refused({ code: 'invalid_parameter', field: 'amount', detail });
}
