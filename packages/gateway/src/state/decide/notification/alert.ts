/* Alerts for the operator: of low balances, of low margins, and of the gateway itself. */

import { ok } from '@morsel/api/values/result.ts';
import { alertBelow, lowestAbove } from '../../../core/money/ledger.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { AccountRow } from '../../tables/account.ts';
import { alertTable, type NewAlert } from '../../tables/alarm/alert.ts';
import type { Rows } from '../../rows/rows.ts';
import type { Decided } from '../decided.ts';
import { notifyOfAlert } from './notification.ts';

/** The balance fell below a threshold. */
export interface LowBalance {
  readonly threshold: Micros;
  readonly balance: Micros;
}

/** Raises an alert for the lowest threshold above the present balance, unless it was raised before. */
export function raiseLowBalance(rows: Rows, account: AccountRow, at: Instant): LowBalance | undefined {
  const { lowBalance } = account;
  if (lowBalance.length === 0) return undefined;
  const threshold = alertBelow(lowBalance, account.balance, account.alertedBelow);
  if (threshold === null) return undefined;
  account.alertedBelow = threshold;
  const alert = { threshold, balance: account.balance };
  raise(rows, { account: account.id, kind: 'low-balance', ...alert, at });
  return alert;
}

/**
 * Called after a top-up or a change of the thresholds. Alerts for thresholds below the present balance may be raised
 * again.
 */
export function forgetLowBalance(account: AccountRow): void {
  if (account.alertedBelow === null) return;
  const still = lowestAbove(account.lowBalance, account.balance);
  if (still === null || still > account.alertedBelow) account.alertedBelow = still;
}

const noMargin = { carrier: null, prefix: null, unitPrice: null, unitCost: null };
const noDetails = { threshold: null, balance: null, ...noMargin, webhook: null, detail: null };

/** Stores an alert for the operator, and notifies the account if a destination wants alerts. */
export function raise(rows: Rows, alert: NewAlert): void {
  notifyOfAlert(rows, rows.add(alertTable, { ...noDetails, ...alert, id: rows.nextId(alertTable) }));
}

/** Stores an alert about the gateway itself. It has no account. */
interface SystemAlert {
  /** When the trouble began. */
  readonly at: Instant;
  readonly alert: 'disk-full' | 'database-away';
  readonly detail: string;
}

export const systemAlertCommand = {
  decide(rows: Rows, { alert: kind, at, detail }: SystemAlert): Decided<null> {
    raise(rows, { kind, account: null, at, detail });
    return ok(null);
  },
};

/** A part was sent with less margin than its account must keep. */
interface MarginAlert {
  readonly at: Instant;
  readonly account: number;
  readonly carrier: number;
  /** Of the route that the part took. */
  readonly prefix: string;
  readonly unitPrice: Micros;
  readonly unitCost: Micros;
}

export const marginAlertCommand = {
  decide(rows: Rows, { at, account, carrier, prefix, unitPrice, unitCost }: MarginAlert): Decided<null> {
    raise(rows, { kind: 'below-margin', at, account, carrier, prefix, unitPrice, unitCost });
    return ok(null);
  },
};
