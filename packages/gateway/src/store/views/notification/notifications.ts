/* Views for the delivery of notifications. */

import { inboundDcs } from '../../../core/message/inbound.ts';
import { messageEvents } from '@morsel/api/values/message.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import type {
  AlertNotification,
  InboundNotification,
  Notification,
  NotificationContent,
  ReceiptNotification,
} from '../../../core/notification/notification.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { ListenEvent } from '../../tables/notification.ts';
import type { DestinationKey } from '../../commands/notification.ts';
import { micros, bytes, integer, integerOrNull, text, textOrNull } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import type { Queries } from '../queries.ts';

export interface DueNotificationsInput {
  readonly destination: DestinationKey;
  /** True if a session of the account is bound. The webhook then gets only notifications that sessions may not get. */
  readonly isBound: boolean;
  readonly at: Instant;
  /** Ids of notifications that are in memory already. They count toward the limit, but are not read again. */
  readonly known: ReadonlySet<number>;
  readonly limit: number;
}

export interface DueNotifications {
  /** The due notifications, in the order of their due times. */
  readonly notifications: readonly Notification[];
  /** True if more notifications may be due. */
  readonly isFull: boolean;
  /** When the next notification becomes due; null if no other notification waits. */
  readonly nextDue: Instant | null;
}

/** Reads the due notifications of a destination. */
export function readDueNotifications(queries: Queries, input: DueNotificationsInput): DueNotifications {
  const { destination, isBound, at, known, limit } = input;
  const ids = conditionsOf(destination, isBound)
    .flatMap(({ where, value }) =>
      queries.all(
        `select id, due from notification where ${where} and due <= ? order by due limit ?`,
        value,
        at,
        limit,
      ),
    )
    .toSorted((one, other) => integer(one, 'due') - integer(other, 'due') || integer(one, 'id') - integer(other, 'id'))
    .slice(0, limit);
  return {
    notifications: ids.flatMap((row) => {
      const id = integer(row, 'id');
      return known.has(id) ? [] : (readNotification(queries, id) ?? []);
    }),
    isFull: ids.length === limit,
    nextDue: ids.length === limit ? at : nextDue(queries, input),
  };
}

function nextDue(queries: Queries, { destination, isBound, at }: DueNotificationsInput): Instant | null {
  const found = conditionsOf(destination, isBound).flatMap(({ where, value }) => {
    const row = queries.get(`select min(due) as due from notification where ${where} and due > ?`, value, at);
    return row ? (integerOrNull(row, 'due') ?? []) : [];
  });
  return found.length === 0 ? null : Math.min(...found);
}

function conditionsOf(destination: DestinationKey, isBound: boolean): { where: string; value: number }[] {
  if (destination.kind === 'sessions') return [{ where: 'account = ? and by_session = 1', value: destination.account }];
  const own = { where: 'webhook = ? and by_session = 0', value: destination.webhook };
  return isBound ? [own] : [own, { where: 'webhook = ? and by_session = 1', value: destination.webhook }];
}

/** Reads the content of an event for `morsel listen`, even if the event has no notification. */
export function readListenEvent(
  queries: Queries,
  { kind, subject, receipt }: ListenEvent,
): NotificationContent | undefined {
  return contentOf(queries, {
    kind,
    subject,
    event: receipt?.event ?? null,
    event_at: receipt?.eventAt ?? null,
    error_code: receipt?.errorCode ?? null,
  });
}

/** Reads a notification with its content; undefined if it does not exist. */
function readNotification(queries: Queries, id: number): Notification | undefined {
  const row = queries.get('select * from notification where id = ?', id);
  const content = row && contentOf(queries, row);
  if (!content) return undefined;
  return {
    id,
    account: integer(row, 'account'),
    tries: integer(row, 'tries') - integer(row, 'replayed_after'),
    createdAt: integer(row, 'created_at'),
    triedFrom: integerOrNull(row, 'replayed_at') ?? integer(row, 'created_at'),
    ...content,
  };
}

function contentOf(queries: Queries, notification: Record): NotificationContent | undefined {
  const subject = integer(notification, 'subject');
  switch (notification['kind']) {
    case 'inbound':
      return inboundOf(queries.get('select * from inbound where id = ?', subject));
    case 'receipt':
      return receiptOf(queries, notification);
    default:
      return alertOf(
        queries.get(
          'select alert.*, account.currency from alert join account on account.id = alert.account where alert.id = ?',
          subject,
        ),
      );
  }
}

function inboundOf(row: Record | undefined): InboundNotification | undefined {
  if (!row) return undefined;
  return {
    kind: 'inbound',
    msgId: toMessageId(integer(row, 'id')),
    sender: text(row, 'sender'),
    receiver: text(row, 'receiver'),
    dcs: inboundDcs.find((dcs) => dcs === row['dcs']) ?? 'BIN',
    text: textOrNull(row, 'text'),
    octets: row['octets'] === null ? null : bytes(row, 'octets'),
    header: row['header'] === null ? null : bytes(row, 'header'),
    dataCoding: integerOrNull(row, 'data_coding'),
    numParts: integer(row, 'num_parts'),
    complete: integer(row, 'complete') === 1,
    receivedAt: integer(row, 'received_at'),
  };
}

function receiptOf(queries: Queries, notification: Record): ReceiptNotification | undefined {
  const row = queries.get(
    'select id, sender, receiver, num_parts, due_at, client_ref from message where id = ?',
    integer(notification, 'subject'),
  );
  if (!row) return undefined;
  const numParts = integer(row, 'num_parts');
  return {
    kind: 'receipt',
    msgId: toMessageId(integer(row, 'id')),
    sender: text(row, 'sender'),
    receiver: text(row, 'receiver'),
    event: messageEvents.find((event) => event === notification['event']) ?? 'unknown',
    eventAt: integer(notification, 'event_at'),
    errorCode: textOrNull(notification, 'error_code'),
    numParts,
    deliveredParts: deliveredOf(queries, notification, numParts),
    sendTime: integer(row, 'due_at'),
    clientRef: textOrNull(row, 'client_ref'),
  };
}

/**
 * How many parts were delivered at the time of the notification. The message may have been corrected since, and its
 * correction has its own notification.
 */
function deliveredOf(queries: Queries, notification: Record, numParts: number): number {
  if (notification['event'] === 'delivered') return numParts;
  if (numParts === 1) return 0;
  const row = queries.get(
    "select count(*) as delivered from part where message = ? and state = 'delivered'",
    integer(notification, 'subject'),
  );
  return Math.min(numParts - 1, row ? integer(row, 'delivered') : 0);
}

function alertOf(row: Record | undefined): AlertNotification | undefined {
  if (row?.['kind'] !== 'low-balance') return undefined;
  return {
    kind: 'alert',
    alert: 'low-balance',
    threshold: micros(row, 'threshold'),
    balance: micros(row, 'balance'),
    currency: text(row, 'currency'),
    at: integer(row, 'at'),
  };
}
