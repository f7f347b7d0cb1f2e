/* Records tries to deliver notifications, and disables a webhook after too many failures. */

import { ok, type Result } from '@morsel/api/values/result.ts';
import type { WebhookStatus } from '@morsel/api/values/notification.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { failingMaxMs } from '../../../core/notification/webhook.ts';
import { notificationTriesMax } from '../../../core/notification/notification.ts';
import type { Reads } from '../../rows/reads.ts';
import { notificationById, notificationTryTable } from '../../tables/notification.ts';
import { effect } from '../../tables/lookup.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { webhookById, type WebhookRow } from '../../tables/webhook.ts';

/** The result of a delivery attempt. */
export interface NotificationTried {
  readonly at: Instant;
  readonly notification: number;
  /** When the notification is tried again. Null if it is not, because it was acknowledged or is a dead letter. */
  readonly due: Instant | null;
  readonly isDelivered: boolean;
  /** Who tried to deliver the notification, in words: a webhook or a session. */
  readonly by: string;
  /** The result of the try, in words. */
  readonly detail: string;
  /** The webhook that the notification was sent to. */
  readonly webhook?: number;
  /** The notification was sent to the callback of its message. */
  readonly isCallback?: boolean;
  /** The webhook's receiver answered 410: the receiver wants no more notifications. */
  readonly isGone?: boolean;
  /** The clock is not trusted, so no webhook is disabled because it failed for long. */
  readonly isHeld?: boolean;
}

/** A webhook that this attempt disabled. */
export interface StoppedWebhook {
  readonly webhook: number;
  readonly account: number;
  readonly status: Exclude<WebhookStatus, 'active'>;
}

export const notificationTriedCommand = {
  reads(read: Reads, { notification, webhook }: NotificationTried): void {
    read.one(notificationById, notification);
    if (webhook !== undefined) read.one(webhookById, webhook);
  },
  decide: decideTried,
};

/**
 * Records the result of a try to deliver a notification. If the notification ended meanwhile, only an acknowledgement
 * still changes it.
 */
function decideTried(rows: Rows, command: NotificationTried): Result<StoppedWebhook | null, never> {
  const stopped = noteHealth(rows, command);
  const result = ok(
    stopped && stopped.status !== 'active'
      ? { webhook: stopped.id, account: stopped.account, status: stopped.status }
      : null,
  );
  const row = rows.one(notificationById, command.notification);
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
  if (isDelivered) return result;
  const { id: notification, tries: number } = row;
  rows.add(notificationTryTable, { notification, number, at, triedBy, outcome });
  if (number > notificationTriesMax) rows.run(deleteTry, notification, number - notificationTriesMax);
  return result;
}

const deleteTry = effect<[notification: number, number: number]>()('notification_try.delete');

/**
 * Records how long all tries to a webhook have failed. Disables the webhook and returns it if this is too long, or if
 * the receiver answered 410.
 */
function noteHealth(rows: Rows, command: NotificationTried): WebhookRow | undefined {
  const row = command.webhook === undefined ? undefined : rows.one(webhookById, command.webhook);
  if (row?.removedAt !== null) return undefined;
  const { at, isDelivered, detail, isHeld } = command;
  if (isDelivered) {
    if (row.failingSince !== null) touch(row);
    row.failingSince = null;
    return undefined;
  }
  row.failingSince ??= at;
  row.failedAt = at;
  row.failure = detail;
  touch(row);
  const hasFailedLong = isHeld !== true && at - row.failingSince >= failingMaxMs;
  const status = command.isGone ? 'off' : hasFailedLong ? 'paused' : undefined;
  if (status === undefined || row.status !== 'active') return undefined;
  row.status = status;
  return row;
}
