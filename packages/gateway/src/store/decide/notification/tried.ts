import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { NotificationResults, NotificationTried } from '../../commands/notification.ts';
import { touch } from '../../tables/rows.ts';
import type { Rows } from '../../tables/rows.ts';
import { noteHealth } from './webhook.ts';

/**
 * Records the result of a try to deliver a notification. If the notification ended meanwhile, only an acknowledgement
 * still changes it.
 */
export function decideNotificationTried(
  rows: Rows,
  command: NotificationTried,
): Result<NotificationResults['notification-tried'], never> {
  const stopped = noteHealth(rows, command);
  const result = ok(
    stopped && stopped.status !== 'active'
      ? { webhook: stopped.id, account: stopped.account, status: stopped.status }
      : null,
  );
  const row = rows.notifications.byId.get(command.notification);
  const { at, by: triedBy, detail: outcome, due, isDelivered } = command;
  if (!row || row.state === 'delivered' || (row.state !== 'waiting' && !isDelivered)) return result;
  row.tries += 1;
  row.triedBy = triedBy;
  row.outcome = outcome;
  row.due = due;
  if (due === null) {
    row.state = isDelivered ? 'delivered' : 'dead';
    row.endedAt = at;
  }
  touch(row);
  if (!isDelivered) rows.notifications.tries.push({ notification: row.id, number: row.tries, at, triedBy, outcome });
  return result;
}
