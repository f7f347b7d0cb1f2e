/* Notifications and their failed tries. */

import type { MessageEvent } from '@morsel/api/values/message.ts';
import type { NotificationKind, NotificationState } from '@morsel/api/values/notification.ts';
import type { Notification } from '../../core/notification/notification.ts';
import type { WebhookMatch } from '../../core/notification/webhook.ts';
import { flag, idOf, integer, micros, nullable, personal, text, word } from './column.ts';
import { by } from './lookup.ts';
import { table, type RowOf } from './table.ts';

export const notificationTable = table('notification', {
  key: ['id'],
  ids: 'traffic',
  indexes: {
    notification_account: { on: ['account'] },
    notification_any_dead: { on: ['state', 'id'], where: [{ state: 'dead' }] },
    // The state in these indexes makes SQLite prefer them to the indexes of all notifications.
    notification_callback_due: { on: ['account', 'due'], where: [{ due: { not: null }, is_callback: 1 }] },
    notification_dead: { on: ['account', 'state', 'id'], where: [{ state: 'dead' }] },
    notification_session_due: { on: ['account', 'due'], where: [{ due: { not: null }, by_session: 1 }] },
    notification_subject: { on: ['subject'] },
    notification_webhook_dead: { on: ['webhook', 'state', 'id'], where: [{ state: 'dead' }] },
    notification_webhook_due: {
      on: ['webhook', 'by_session', 'due'],
      where: [{ due: { not: null }, webhook: { not: null } }],
    },
  },
  fixed: {
    id: integer,
    account: idOf('account'),
    kind: word<NotificationKind>(),
    /** The id of the inbound message, message or account with a low balance that the notification reports. */
    subject: integer,
    /** The state that a receipt reports. A correction of the message makes another notification. */
    event: nullable(word<MessageEvent>()),
    /** The time of the state, or of the low balance. */
    eventAt: nullable(integer),
    errorCode: nullable(text),
    /** For a low balance: the threshold that the balance fell below, and the balance. */
    threshold: nullable(micros),
    balance: nullable(micros),
    /** The callback of the message gets the notification, and no other destination. */
    isCallback: flag,
  },
  moving: {
    /** A receiving session of the account gets the notification if one is bound. Otherwise the webhook gets it. */
    bySession: flag,
    webhook: nullable(idOf('webhook')),
    state: word<NotificationState>(),
    /** When the notification is tried next; null unless it waits. */
    due: nullable(integer),
    tries: integer,
    createdAt: integer,
    endedAt: nullable(integer),
    /** Who made the newest try, and its result in words. */
    triedBy: nullable(text),
    outcome: nullable(personal('row', text)),
    /** When the operator last replayed the notification, and how many tries it had before. */
    replayedAt: nullable(integer),
    replayedAfter: integer,
  },
});
export type NotificationRow = RowOf<typeof notificationTable>;
export const notificationById = by(notificationTable, ['id']);
/** The notifications about an inbound message: one for each account that had the message. */
export const notificationsOfInbound = by(notificationTable, ['subject'], { member: 'kind', is: 'inbound' });

/** Failed tries of a notification, numbered from 1. */
export const notificationTryTable = table('notification_try', {
  key: ['notification', 'number'],
  fixed: {
    notification: idOf('notification'),
    number: integer,
    at: integer,
    triedBy: text,
    outcome: personal('row', text),
  },
});

/** The destinations of an account. */
export interface Destinations {
  readonly webhooks: readonly WebhookMatch[];
  /** The account has a login, so a session may be bound as receiver. */
  readonly hasLogin: boolean;
}

/** The notifications of one webhook, all that an account's sessions may get, or all for callbacks of its messages. */
export type DestinationKey =
  | { readonly kind: 'webhook'; readonly account: number; readonly webhook: number }
  | { readonly kind: 'sessions'; readonly account: number }
  | { readonly kind: 'callback'; readonly account: number };

/** For the flow after the commit: a destination has a new notification, or an account with a listener an event. */
export interface NotificationNews {
  readonly account: number;
  readonly isCallback: boolean;
  readonly bySession: boolean;
  readonly webhook: number | null;
  /** All new notifications of the destination, so that it need not read them. Undefined if it must read them. */
  readonly made?: Notification[] | undefined;
  /** The event for the listener. It has no destination, because nothing is stored for it. */
  readonly listened?: ListenEvent;
}

/** An event of an account with a listener, whether it has a destination or not. */
export type ListenEvent = Pick<NotificationRow, 'account' | 'kind' | 'subject' | keyof NotificationFigures>;

/** The content that a notification's row has itself. The rest is read from the rows that it reports. */
export type NotificationFigures = Pick<NotificationRow, 'event' | 'eventAt' | 'errorCode' | 'threshold' | 'balance'>;
export const noFigures: NotificationFigures = {
  event: null,
  eventAt: null,
  errorCode: null,
  threshold: null,
  balance: null,
};
