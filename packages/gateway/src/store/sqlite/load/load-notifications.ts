/* Loads what commands about notifications, webhooks and their secrets name. */

import type { MessageId } from '../../../core/base/message-id.ts';
import type {
  DestinationKey,
  ExpireNotifications,
  ForgetNotifications,
  NotificationCommand,
  NotificationTried,
} from '../../commands/notification.ts';
import type { AddWebhook, DeadWanted, ReplayNotifications, WebhookCommand } from '../../commands/webhook.ts';
import { accountTable } from '../../tables/account.ts';
import { inboundTable } from '../../tables/inbound.ts';
import { notificationTable } from '../../tables/notification.ts';
import type { NotificationRow } from '../../tables/notification.ts';
import type { Rows } from '../../tables/rows.ts';
import { pick, shape } from '../../tables/table.ts';
import { webhookSecretTable, webhookTable } from '../../tables/webhook.ts';
import type { DeadLetter } from '../../tables/webhook.ts';
import type { Statements } from '../statements.ts';
import type { NotificationCache } from './notification-cache.ts';

interface Sources {
  readonly statements: Statements;
  readonly cache: NotificationCache;
}

/** Loads the notifications that a command names. */
export function loadNotifications(rows: Rows, command: NotificationCommand, sources: Sources): void {
  const { notifications } = rows;
  const { statements } = sources;
  switch (command.kind) {
    case 'notification-tried':
      loadTried(rows, command, sources);
      return;
    case 'expire-notifications':
      notifications.unclaimed = findUnclaimed(rows, command, statements);
      return;
    case 'forget-notifications':
      notifications.old = findOld(rows, command, statements);
      return;
    case 'wake-notifications': {
      const { where, value } = destinationCondition(command.destination);
      const tail = `where ${where} and due > ? order by due limit ?`;
      notifications.woken = statements
        .find(notificationTable, tail, value, command.at, command.max)
        .map((row) => keepNotification(rows, row));
    }
  }
}

function loadTried(rows: Rows, command: NotificationTried, { statements, cache }: Sources): void {
  const { webhook, isDelivered, notification } = command;
  if (webhook !== undefined && (!isDelivered || rows.webhooks.failing.has(webhook))) {
    loadWebhook(rows, webhook, statements);
  }
  const { byId } = rows.notifications;
  if (byId.has(notification)) return;
  const row = cache.get(notification) ?? statements.first(notificationTable, 'where id = ?', notification);
  if (row) byId.set(notification, row);
}

const accountIdShape = shape(pick(accountTable, 'id'));

/**
 * An account at a time, as in the index: notifications that became due before that time were not fetched by a session.
 */
function findUnclaimed(rows: Rows, { before, max }: ExpireNotifications, statements: Statements): NotificationRow[] {
  const found: NotificationRow[] = [];
  for (const { id } of statements.rows(accountIdShape, 'select id from account')) {
    if (found.length === max) break;
    const tail = 'where account = ? and by_session = 1 and due < ? and webhook is null order by due limit ?';
    const waiting = statements.find(notificationTable, tail, id, before, max - found.length);
    found.push(...waiting.map((row) => keepNotification(rows, row)));
  }
  return found;
}

/** In the order of their ids. The newest stays, so that its id is not given out again. */
function findOld(rows: Rows, { after, before, max }: ForgetNotifications, statements: Statements): NotificationRow[] {
  const tail = 'where id > ? and id < (select max(id) from notification) order by id limit ?';
  const found = statements.find(notificationTable, tail, after, max);
  const young = found.findIndex((row) => row.createdAt >= before);
  return (young === -1 ? found : found.slice(0, young)).map((row) => keepNotification(rows, row));
}

/** The notifications of inbound messages. */
export function loadAboutInbound(rows: Rows, ids: readonly MessageId[], statements: Statements): void {
  const tail = "and kind = 'inbound' order by id";
  for (const row of statements.findAmong(notificationTable, { column: 'subject', values: ids, tail }))
    keepNotification(rows, row);
}

/** Keeps one object for each notification, however many commands of the group name it. */
export function keepNotification({ notifications: { byId } }: Rows, row: NotificationRow): NotificationRow {
  const known = byId.get(row.id);
  if (known) return known;
  byId.set(row.id, row);
  return row;
}

/** The rows of a destination, by an index of waiting rows only. */
function destinationCondition(destination: DestinationKey): { where: string; value: number } {
  return destination.kind === 'webhook'
    ? { where: 'webhook = ? and by_session in (0, 1)', value: destination.webhook }
    : { where: 'account = ? and by_session = 1', value: destination.account };
}

/** Loads what a command about webhooks names. */
export function loadWebhookRows(
  rows: Rows,
  command: Exclude<WebhookCommand, AddWebhook>,
  statements: Statements,
): void {
  switch (command.kind) {
    case 'sweep-notifications':
      loadLeft(rows, command.max, statements);
      return;
    case 'replay-notifications':
      rows.webhooks.dead.set(command, findDead(rows, command, statements));
      return;
    case 'remove-webhook':
    case 'add-webhook-secret':
    case 'remove-webhook-secret':
      loadWebhook(rows, command.webhook, statements);
      loadSecrets(rows, command.webhook, statements);
      return;
    default:
      loadWebhook(rows, command.webhook, statements);
  }
}

function loadWebhook({ webhooks }: Rows, id: number, statements: Statements): void {
  if (webhooks.byId.has(id)) return;
  const row = statements.first(webhookTable, 'where id = ? and removed_at is null', id);
  if (row) webhooks.byId.set(id, row);
}

function loadSecrets({ webhooks }: Rows, webhook: number, statements: Statements): void {
  if (webhooks.secrets.has(webhook)) return;
  const found = statements.find(webhookSecretTable, 'where webhook = ? and removed_at is null', webhook);
  webhooks.secrets.set(webhook, found);
}

function loadLeft(rows: Rows, max: number, statements: Statements): void {
  const found = statements.find(
    notificationTable,
    'where due is not null and webhook in (select id from webhook where removed_at is not null) limit ?',
    max,
  );
  rows.webhooks.swept.push(...found.map((row) => keepNotification(rows, row)));
}

const aboutShape = shape(pick(inboundTable, 'receiver', 'text'));

/** The next dead letters in the order of their ids, by the index with the fewest others. */
function findDead(rows: Rows, { wanted, after, max }: ReplayNotifications, statements: Statements): DeadLetter[] {
  const { where, values } = deadCondition(wanted);
  const tail = `where ${where} and id > ? order by id limit ?`;
  return statements.find(notificationTable, tail, ...values, after, max).map((found) => {
    const row = keepNotification(rows, found);
    const about =
      row.kind === 'inbound'
        ? statements.row(aboutShape, 'select receiver, text from inbound where id = ?', row.subject)
        : undefined;
    return { row, about };
  });
}

function deadCondition({ notification, webhook, account }: DeadWanted): { where: string; values: number[] } {
  if (notification !== null) return { where: 'id = ?', values: [notification] };
  if (webhook !== null) return { where: "state = 'dead' and webhook = ?", values: [webhook] };
  if (account !== null) return { where: "state = 'dead' and account = ?", values: [account] };
  return { where: "state = 'dead'", values: [] };
}
