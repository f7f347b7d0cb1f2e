import type { AddWebhook, ReplayNotifications, WebhookCommand } from '../../commands/webhook.ts';
import type { Rows } from '../../tables/rows.ts';
import type { DeadLetter } from '../../tables/webhook.ts';
import { keepNotification } from '../tables/notification-tables.ts';
import { text, textOrNull } from '../columns.ts';
import type { Statements } from '../statements.ts';
import { loadWebhook, secretRowFrom } from '../tables/webhook-tables.ts';

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

function loadSecrets({ webhooks }: Rows, webhook: number, statements: Statements): void {
  if (webhooks.secrets.has(webhook)) return;
  const found = statements.all('select * from webhook_secret where webhook = ? and removed_at is null', webhook);
  webhooks.secrets.set(webhook, found.map(secretRowFrom));
}

function loadLeft(rows: Rows, max: number, statements: Statements): void {
  const found = statements.all(
    `select * from notification where due is not null
      and webhook in (select id from webhook where removed_at is not null) limit ${max}`,
  );
  rows.webhooks.swept.push(...found.map((row) => keepNotification(rows, row)));
}

/** The next dead letters in the order of their ids, by the index with the fewest others. */
function findDead(rows: Rows, { wanted, after, max }: ReplayNotifications, statements: Statements): DeadLetter[] {
  const { notification, webhook, account } = wanted;
  const [where, value] =
    notification === null
      ? webhook === null
        ? account === null
          ? ["state = 'dead' and ? is null", null]
          : ["state = 'dead' and account = ?", account]
        : ["state = 'dead' and webhook = ?", webhook]
      : ['id = ?', notification];
  // SQLite would choose the index of all the account's notifications.
  const index = notification === null && webhook === null && account !== null ? ' indexed by notification_dead' : '';
  const found = statements.all(
    `select * from notification${index} where ${where} and id > ? order by id limit ${max}`,
    value,
    after,
  );
  return found.map((record) => {
    const row = keepNotification(rows, record);
    const about =
      row.kind === 'inbound'
        ? statements.get('select receiver, text from inbound where id = ?', row.subject)
        : undefined;
    return { row, about: about && { receiver: text(about, 'receiver'), text: textOrNull(about, 'text') } };
  });
}
