/* Notifications, their failed tries, and what one group of commands does to them. */

import type { MessageEvent } from '@morsel/api/values/message.ts';
import type { NotificationKind, NotificationState } from '@morsel/api/values/notification.ts';
import type { WebhookMatch } from '../../core/notification/webhook.ts';
import { flag, integer, nullable, text, word } from './column.ts';
import { table } from './table.ts';
import type { RowOf } from './table.ts';

export const notificationTable = table('notification', {
  key: ['id'],
  fixed: {
    id: integer,
    account: integer,
    kind: word<NotificationKind>(),
    /** The inbound message, the message or the alert that it is about. */
    subject: integer,
    /** The state in a receipt. A correction of the message makes another notification. */
    event: nullable(word<MessageEvent>()),
    eventAt: nullable(integer),
    errorCode: nullable(text),
  },
  moving: {
    /** A receiving session of the account gets it, if one is bound. Otherwise its webhook gets it. */
    bySession: flag,
    webhook: nullable(integer),
    state: word<NotificationState>(),
    /** When it is tried next; null unless it waits. */
    due: nullable(integer),
    tries: integer,
    createdAt: integer,
    endedAt: nullable(integer),
    /** Who made its newest try, and the result in words. */
    triedBy: nullable(text),
    outcome: nullable(text),
    /** When the operator replayed it, and after how many tries. */
    replayedAt: nullable(integer),
    replayedAfter: integer,
  },
});
export type NotificationRow = RowOf<typeof notificationTable>;

/** Failed tries of a notification, numbered from 1. */
export const notificationTryTable = table('notification_try', {
  key: ['notification', 'number'],
  fixed: { notification: integer, number: integer, at: integer, triedBy: text, outcome: text },
});
type NotificationTryRow = Omit<RowOf<typeof notificationTryTable>, 'change'>;

/** The destinations of an account. */
export interface Destinations {
  readonly webhooks: readonly WebhookMatch[];
  /** It has a login, so a session may be bound as receiver. */
  readonly hasLogin: boolean;
}

/** A destination has a new notification. Sent to the flow after the commit. */
export interface NotificationNews {
  readonly account: number;
  readonly bySession: boolean;
  readonly webhook: number | null;
}

/** An event of an account with a listener, whether it has a destination or not. */
export interface ListenEvent {
  readonly account: number;
  readonly kind: NotificationKind;
  readonly subject: number;
  readonly receipt: ReceiptEvent | null;
}

/** The content of a receipt. */
export type ReceiptEvent = Pick<NotificationRow, 'event' | 'eventAt' | 'errorCode'>;

/** Notifications that one group has loaded and made. */
export class NotificationRows {
  /** Accounts with a listener. Groups share one set. */
  listened: ReadonlySet<number> = new Set();
  readonly listenEvents: ListenEvent[] = [];

  /** The destinations of accounts that have any. Groups share one map. */
  destinations: ReadonlyMap<number, Destinations> = new Map();
  /** Notifications that commands name or make, by id. */
  readonly byId = new Map<number, NotificationRow>();
  readonly tries: NotificationTryRow[] = [];
  /** Dead letters to deliver again. */
  readonly replayed = new Set<NotificationRow>();
  /** The oldest of those to wake. */
  woken: readonly NotificationRow[] = [];
  /** Notifications for sessions that no session came for. */
  unclaimed: readonly NotificationRow[] = [];
  /** The oldest behind a place; those that ended long ago are deleted. */
  old: readonly NotificationRow[] = [];
  readonly forgotten: NotificationRow[] = [];
  /** Webhooks or logins changed: the map of destinations is read again after the commit. */
  haveDestinationsChanged = false;

  news(): NotificationNews[] {
    const found = new Map<string, NotificationNews>();
    for (const row of this.byId.values()) {
      const { change, account, bySession, webhook } = row;
      if (change === 'new' || this.replayed.has(row))
        found.set(`${account} ${bySession} ${webhook}`, { account, bySession, webhook });
    }
    return [...found.values()];
  }
}
