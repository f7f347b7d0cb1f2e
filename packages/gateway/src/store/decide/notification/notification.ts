import { findKeyword } from '../../../core/number/keyword.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { chooseWebhook } from '../../../core/notification/webhook.ts';
import type { InboundRow } from '../../tables/inbound.ts';
import type {
  ExpireNotifications,
  ForgetNotifications,
  NotificationResults,
  WakeNotifications,
} from '../../commands/notification.ts';
import type { ListenEvent, NotificationRow, Destinations, ReceiptEvent } from '../../tables/notification.ts';
import { touch } from '../../tables/rows.ts';
import type { MessageRow } from '../../tables/message.ts';
import type { AlertRow } from '../../tables/alert.ts';
import type { Rows } from '../../tables/rows.ts';

/*
 * Creates notifications in the same commit as the inbound message, receipt or alert that they report. So a crash cannot
 * lose them.
 */

/**
 * Creates the notification about an inbound message (O2). Returns undefined if the account has no destination for it.
 */
export function notifyOfInbound(rows: Rows, made: InboundRow, at: Instant): NotificationRow | undefined {
  const { account } = made;
  if (account === null) return undefined;
  addListenEvent(rows, { account, kind: 'inbound', subject: made.id, receipt: null });
  const destinations = destinationsOf(rows, made);
  if (!destinations) return undefined;
  const to = { account, destinations, bySession: destinations.hasLogin };
  return addNotification(rows, { ...to, question: questionOf(made, destinations), subject: made.id, at });
}

/**
 * Delivers an inbound message again with its earlier notification. Returns false if the account has no destination for
 * it.
 */
export function renotifyOfInbound(
  rows: Rows,
  made: InboundRow,
  { notification, at }: { notification: NotificationRow; at: Instant },
): boolean {
  addListenEvent(rows, { account: notification.account, kind: 'inbound', subject: made.id, receipt: null });
  return notifyAgain(rows, { row: notification, about: made }, at);
}

/** A notification, and its inbound message, if it reports an inbound message. */
interface Ended {
  readonly row: NotificationRow;
  readonly about: About | undefined;
}

type About = Pick<InboundRow, 'receiver' | 'text'>;

/**
 * Delivers a notification again with the same id, to a current destination. Returns false if the account has no
 * destination for it.
 */
export function notifyAgain(rows: Rows, { row, about }: Ended, at: Instant): boolean {
  const destinations = rows.notifications.destinations.get(row.account);
  if (!destinations) return false;
  const question = about ? questionOf(about, destinations) : { kind: row.kind };
  const webhook = chooseWebhook(destinations.webhooks, question)?.id ?? null;
  // For a notification about a receipt, its row says whether sessions may get it.
  const bySession = destinations.hasLogin && (row.kind === 'inbound' || row.bySession);
  if (webhook === null && !bySession) return false;
  row.webhook = webhook;
  row.bySession = bySession;
  row.state = 'waiting';
  row.due = at;
  row.endedAt = null;
  row.replayedAt = at;
  row.replayedAfter = row.tries;
  touch(row);
  rows.notifications.replayed.add(row);
  return true;
}

/** Whether a waiting notification of a message still has a destination. */
export function hasDestination(rows: Rows, made: InboundRow, notification: NotificationRow): boolean {
  const destinations = destinationsOf(rows, made);
  if (!destinations || notification.account !== made.account) return false;
  return (
    (notification.bySession && destinations.hasLogin) ||
    destinations.webhooks.some(({ id }) => id === notification.webhook)
  );
}

function destinationsOf(rows: Rows, { account }: InboundRow): Destinations | undefined {
  return account === null ? undefined : rows.notifications.destinations.get(account);
}

/**
 * The facts about an inbound message that choose a webhook. The keyword is found among the keywords of the webhooks.
 */
function questionOf({ receiver, text }: About, { webhooks }: Destinations): NewNotification['question'] {
  const areAny = webhooks.some((webhook) => webhook.keyword !== null);
  const isKnown = (word: string) => webhooks.some((webhook) => webhook.keyword === word);
  return { kind: 'inbound', receiver, keyword: areAny ? findKeyword(text, isKnown) : null };
}

/**
 * Notifies an account of the final state of its message, and again if the state is corrected (D6). Sessions get this
 * only for messages with registered_delivery.
 */
export function notifyOfReceipt(rows: Rows, message: MessageRow, at: Instant): void {
  const { account, event, eventAt, errorCode } = message;
  const { destinations: all, listened } = rows.notifications;
  if (listened.size > 0)
    addListenEvent(rows, { account, kind: 'receipt', subject: message.id, receipt: { event, eventAt, errorCode } });
  const destinations = all.get(account);
  if (!destinations) return;
  const to = { account, destinations, bySession: destinations.hasLogin && isWanted(message) };
  addNotification(rows, {
    ...to,
    question: { kind: 'receipt' },
    subject: message.id,
    at,
    receipt: { event, eventAt, errorCode },
  });
}

