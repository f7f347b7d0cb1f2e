/* Views for delivering notifications. */

import { eachOf } from '../page.ts';
import type {
  AlertNotification,
  InboundNotification,
  Notification,
  NotificationContent,
  ReceiptNotification,
} from '../../../core/notification/notification.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { integer, messageId, named, nullable, text } from '../../../state/tables/column.ts';
import { inboundTable } from '../../../state/tables/inbound.ts';
import { messageTable } from '../../../state/tables/message.ts';
import { notificationTable, type ListenEvent, type DestinationKey } from '../../../state/tables/notification.ts';
import { pick, shape } from '../../../state/tables/table.ts';
import { columnsOf } from '../../table-sql.ts';
import { sentMembers } from '../message/messages.ts';
import type { Queries } from '../queries.ts';
import { readSaid } from '../sealed.ts';

export interface DueNotificationsInput {
  readonly destination: DestinationKey;
  /** True if a session of the account is bound. The webhook then gets only notifications that sessions may not get. */
  readonly isBound: boolean;
  readonly at: Instant;
  /** Ids of notifications that are in memory already. They count toward the limit, but are not read again. */
  readonly known: ReadonlySet<number>;
  readonly limit: number;
}

const dueShape = shape({ id: integer, due: integer });

/** `nextDue` is null if no other notification waits. */
export async function readDueNotifications(queries: Queries, input: DueNotificationsInput) {
  const { destination, isBound, at, known, limit } = input;
  const due = await eachOf(conditionsOf(destination, isBound), ({ where, value }) => {
    const first = `select id, due from notification where ${where} and due <= ? order by due limit ?`;
    return queries.rows(dueShape, first, value, at, limit);
  });
  const ids = due
    .flat()
    .toSorted((one, other) => one.due - other.due || one.id - other.id)
    .slice(0, limit);
  const unknown = ids.filter(({ id }) => !known.has(id));
  return {
    // In the order of due times.
    notifications: (await eachOf(unknown, async ({ id }) => (await readNotification(queries, id)) ?? [])).flat(),
    isFull: ids.length === limit,
    nextDue: ids.length === limit ? at : await nextDue(queries, input),
  };
}

async function nextDue(queries: Queries, { destination, isBound, at }: DueNotificationsInput): Promise<Instant | null> {
  const dues = await eachOf(conditionsOf(destination, isBound), ({ where, value }) => {
    const first = `select min(due) from notification where ${where} and due > ?`;
    return queries.value(nullable(integer), first, value, at);
  });
  const found = dues.flatMap((due) => due ?? []);
  return found.length === 0 ? null : Math.min(...found);
}

function conditionsOf(destination: DestinationKey, isBound: boolean): { where: string; value: number }[] {
  if (destination.kind !== 'webhook') {
    const mark = destination.kind === 'callback' ? 'is_callback' : 'by_session';
    return [{ where: `account = ? and ${mark} = 1`, value: destination.account }];
  }
  const own = { where: 'webhook = ? and by_session = 0', value: destination.webhook };
  return isBound ? [own] : [own, { where: 'webhook = ? and by_session = 1', value: destination.webhook }];
}

/** Reads the content of an event for `morsel listen`, even if the event has no notification. */
export async function readListenEvent(queries: Queries, event: ListenEvent): Promise<NotificationContent | undefined> {
  return contentOf(queries, event);
}

/** Reads one notification. Undefined if it does not exist. */
async function readNotification(queries: Queries, id: number): Promise<Notification | undefined> {
  const row = await queries.first(notificationTable, 'where id = ?', id);
  const content = row && (await contentOf(queries, row));
  if (!content) return undefined;
  const { account, tries, createdAt, replayedAt, replayedAfter } = row;
  return { id, account, tries: tries - replayedAfter, createdAt, triedFrom: replayedAt ?? createdAt, ...content };
}

async function contentOf(queries: Queries, notification: ListenEvent): Promise<NotificationContent | undefined> {
  switch (notification.kind) {
    case 'inbound':
      return readInboundContent(queries, notification.subject);
    case 'receipt':
      return readReceiptContent(queries, notification);
    case 'alert':
      return readBalanceContent(queries, notification);
  }
}

const inboundShape = shape({
  msgId: named('id', messageId),
  ...pick(inboundTable, 'account', 'sender', 'receiver', 'dcs', 'content', 'numParts'),
  ...pick(inboundTable, 'complete', 'receivedAt'),
});

async function readInboundContent(queries: Queries, id: number): Promise<InboundNotification | undefined> {
  const found = await queries.row(inboundShape, 'select * from inbound where id = ?', id);
  if (!found) return undefined;
  const { account, content, ...row } = found;
  const said = await readSaid(queries, { account, column: 'inbound.content', id }, content);
  return { kind: 'inbound', ...row, ...(said ?? { text: null, octets: null, header: null }) };
}

const receiptMembers = { ...sentMembers, ...pick(messageTable, 'callback') };
const receiptShape = shape(receiptMembers);
const receiptOf = `select ${columnsOf('message', receiptMembers)} from message where id = ?`;

async function readReceiptContent(
  queries: Queries,
  notification: ListenEvent,
): Promise<ReceiptNotification | undefined> {
  const row = await queries.row(receiptShape, receiptOf, notification.subject);
  if (!row) return undefined;
  const { event, eventAt, errorCode } = notification;
  if (event === null || eventAt === null) throw new Error('a notification of a receipt has no event');
  const deliveredParts = await countDelivered(queries, notification, row.numParts);
  return { kind: 'receipt', ...row, event, eventAt, errorCode, deliveredParts };
}

/**
 * How many parts were delivered at the time of the notification. Later corrections of the message do not count, because
 * each has its own notification.
 */
async function countDelivered(queries: Queries, { event, subject }: ListenEvent, numParts: number): Promise<number> {
  if (event === 'delivered') return numParts;
  if (numParts === 1) return 0;
  const delivered = "select count(*) from part where message = ? and state = 'delivered'";
  return Math.min(numParts - 1, (await queries.value(integer, delivered, subject)) ?? 0);
}

async function readBalanceContent(
  queries: Queries,
  { account, eventAt: at, threshold, balance }: ListenEvent,
): Promise<AlertNotification | undefined> {
  const currency = await queries.value(text, 'select currency from account where id = ?', account);
  if (currency === undefined) return undefined;
  if (at === null || threshold === null || balance === null)
    throw new Error('a notification of a low balance has no balance');
  return { kind: 'alert', alert: 'low-balance', threshold, balance, currency, at };
}
