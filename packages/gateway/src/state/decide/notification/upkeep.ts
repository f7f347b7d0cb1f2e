/* Commands on waiting notifications, and on notifications that ended long ago. */

import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { effect, search } from '../../tables/lookup.ts';
import { notificationTable, type DestinationKey } from '../../tables/notification.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { rehearsed } from '../rehearsal.ts';

interface MayBeMore {
  readonly isMore: boolean;
}

/** Makes waiting notifications due now, at most `max` of them. */
interface WakeNotifications {
  readonly at: Instant;
  readonly destination: DestinationKey;
  readonly max: number;
}

/** The waiting notifications of a destination. The index has only waiting ones. */
const laterFor = {
  webhook: search<[webhook: number, at: Instant, max: number]>()('notification.later-for-webhook', notificationTable),
  sessions: search<[account: number, at: Instant, max: number]>()('notification.later-for-sessions', notificationTable),
  callback: search<[account: number, at: Instant, max: number]>()('notification.later-for-callback', notificationTable),
};

export const wakeNotificationsCommand = rehearsed(
  (rows: Rows, { destination, at, max }: WakeNotifications): Result<MayBeMore, never> => {
    const found = rows.all(laterFor[destination.kind], ownerOf(destination), at, max);
    for (const row of found) {
      // An earlier command of the same commit may have delivered the notification.
      if (row.state !== 'waiting') continue;
      row.due = at;
      // If the clock ran ahead before, the creation time is corrected, so that the time for retries starts now.
      row.createdAt = Math.min(row.createdAt, at);
      if (row.replayedAt !== null) row.replayedAt = Math.min(row.replayedAt, at);
      touch(row);
    }
    return ok({ isMore: found.length === max });
  },
);

function ownerOf(destination: DestinationKey): number {
  return destination.kind === 'webhook' ? destination.webhook : destination.account;
}

/** Gives up notifications that no destination will get: at most `max` for sessions and `max` for removed webhooks. */
interface ExpireNotifications {
  readonly at: Instant;
  /** Notifications for sessions that were due before this instant and were not fetched are given up; null for none. */
  readonly before: Instant | null;
  readonly max: number;
}

const unclaimed = search<[before: Instant, max: number]>()('notification.unclaimed', notificationTable);
const leftByWebhooks = search<[max: number]>()('notification.left-by-webhooks', notificationTable);

/** Makes dead letters, which can be replayed. Sessions may still get the notifications of a removed webhook. */
export const expireNotificationsCommand = rehearsed(
  (rows: Rows, { at, before, max }: ExpireNotifications): Result<MayBeMore, never> => {
    const left = rows.all(leftByWebhooks, max);
    const late = before === null ? [] : rows.all(unclaimed, before, max);
    for (const row of [...left, ...late]) {
      if (row.state !== 'waiting') continue;
      touch(row);
      const isLeft = row.webhook !== null;
      if (isLeft && row.bySession) {
        row.webhook = null;
        continue;
      }
      row.state = 'dead';
      row.due = null;
      row.endedAt = at;
      row.outcome = isLeft ? 'the webhook was removed' : 'no session was bound in time';
    }
    return ok({ isMore: left.length === max || late.length === max });
  },
);

/**
 * Deletes receipts and alerts that were delivered or given up before the instant `before`. The command checks no more
 * than `max` notifications, starting after the id `after`. Notifications of inbound messages stay as long as their
 * messages, which can be replayed.
 */
interface ForgetNotifications {
  readonly at: Instant;
  readonly before: Instant;
  readonly after: number;
  readonly max: number;
}

/** The notifications after an id, but not the newest: it stays, so that its id is not given out again. */
const following = search<[after: number, max: number]>()('notification.following', notificationTable);

/** Deletes a notification with its tries. */
const deleteNotification = effect<[notification: number]>()('notification.delete');

interface Looked extends MayBeMore {
  /** The id of the last notification that was checked. */
  readonly last: number;
}

/**
 * Deletes notifications that were delivered or given up. A notification that an earlier command of the same commit
 * replayed is kept.
 */
export const forgetNotificationsCommand = rehearsed(
  (rows: Rows, { before, after, max }: ForgetNotifications): Result<Looked, never> => {
    const found = rows.all(following, after, max);
    let last = after;
    for (const row of found) {
      const isKept = row.kind === 'inbound' || row.state === 'waiting';
      // This notification is too recent, so all newer notifications are too recent, too.
      if (row.createdAt >= before || (!isKept && (row.endedAt === null || row.endedAt >= before)))
        return ok({ last, isMore: false });
      if (!isKept) {
        // A later command of the same commit may have the same row, and must not replay it as a dead letter.
        row.state = 'delivered';
        rows.run(deleteNotification, row.id);
      }
      last = row.id;
    }
    return ok({ last, isMore: found.length === max });
  },
);
