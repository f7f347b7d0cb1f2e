/* Notifications of low balances. The alarm `low-balance` is about the same accounts. */

import { alertBelow, lowestAbove } from '../../../core/money/ledger.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { AccountRow } from '../../tables/account.ts';
import type { Rows } from '../../rows/rows.ts';
import { notifyOfBalance } from './notification.ts';

/** Notifies of the lowest threshold above the present balance, unless the account was notified of it before. */
export function raiseLowBalance(rows: Rows, account: AccountRow, at: Instant): void {
  const { lowBalance, balance } = account;
  if (lowBalance.length === 0) return;
  const threshold = alertBelow(lowBalance, balance, account.alertedBelow);
  if (threshold === null) return;
  account.alertedBelow = threshold;
  notifyOfBalance(rows, account.id, { threshold, balance, at });
}

/**
 * Called after a top-up or a change of the thresholds. The account may be notified again of thresholds below the present
 * balance.
 */
export function forgetLowBalance(account: AccountRow): void {
  if (account.alertedBelow === null) return;
  const still = lowestAbove(account.lowBalance, account.balance);
  if (still === null || still > account.alertedBelow) account.alertedBelow = still;
}
