import { notificationKinds, notificationStates } from '@morsel/api/values/notification.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import { name, oneOf, optional, readFields, wholeNumber } from '../../operator/fields.ts';
import type { Fields } from '../../operator/fields.ts';
import { webhookId } from '../../operator/notification/webhook-fields.ts';
import type { NotificationSummary, NotificationView } from '../../store/views/notification/notification-list.ts';
import type { Sessions } from '../smpp/sessions.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import { time, timeOrNull } from './present.ts';
import { shown } from './questions.ts';
import type { QuestionNeeds } from './questions.ts';
import type { Answer } from './answer.ts';

/* What the operator asks of notifications. */

export interface NotificationNeeds extends QuestionNeeds {
  readonly snapshot: () => Snapshot;
  readonly sessions: Pick<Sessions, 'receivers'>;
}

const limitMax = 1_000;
const limitDefault = 50;
const notificationMax = Number.MAX_SAFE_INTEGER;
const notificationId = wholeNumber(1, notificationMax);

const notificationFields = {
  account: optional(name, null),
  webhook: optional(webhookId, null),
  state: optional(oneOf(notificationStates), null),
  kind: optional(oneOf(notificationKinds), null),
  before: optional(notificationId, null),
  limit: optional(wholeNumber(1, limitMax), limitDefault),
};

/** What accounts are told, the newest first and without texts, and where to go on as `before` if there may be more. */
export async function askNotifications(needs: NotificationNeeds, fields: Fields): Answer {
  const read = readFields(notificationFields, fields);
  if (!read.ok) return read;
  const { account: wanted, webhook } = read.value;
  const owner = [...needs.snapshot().accounts.values()].find((each) => each.name === wanted);
  if (wanted !== null && !owner) {
    return refused({ code: 'does_not_exist', detail: `there is no account named ${wanted}` });
  }
  if (webhook !== null) {
    const known = await needs.reader.ask('webhooks', { account: null, webhook, isRemovedToo: true });
    if (!known.ok) return known;
    if (known.value.length === 0) return refused({ code: 'does_not_exist', detail: `there is no webhook ${webhook}` });
  }
  return shown(await needs.reader.ask('notifications', { ...read.value, account: owner?.id ?? null }), (found) => ({
    notifications: found.notifications.map((notification) => showNotification(needs, notification)),
    next: found.next === null ? null : String(found.next),
  }));
}

/** One notification, with its failed tries. */
export async function askNotification(needs: NotificationNeeds, fields: Fields): Answer {
  const read = readFields({ notification: notificationId }, fields);
  if (!read.ok) return read;
  const { notification } = read.value;
  const found = await needs.reader.ask('notification', notification);
  if (!found.ok) return found;
  return found.value
    ? ok(showOneNotification(needs, found.value))
    : refused({ code: 'does_not_exist', detail: `there is no notification ${notification}` });
}

export function showNotification(
  needs: NotificationNeeds,
  notification: NotificationSummary,
): { readonly [member: string]: Json } {
  const held = heldBy(needs, notification);
  return {
    id: String(notification.id),
    account: notification.account,
    kind: notification.kind,
    msgId: notification.msgId === null ? null : String(notification.msgId),
    event: notification.event,
    webhook: notification.webhook === null ? null : String(notification.webhook),
    bySession: notification.bySession,
    state: notification.state,
    due: held === null ? timeOrNull(notification.due) : null,
    heldBy: held,
    tries: notification.tries,
    createdAt: time(notification.createdAt),
    endedAt: timeOrNull(notification.endedAt),
    triedBy: notification.triedBy,
    outcome: notification.outcome,
  };
}

function showOneNotification(needs: NotificationNeeds, notification: NotificationView): Json {
  return {
    ...showNotification(needs, notification),
    replayedAt: timeOrNull(notification.replayedAt),
    failures: notification.failures.map(({ number, at, by, outcome }) => ({ try: number, at: time(at), by, outcome })),
  };
}

/** Why it will not be tried at the time that it has: its webhook is stopped, or it waits for a session; null if it will. */
function heldBy(
  { sessions }: NotificationNeeds,
  notification: NotificationSummary,
): 'paused' | 'off' | 'session' | null {
  const { state, bySession, accountId, webhook, webhookStatus } = notification;
  if (state !== 'waiting') return null;
  if (bySession && sessions.receivers(accountId).length > 0) return null;
  if (webhook === null || webhookStatus === null) return 'session';
  return webhookStatus === 'active' ? null : webhookStatus;
}
