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
import type { AlertRow, MessageRow, Rows } from '../../tables/rows.ts';

/*
 * Who is told is decided in the commit of what there is to tell: what an account is to hear is as durable as the message
 * that it is about. Where nobody is told anything, this costs one look into a map.
 */

/** Tells an account of a message from a phone (O2); undefined if nobody is to be told. */
export function notifyOfInbound(rows: Rows, made: InboundRow, at: Instant): NotificationRow | undefined {
  const { account } = made;
  if (account === null) return undefined;
  addListenEvent(rows, { account, kind: 'inbound', subject: made.id, receipt: null });
  const destinations = destinationsOf(rows, made);
  if (!destinations) return undefined;
  const to = { account, destinations, bySession: destinations.hasLogin };
  return addNotification(rows, { ...to, question: questionOf(made, destinations), subject: made.id, at });
}

/** Tells an account of such a message by a notification of it that ended, or waits for what is gone; false if nobody is to be told. */
export function renotifyOfInbound(
  rows: Rows,
  made: InboundRow,
  { notification, at }: { notification: NotificationRow; at: Instant },
): boolean {
  addListenEvent(rows, { account: notification.account, kind: 'inbound', subject: made.id, receipt: null });
  return notifyAgain(rows, { row: notification, about: made }, at);
}

/** A notification, and what it is about if that is a message from a phone. */
interface Ended {
  readonly row: NotificationRow;
  readonly about: About | undefined;
}

type About = Pick<InboundRow, 'receiver' | 'text'>;

/** Has it told under its own id, by whoever is to be told of such things now; false if that is nobody. */
export function notifyAgain(rows: Rows, { row, about }: Ended, at: Instant): boolean {
  const destinations = rows.notifications.destinations.get(row.account);
  if (!destinations) return false;
  const question = about ? questionOf(about, destinations) : { kind: row.kind };
  const webhook = chooseWebhook(destinations.webhooks, question)?.id ?? null;
  // Of a receipt its own row knows whether a session may get it.
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

/** Whether what waits to be told of a message would still be told by somebody. */
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

/** Its keyword is what `core/number/keyword.ts` finds of those that webhooks have, as it found the one that led to the account. */
function questionOf({ receiver, text }: About, { webhooks }: Destinations): NewNotification['question'] {
  const areAny = webhooks.some((webhook) => webhook.keyword !== null);
  const isKnown = (word: string) => webhooks.some((webhook) => webhook.keyword === word);
  return { kind: 'inbound', receiver, keyword: areAny ? findKeyword(text, isKnown) : null };
}

/**
 * Tells an account what became of its message, once that is final, and once more if it is put right (D6). A session is told
 * only of what was submitted over SMPP, and asked for it.
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
 * registered_delivery (SMPP 5.0, section 4.7.21): 1 for every end, 2 for failures, 3 for successes. Whoever was told of a
 * failure that was none is told so.
 */
function isWanted({ registered, event, corrected }: MessageRow): boolean {
  const isDelivered = event === 'delivered';
  return registered === 1 || (registered === 2 && (!isDelivered || corrected)) || (registered === 3 && isDelivered);
}

/** Tells an account of an alert that it should know of. */
export function notifyOfAlert(rows: Rows, alert: AlertRow): void {
  if (alert.kind !== 'low-balance') return;
  addListenEvent(rows, { account: alert.account, kind: 'alert', subject: alert.id, receipt: null });
  const destinations = rows.notifications.destinations.get(alert.account);
  if (!destinations) return;
  const to = { account: alert.account, destinations, bySession: false };
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
    // An earlier command of this group may have told it.
    if (row.state !== 'waiting') continue;
    row.due = command.at;
    // Of a clock that was ahead: how long it is tried counts from now on.
    row.createdAt = Math.min(row.createdAt, command.at);
    if (row.replayedAt !== null) row.replayedAt = Math.min(row.replayedAt, command.at);
    touch(row);
  }
  return ok({ isMore: rows.notifications.woken.length === command.max });
}

/** Nobody came for them: they are dead letters, that a person may have told after all. */
export function decideExpireNotifications(
  rows: Rows,
  command: ExpireNotifications,
): Result<NotificationResults['expire-notifications'], never> {
  for (const row of rows.notifications.unclaimed) {
    if (row.state !== 'waiting') continue;
    row.state = 'dead';
    row.due = null;
    row.endedAt = command.at;
    row.outcome = 'no session came for it';
    touch(row);
  }
  return ok({ isMore: rows.notifications.unclaimed.length === command.max });
}

/** What is told, or given up, and nobody asked for since. What an earlier command of this group has told again stays. */
export function decideForgetNotifications(
  { notifications }: Rows,
  { before, after, max }: ForgetNotifications,
): Result<NotificationResults['forget-notifications'], never> {
  let last = after;
  for (const row of notifications.old) {
    if (row.kind !== 'inbound' && row.state !== 'waiting') {
      // Its time comes, and that of those behind it.
      if (row.endedAt === null || row.endedAt >= before) return ok({ last, isMore: false });
      // For a later command of this group, which has it loaded: it is no dead letter any more.
      row.state = 'delivered';
      notifications.forgotten.push(row);
    }
    last = row.id;
  }
  return ok({ last, isMore: notifications.old.length === max });
}
