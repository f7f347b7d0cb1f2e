/* Views of notifications for the operator. */

import type { notification } from '@morsel/api/admin/notification/notification.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import { notificationTriesMax } from '../../../core/notification/notification.ts';
import { notificationKinds, notificationStates, webhookStatuses } from '@morsel/api/values/notification.ts';
import type { NotificationKind, NotificationState, WebhookStatus } from '@morsel/api/values/notification.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { integer, integerOrNull, text, textOrNull } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import { pageOf } from '../page.ts';
import type { ListInput, Page } from '../page.ts';
import type { Queries } from '../queries.ts';

type Shown = typeof notification.operations;

/** A notification in a list, without its content. */
export interface NotificationSummary extends Omit<AnswerOf<Shown['list']>['items'][number], 'heldBy'> {
  readonly accountId: number;
  /** The present status of the notification's webhook; null if it has no webhook. */
  readonly webhookStatus: WebhookStatus | null;
}

export interface NotificationView extends NotificationSummary {
  readonly replayedAt: Instant | null;
  readonly failures: AnswerOf<Shown['show']>['failures'];
}

export interface FindNotificationsInput extends ListInput {
  readonly account: number | null;
  readonly webhook: number | null;
  readonly state?: NotificationState | undefined;
  readonly kind?: NotificationKind | undefined;
}

const columns = 'notification.*, account.name as account_name, webhook.status as webhook_status';
const join = 'join account on account.id = notification.account left join webhook on webhook.id = notification.webhook';

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
  // Without this hint, SQLite would use the slower index of all notifications of the account.
  const index = state === 'dead' && account !== null && webhook === null ? ' indexed by notification_dead' : '';
  const rows = queries.all(
    `select ${columns} from notification${index} ${join}${where} order by notification.id desc limit ?`,
    ...values,
    limit + 1,
  );
  return pageOf(rows.map(summaryFrom), limit, ({ id }) => String(id));
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
  return queries
    .all(
      `select ${columns} from notification ${join} where notification.subject = ? and notification.kind = ? order by notification.id`,
      id,
      kind,
    )
    .map(summaryFrom);
}

export function readNotificationView(queries: Queries, id: number): NotificationView | undefined {
  const row = queries.get(`select ${columns} from notification ${join} where notification.id = ?`, id);
  if (!row) return undefined;
  return { ...summaryFrom(row), replayedAt: integerOrNull(row, 'replayed_at'), failures: failuresOf(queries, id) };
}

/** Reads the last failed tries of a notification, the newest last. */
export function failuresOf(queries: Queries, id: number): NotificationView['failures'] {
  return queries
    .all('select * from notification_try where notification = ? order by number desc limit ?', id, notificationTriesMax)
    .toReversed()
    .map((each) => ({
      try: integer(each, 'number'),
      at: integer(each, 'at'),
      by: text(each, 'tried_by'),
      outcome: text(each, 'outcome'),
    }));
}

function summaryFrom(row: Record): NotificationSummary {
  const kind = notificationKinds.find((each) => each === row['kind']) ?? 'inbound';
  return {
    id: integer(row, 'id'),
    account: text(row, 'account_name'),
    accountId: integer(row, 'account'),
    kind,
    msgId: kind === 'alert' ? null : integer(row, 'subject'),
    event: textOrNull(row, 'event'),
    bySession: integer(row, 'by_session') === 1,
    webhook: integerOrNull(row, 'webhook'),
    webhookStatus: webhookStatuses.find((status) => status === row['webhook_status']) ?? null,
    state: notificationStates.find((each) => each === row['state']) ?? 'dead',
    due: integerOrNull(row, 'due'),
    tries: integer(row, 'tries'),
    createdAt: integer(row, 'created_at'),
    endedAt: integerOrNull(row, 'ended_at'),
    triedBy: textOrNull(row, 'tried_by'),
    outcome: textOrNull(row, 'outcome'),
  };
}
