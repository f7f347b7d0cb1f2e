/* Commands of the operator that change a balance: top-ups and adjustments. */

import { formatMicros, toMicros, type Micros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { accountByName, type AccountRow } from '../../tables/account.ts';
import { entryByKey } from '../../tables/ledger.ts';
import type { Rows } from '../../rows/rows.ts';
import { forgetLowBalance, raiseLowBalance, type LowBalance } from '../notification/alert.ts';
import { readDestinations } from '../notification/notification.ts';
import type { Reads } from '../../rows/reads.ts';
import { post, type Posting } from './entry.ts';
import { conflict, exists, missing } from '../decided.ts';

/**
 * The largest balance, positive or negative. It is half of SQLite's largest integer, so that refunds can never
 * overflow.
 */
const balanceMax = 2n ** 62n;

interface TopUp {
  readonly at: Instant;
  readonly account: string;
  readonly amount: Micros;
  readonly reason: string;
  readonly actor: string;
  /** An idempotency key: repeating the command with it changes nothing. */
  readonly key?: string | undefined;
}

/** The result of a top-up or an adjustment. A repeat gets the result of the first one. */
export interface Posted {
  readonly balance: Micros;
  readonly entry: number;
  readonly isReplay: boolean;
  /** The balance fell below a threshold of the account, and no alert was raised for it yet. */
  readonly alert?: LowBalance;
}

export const topUpCommand = {
  reads: readPosting,
  decide: (rows: Rows, command: TopUp): Result<Posted, Rejection> =>
    decidePosting(rows, command, { ...command, kind: 'top-up' }),
};

/** Corrects a balance by hand, up or down. It does not go below the credit limit unless it is forced. */
interface Adjust extends TopUp {
  readonly isForced: boolean;
}

export const adjustCommand = {
  reads: readPosting,
  decide: (rows: Rows, command: Adjust): Result<Posted, Rejection> =>
    decidePosting(rows, command, { ...command, kind: 'adjustment' }),
};

function readPosting(read: Reads, { account: name, key }: TopUp): void {
  const account = read.one(accountByName, name);
  if (!account) return;
  readDestinations(read, account.id);
  if (key !== undefined) read.one(entryByKey, account.id, key);
}

function decidePosting(
  rows: Rows,
  command: { readonly account: string; readonly isForced?: boolean },
  posting: Posting,
): Result<Posted, Rejection> {
  const account = rows.one(accountByName, command.account);
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
  const before = rows.one(entryByKey, account.id, posting.key);
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