/**
 * Whether registered_delivery asks for this receipt (SMPP 5.0, section 4.7.21): 1 for every final state, 2 for
 * failures, 3 for successes. A client that got a failure also gets its correction.
 */
function isWanted({ registered, event, corrected }: MessageRow): boolean {
  const isDelivered = event === 'delivered';
  return registered === 1 || (registered === 2 && (!isDelivered || corrected)) || (registered === 3 && isDelivered);
}

export function notifyOfAlert(rows: Rows, alert: AlertRow): void {
  const { account } = alert;
  if (alert.kind !== 'low-balance' || account === null) return;
  addListenEvent(rows, { account, kind: 'alert', subject: alert.id, receipt: null });
  const destinations = rows.notifications.destinations.get(account);
  if (!destinations) return;
  const to = { account, destinations, bySession: false };
  addNotification(rows, { ...to, question: { kind: 'alert' }, subject: alert.id, at: alert.at });
}

function addListenEvent({ notifications }: Rows, event: ListenEvent): void {
  if (notifications.listened.has(event.account)) notifications.listenEvents.push(event);
}

interface NewNotification {
  readonly account: number;
  readonly destinations: Destinations;
  readonly bySession: boolean;
  readonly question: Parameters<typeof chooseWebhook>[1];
  readonly subject: number;
  readonly at: Instant;
  readonly receipt?: ReceiptEvent;
}

function addNotification(
  rows: Rows,
  { account, destinations, bySession, question, subject, at, receipt }: NewNotification,
): NotificationRow | undefined {
  const webhook = chooseWebhook(destinations.webhooks, question)?.id ?? null;
  if (webhook === null && !bySession) return undefined;
  const row: NotificationRow = {
    change: 'new',
    id: rows.counters.notification,
    account,
    kind: question.kind,
    subject,
    event: receipt?.event ?? null,
    eventAt: receipt?.eventAt ?? null,
    errorCode: receipt?.errorCode ?? null,
    bySession,
    webhook,
    state: 'waiting',
    due: at,
    tries: 0,
    createdAt: at,
    endedAt: null,
    triedBy: null,
    outcome: null,
    replayedAt: null,
    replayedAfter: 0,
  };
  rows.counters.notification += 1;
  rows.notifications.byId.set(row.id, row);
  return row;
}

export function decideWakeNotifications(
  rows: Rows,
  command: WakeNotifications,
): Result<NotificationResults['wake-notifications'], never> {
  for (const row of rows.notifications.woken) {
    // An earlier command of the same commit may have delivered the notification.
    if (row.state !== 'waiting') continue;
    row.due = command.at;
    // If the clock ran ahead before, the creation time is corrected, so that the time for retries starts now.
    row.createdAt = Math.min(row.createdAt, command.at);
    if (row.replayedAt !== null) row.replayedAt = Math.min(row.replayedAt, command.at);
    touch(row);
  }
  return ok({ isMore: rows.notifications.woken.length === command.max });
}

/** Makes dead letters of notifications for which no session was bound in time. The operator can replay them. */
export function decideExpireNotifications(
  rows: Rows,
  command: ExpireNotifications,
): Result<NotificationResults['expire-notifications'], never> {
  for (const row of rows.notifications.unclaimed) {
    if (row.state !== 'waiting') continue;
    row.state = 'dead';
    row.due = null;
    row.endedAt = command.at;
    row.outcome = 'no session was bound in time';
    touch(row);
  }
  return ok({ isMore: rows.notifications.unclaimed.length === command.max });
}

/**
 * Deletes notifications that were delivered or given up. A notification that an earlier command of the same commit
 * replayed is kept.
 */
export function decideForgetNotifications(
  { notifications }: Rows,
  { before, after, max }: ForgetNotifications,
): Result<NotificationResults['forget-notifications'], never> {
  let last = after;
  for (const row of notifications.old) {
    if (row.kind !== 'inbound' && row.state !== 'waiting') {
      // This notification ended too recently, so all newer notifications are too recent, too.
      if (row.endedAt === null || row.endedAt >= before) return ok({ last, isMore: false });
      // A later command of the same commit may have the row loaded, and must not replay it as a dead letter.
      row.state = 'delivered';
      notifications.forgotten.push(row);
    }
    last = row.id;
  }
  return ok({ last, isMore: notifications.old.length === max });
}
