import type { AlertRow, Rows } from '../rows.ts';
import { noticeAlert } from './notice.ts';

/** An alert without the number that it gets. */
type NewAlert<A> = A extends unknown ? Omit<A, 'id'> : never;

/** Keeps an alert for the operator, and tells the account of it if it asked for that. */
export function raise(rows: Rows, alert: NewAlert<AlertRow>): void {
  const row: AlertRow = { ...alert, id: rows.counters.alert };
  rows.counters.alert += 1;
  rows.alerts.push(row);
  noticeAlert(rows, row);
}
