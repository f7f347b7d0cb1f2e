/* Views of notifications for the operator. */

import type { MessageId } from '../../../core/base/message-id.ts';
import { notificationTriesMax } from '../../../core/notification/notification.ts';
import type { InputOf } from '@morsel/api/admin/resource.ts';
import type { OperationNamed } from '@morsel/api/admin/resources.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { integer, messageId, named, nullable, text } from '../../../state/tables/column.ts';
import { notificationTable, notificationTryTable } from '../../../state/tables/notification.ts';
import { pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import { webhookTable } from '../../../state/tables/webhook.ts';
import { accountIdOf } from '../account/ids-of-names.ts';
import { beforeNewest, pageOf } from '../page.ts';
import type { Queries } from '../queries.ts';
import { endOfLook, Where } from '../where.ts';
import { noWebhook } from '../../../core/named.ts';

const summaryShape = shape({
  ...pick(notificationTable, 'id', 'kind', 'event', 'bySession', 'webhook', 'state', 'due', 'tries', 'createdAt'),
  ...pick(notificationTable, 'isCallback', 'endedAt', 'triedBy', 'outcome', 'replayedAt'),
  account: named('account_name', text),
  accountId: named('account', integer),
  msgId: nullable(messageId),
  webhookStatus: nullable(webhookTable.members.status),
});

/** A notification without its content. `webhookStatus` is the present status; null if it has no webhook. */
type NotificationSummary = ShapeOf<typeof summaryShape>;

interface FindNotificationsInput extends Omit<InputOf<OperationNamed<'notification.list'>>, 'account'> {
  readonly account: number | undefined;
}

/** Adds why a waiting notification is not tried if no session of its account is bound. */
function withHeldBy({ webhookStatus, ...row }: NotificationSummary) {
  const isHeld = row.state === 'waiting' && !row.isCallback && webhookStatus !== 'active';
  return { ...row, heldBy: isHeld ? (webhookStatus ?? ('session' as const)) : null };
}
export type ShownNotification = ReturnType<typeof withHeldBy>;

const summaries = `select notification.*, account.name as account_name, webhook.status as webhook_status,
    case when notification.kind = 'alert' then null else notification.subject end as msg_id
  from notification join account on account.id = notification.account
    left join webhook on webhook.id = notification.webhook`;

/** The most notifications that one query reads if no index finds them. */
const scannedMax = 20_000;
/** The most waiting notifications that are sorted by their ids. */
const sortedMax = 10_000;

/** Lists notifications in a limited range of ids, newest first. A page that is not full may have a next page. */
async function list(queries: Queries, { account: name, ...asked }: InputOf<OperationNamed<'notification.list'>>) {
  const { webhook: id, after = beforeNewest, limit } = asked;
  const account = await accountIdOf(queries, name);
  if (!account.ok) return account;
  // A removed webhook is accepted, because it still has notifications.
  const isKnown =
    id === undefined || (await queries.value(integer, 'select id from webhook where id = ?', id)) !== undefined;
  if (!isKnown) return noWebhook(id);
  const wanted = { ...asked, account: account.value };
  const { found, filter } = wanted.state === 'waiting' ? await waitingWhere(queries, wanted) : stateWhere(wanted);
  filter.given('notification.kind = ?', wanted.kind);
  const inReach = new Where('notification.id < ?', Number(after)).with(found);
  const end = filter.isEmpty
    ? undefined
    : await endOfLook(queries, { place: 'notification.id', where: inReach, direction: 'desc', passed: scannedMax });
  const where = inReach.with(filter).given('notification.id >= ?', end);
  const rows = await queries.rows(
    summaryShape,
    `${summaries} ${where.sql} order by notification.id desc limit ?`,
    ...where.values,
    limit + 1,
  );
  const { items, next } = pageOf(rows.map(withHeldBy), limit, (row) => String(row.id));
  if (next !== null || end === undefined) return ok({ items, next });
  const searchedTo = await queries.value(integer, 'select created_at from notification where id = ?', end);
  return ok({ items, next: String(end), ...(searchedTo !== undefined && { searchedTo }) });
}

async function show(queries: Queries, { notification: id }: InputOf<OperationNamed<'notification.show'>>) {
  const row = await queries.row(summaryShape, `${summaries} where notification.id = ?`, id);
  if (!row) return refused({ code: 'does_not_exist', detail: `there is no notification ${id}` } as const);
  return ok({ ...withHeldBy(row), failures: await failuresOf(queries, id) });
}

export const notificationViews = { 'notification.list': list, 'notification.show': show };

/** The conditions for which an index finds rows, and those that are compared in the found rows. */
interface Searched {
  readonly found: Where;
  readonly filter: Where;
}

function stateWhere({ account, webhook, state }: FindNotificationsInput): Searched {
  if (state === 'dead') {
    // The state is part of the SQL text, because SQLite uses a partial index only if the condition has no parameter.
    const found = new Where("notification.state = 'dead'");
    found.given('notification.account = ?', account).given('notification.webhook = ?', webhook);
    return { found, filter: new Where() };
  }
  const filter = new Where().given('notification.state = ?', state).given('notification.webhook = ?', webhook);
  const found = new Where().given('notification.account = ?', account);
  // The filter has no index by webhook, so SQLite searches the notifications of the webhook's account.
  if (account === undefined) found.given('notification.account = (select account from webhook where id = ?)', webhook);
  return { found, filter };
}

/** If few notifications wait, indexes of destinations find them. Many are among the newest of the account. */
async function waitingWhere(queries: Queries, wanted: FindNotificationsInput): Promise<Searched> {
  const ids = waitingIds(wanted);
  const counted = `select count(*) from (${ids.sql} limit ${sortedMax}) as counted`;
  if (((await queries.value(integer, counted, ...ids.values)) ?? 0) < sortedMax) {
    const found = new Where(`notification.id in (${ids.sql})`, ...ids.values);
    return { found, filter: new Where() };
  }
  const { found, filter } = stateWhere({ ...wanted, state: undefined });
  return { found, filter: filter.and('notification.due is not null') };
}

/** Waiting notifications for a webhook, those for a session, and those for callbacks are in different indexes. */
function waitingIds({ account, webhook }: FindNotificationsInput): Pick<Where, 'sql' | 'values'> {
  const ofWebhooks = 'select id from notification where due is not null and by_session in (0, 1) and webhook in';
  const ofSessions = 'select id from notification where due is not null and by_session = 1 and account in';
  const ofCallbacks = 'select id from notification where due is not null and is_callback = 1 and account in';
  if (webhook !== undefined) {
    const own = new Where('webhook.id = ?', webhook).given('webhook.account = ?', account);
    return { sql: `${ofWebhooks} (select id from webhook ${own.sql})`, values: own.values };
  }
  const own = account === undefined ? '' : 'where account = ?';
  const one = account === undefined ? '' : 'where id = ?';
  const sql = `${ofWebhooks} (select id from webhook ${own}) union all ${ofSessions} (select id from account ${one})
    union all ${ofCallbacks} (select id from account ${one})`;
  return { sql, values: account === undefined ? [] : [account, account, account] };
}

/** The notifications about a message, the oldest first. */
export async function notificationsOfMessage(
  queries: Queries,
  id: MessageId,
  kind: 'receipt' | 'inbound',
): Promise<ShownNotification[]> {
  const found = await queries.rows(
    summaryShape,
    `${summaries} where notification.subject = ? and notification.kind = ? order by notification.id`,
    id,
    kind,
  );
  return found.map(withHeldBy);
}

const failureShape = shape({
  try: named('number', integer),
  by: named('tried_by', text),
  ...pick(notificationTryTable, 'at', 'outcome'),
});
type Failure = ShapeOf<typeof failureShape>;

/** The failed tries of a notification, the newest last. */
export async function failuresOf(queries: Queries, id: number): Promise<readonly Failure[]> {
  const newest = 'select * from notification_try where notification = ? order by number desc limit ?';
  return (await queries.rows(failureShape, newest, id, notificationTriesMax)).toReversed();
}
