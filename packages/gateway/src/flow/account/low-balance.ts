import { formatMicros } from '@morsel/api/values/money.ts';
import type { LowBalance } from '../../state/decide/notification/alert.ts';

/** Logs that the balance of an account is low. */
export function warnOfBalance(
  log: { warn(fields: object, message: string): void },
  account: string,
  { threshold, balance }: LowBalance,
): void {
  log.warn(
    { account, threshold: formatMicros(threshold), balance: formatMicros(balance) },
    'the balance of an account is low: "morsel alert list" shows this alert, too',
  );
}
