import { notificationTriesMax } from '../../../core/notification/notification.ts';
import { notificationKinds, notificationStates } from '@morsel/api/values/notification.ts';
import { messageEvents } from '@morsel/api/values/message.ts';
import type {
  ExpireNotifications,
  ForgetNotifications,
  NotificationCommand,
  DestinationKey,
} from '../../commands/notification.ts';
import type { NotificationRow, NotificationRows } from '../../tables/notification.ts';
import type { Rows } from '../../tables/rows.ts';
import type { NotificationCache } from './notification-cache.ts';
import { integer, integerOrNull, text, textOrNull } from '../columns.ts';
import type { Record } from '../columns.ts';
import type { Statements } from '../statements.ts';
import { loadWebhook } from './webhook-tables.ts';

/** Loads the notifications that a command names. */
export function loadNotifications(
  rows: Rows,
  command: NotificationCommand,
  { statements, cache }: { readonly statements: Statements; readonly cache: NotificationCache },
): void {
  const { byId } = rows.notifications;
  if (command.kind === 'notification-tried') {
    const { webhook, isDelivered } = command;
    if (webhook !== undefined && (!isDelivered || rows.webhooks.failing.has(webhook))) {
      loadWebhook(rows, webhook, statements);
    }
    if (byId.has(command.notification)) return;
    const kept = cache.get(command.notification);
    if (kept) {
      byId.set(kept.id, kept);
      return;
    }
    const row = statements.get('select * from notification where id = ?', command.notification);
    if (row) byId.set(command.notification, notificationRowFrom(row));
    return;
  }
  if (command.kind === 'expire-notifications') {
    loadUnclaimed(rows, command, statements);
    return;
  }
  if (command.kind === 'forget-notifications') {
    loadOld(rows, command, statements);
    return;
  }
  const { where, value } = destinationCondition(command.destination);
  const found = statements.all(
    `select * from notification where ${where} and due > ? order by due limit ${command.max}`,
    value,
    command.at,
  );
  rows.notifications.woken = found.map((row) => keepNotification(rows, row));
}

/**
 * An account at a time, as in the index: notifications that became due before that time were not fetched by a session.
 */
function loadUnclaimed(rows: Rows, { before, max }: ExpireNotifications, statements: Statements): void {
  const found: NotificationRow[] = [];
  for (const account of statements.all('select id from account')) {
    if (found.length === max) break;
    const waiting = statements.all(
      'select * from notification where account = ? and by_session = 1 and due < ? and webhook is null order by due limit ?',
      integer(account, 'id'),
      before,
      max - found.length,
    );
    found.push(...waiting.map((row) => keepNotification(rows, row)));
  }
  rows.notifications.unclaimed = found;
}

/** In the order of their ids. The newest stays, so that its id is not given out again. */
function loadOld(rows: Rows, { after, before, max }: ForgetNotifications, statements: Statements): void {
  const found = statements.all(
    `select * from notification where id > ? and id < (select max(id) from notification) order by id limit ${max}`,
    after,
  );
  const young = found.findIndex((row) => integer(row, 'created_at') >= before);
  rows.notifications.old = (young === -1 ? found : found.slice(0, young)).map((row) => keepNotification(rows, row));
}

/** Keeps one object for each notification, however many commands of the group name it. */
export function keepNotification({ notifications: { byId } }: Rows, row: Record): NotificationRow {
  const id = integer(row, 'id');
  const notification = byId.get(id) ?? notificationRowFrom(row);
  byId.set(notification.id, notification);
  return notification;
}

/** The rows of a destination, by an index of waiting rows only. */
function destinationCondition(destination: DestinationKey): { where: string; value: number } {
  return destination.kind === 'webhook'
    ? { where: 'webhook = ? and by_session in (0, 1)', value: destination.webhook }
    : { where: 'account = ? and by_session = 1', value: destination.account };
}

export function writeNotifications(rows: NotificationRows, statements: Statements): void {
  for (const notification of rows.byId.values()) {
    if (notification.change === 'new') insert(notification, statements);
    else if (notification.change === 'changed') update(notification, statements);
  }
  for (const { notification, number, at, triedBy, outcome } of rows.tries) {
    statements.run('insert into notification_try values (?, ?, ?, ?, ?)', notification, number, at, triedBy, outcome);
    if (number > notificationTriesMax)
      statements.run(
        'delete from notification_try where notification = ? and number = ?',
        notification,
        number - notificationTriesMax,
      );
  }
  for (const { id } of rows.forgotten) {
    statements.run('delete from notification_try where notification = ?', id);
    statements.run('delete from notification where id = ?', id);
  }
}

function insert(row: NotificationRow, statements: Statements): void {
  statements.run(
    'insert into notification values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null, 0)',
    row.id,
    row.account,
    row.kind,
    row.subject,
    row.event,
    row.eventAt,
    row.errorCode,
    row.bySession ? 1 : 0,
    row.webhook,
    row.state,
    row.due,
    row.tries,
    row.createdAt,
    row.endedAt,
    row.triedBy,
    row.outcome,
  );
}

function update(row: NotificationRow, statements: Statements): void {
  const told = [row.state, row.due, row.tries, row.endedAt, row.triedBy, row.outcome];
  statements.run(
    `update notification set state = ?, due = ?, tries = ?, ended_at = ?, tried_by = ?, outcome = ?, webhook = ?,
      by_session = ?, replayed_at = ?, replayed_after = ?, created_at = ? where id = ?`,
    ...told,
    row.webhook,
    row.bySession ? 1 : 0,
    row.replayedAt,
    row.replayedAfter,
    row.createdAt,
    row.id,
  );
}

function notificationRowFrom(row: Record): NotificationRow {
  return {
    change: 'none',
    id: integer(row, 'id'),
    account: integer(row, 'account'),
    kind: notificationKinds.find((kind) => kind === row['kind']) ?? 'inbound',
    subject: integer(row, 'subject'),
    event: messageEvents.find((event) => event === row['event']) ?? null,
    eventAt: integerOrNull(row, 'event_at'),
    errorCode: textOrNull(row, 'error_code'),
    bySession: integer(row, 'by_session') === 1,
    webhook: integerOrNull(row, 'webhook'),
    state: notificationStates.find((state) => state === text(row, 'state')) ?? 'dead',
    due: integerOrNull(row, 'due'),
    tries: integer(row, 'tries'),
    createdAt: integer(row, 'created_at'),
    endedAt: integerOrNull(row, 'ended_at'),
    triedBy: textOrNull(row, 'tried_by'),
    outcome: textOrNull(row, 'outcome'),
    replayedAt: integerOrNull(row, 'replayed_at'),
    replayedAfter: integer(row, 'replayed_after'),
  };
}
