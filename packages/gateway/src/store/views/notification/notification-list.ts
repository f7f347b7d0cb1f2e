/* Views of notifications for the operator. */

import type { MessageId } from '../../../core/base/message-id.ts';
import { notificationTriesMax } from '../../../core/notification/notification.ts';
import type { NotificationKind, NotificationState } from '@morsel/api/values/notification.ts';
import { integer, messageId, named, nullable, text } from '../../tables/column.ts';
import { notificationTable, notificationTryTable } from '../../tables/notification.ts';
import { pick, shape } from '../../tables/table.ts';
import type { ShapeOf } from '../../tables/table.ts';
import { webhookTable } from '../../tables/webhook.ts';
import { pageOf } from '../page.ts';
import type { ListInput, Page } from '../page.ts';
import type { Queries } from '../queries.ts';

const summaryShape = shape({
  ...pick(notificationTable, 'id', 'kind', 'event', 'bySession', 'webhook', 'state', 'due', 'tries', 'createdAt'),
  ...pick(notificationTable, 'endedAt', 'triedBy', 'outcome', 'replayedAt'),
  account: named('account_name', text),
  accountId: named('account', integer),
  msgId: nullable(messageId),
  webhookStatus: nullable(webhookTable.members.status),
});

/**
 * A notification in a list, without its content. `webhookStatus` is the present status of its webhook; null if it has no
 * webhook.
 */
export type NotificationSummary = ShapeOf<typeof summaryShape>;

export interface FindNotificationsInput extends ListInput {
  readonly account: number | null;
  readonly webhook: number | null;
  readonly state?: NotificationState | undefined;
  readonly kind?: NotificationKind | undefined;
}

const summaries = `select notification.*, account.name as account_name, webhook.status as webhook_status,
    case when notification.kind = 'alert' then null else notification.subject end as msg_id
  from notification join account on account.id = notification.account
    left join webhook on webhook.id = notification.webhook`;

/** Finds notifications, the newest first. Each combination of filters uses an index. */
export function findNotifications(queries: Queries, wanted: FindNotificationsInput): Page<NotificationSummary> {
  const { account, webhook, state, kind, after, limit } = wanted;
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const ask = (condition: string, value: string | number | null | undefined) => {
    if (value === null || value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  if (state === 'waiting') {
    const waiting = waitingOf(wanted);
    conditions.push(waiting.condition);
    values.push(...waiting.values);
  } else {
    // The state is part of the SQL text, because SQLite uses a partial index only if the condition has no parameter.
    if (state === 'dead') conditions.push("notification.state = 'dead'");
    else ask('notification.state = ?', state);
    ask('notification.account = ?', account);
    ask('notification.webhook = ?', webhook);
    // There is no index of webhooks for these, so SQLite searches the notifications of the webhook's account.
    if (state !== 'dead' && account === null)
      ask('notification.account = (select account from webhook where id = ?)', webhook);
  }
  ask('notification.kind = ?', kind);
  ask('notification.id < ?', after === undefined ? null : Number(after));
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  const rows = queries.rows(
    summaryShape,
    `${summaries}${where} order by notification.id desc limit ?`,
    ...values,
    limit + 1,
  );
  return pageOf(rows, limit, ({ id }) => String(id));
}

/**
 * The condition for waiting notifications. Notifications that wait for a webhook and for a session have different
 * indexes.
 */
function waitingOf({ account, webhook }: FindNotificationsInput): { condition: string; values: number[] } {
  const ofWebhook = 'select id from notification where due is not null and by_session in (0, 1) and webhook';
  const ofSession = 'select id from notification where due is not null and by_session = 1 and account';
  if (webhook !== null) {
    const condition = `notification.id in (${ofWebhook} = ?)${account === null ? '' : ' and +notification.account = ?'}`;
    return { condition, values: account === null ? [webhook] : [webhook, account] };
  }
  return account === null
    ? {
        condition: `notification.id in (${ofWebhook} in (select id from webhook) union all ${ofSession} in (select id from account))`,
        values: [],
      }
    : {
        condition: `notification.id in (${ofWebhook} in (select id from webhook where account = ?) union all ${ofSession} = ?)`,
        values: [account, account],
      };
}

/** Reads the notifications about a message, the oldest first. */
export function notificationsOfMessage(
  queries: Queries,
  id: MessageId,
  kind: 'receipt' | 'inbound',
): NotificationSummary[] {
  return queries.rows(
    summaryShape,
    `${summaries} where notification.subject = ? and notification.kind = ? order by notification.id`,
    id,
    kind,
  );
}

type NotificationView = NotificationSummary & { readonly failures: readonly Failure[] };

export function readNotificationView(queries: Queries, id: number): NotificationView | undefined {
  const row = queries.row(summaryShape, `${summaries} where notification.id = ?`, id);
  return row && { ...row, failures: failuresOf(queries, id) };
}

const failureShape = shape({
  try: named('number', integer),
  by: named('tried_by', text),
  ...pick(notificationTryTable, 'at', 'outcome'),
});
type Failure = ShapeOf<typeof failureShape>;

/** Reads the last failed tries of a notification, the newest last. */
export function failuresOf(queries: Queries, id: number): readonly Failure[] {
  const newest = 'select * from notification_try where notification = ? order by number desc limit ?';
  return queries.rows(failureShape, newest, id, notificationTriesMax).toReversed();
}
