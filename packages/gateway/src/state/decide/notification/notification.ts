import { isFinal } from '../../../core/base/message.ts';
import { findKeyword } from '../../../core/number/keyword.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { echoOf } from '@morsel/api/values/message.ts';
import type {
  InboundNotification,
  NotificationContent,
  ReceiptNotification,
} from '../../../core/notification/notification.ts';
import { chooseWebhook } from '../../../core/notification/webhook.ts';
import type { OpenInbound } from '../../tables/inbound.ts';
import type { Looks } from '../../rows/reads.ts';
import { keysOfAccount, loginsOfAccount } from '../../tables/account.ts';
import {
  noFigures,
  notificationTable,
  type Destinations,
  type ListenEvent,
  type NotificationFigures,
  type NotificationRow,
} from '../../tables/notification.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import type { MessageRow } from '../../tables/message.ts';
import { webhooksOfAccount } from '../../tables/webhook.ts';

/*
 * Creates notifications in the same commit as the inbound message, receipt or low balance that they report, so a crash
 * loses none.
 */

/** Reads the destinations of an account. Commands that may give an account a message, and notify it, call this. */
export function readDestinations(read: Looks, account: number): void {
  read.all(keysOfAccount, account);
  read.all(webhooksOfAccount, account);
  read.one(loginsOfAccount, account);
}

/** The destinations of an account; undefined if it has none. */
export function destinationsOf(rows: Rows, account: number): Destinations | undefined {
  const webhooks = rows.all(webhooksOfAccount, account);
  const hasLogin = rows.one(loginsOfAccount, account) !== undefined;
  return hasLogin || webhooks.length > 0 ? { webhooks, hasLogin } : undefined;
}

/**
 * Creates the notification about an inbound message (O2). Returns undefined if the account has no destination for it.
 */
export function notifyOfInbound(rows: Rows, made: OpenInbound, at: Instant): NotificationRow | undefined {
  const { account } = made;
  if (account === null) return undefined;
  addListenEvent(rows, { account, kind: 'inbound', subject: made.id, ...noFigures });
  const destinations = destinationsOf(rows, account);
  if (!destinations) return undefined;
  const to = { account, destinations, bySession: destinations.hasLogin };
  const content = contentOfInbound(made);
  return addNotification(rows, { ...to, question: questionOf(made, destinations), subject: made.id, at, content });
}

function contentOfInbound(made: OpenInbound): InboundNotification {
  const { id: msgId, sender, receiver, dcs, text, octets, header, numParts, complete, receivedAt } = made;
  return { kind: 'inbound', msgId, sender, receiver, dcs, text, octets, header, numParts, complete, receivedAt };
}

/**
 * Delivers an inbound message again with its earlier notification. Returns false if the account has no destination for
 * it.
 */
export function renotifyOfInbound(
  rows: Rows,
  made: OpenInbound,
  { notification, at }: { notification: NotificationRow; at: Instant },
): boolean {
  addListenEvent(rows, { account: notification.account, kind: 'inbound', subject: made.id, ...noFigures });
  return notifyAgain(rows, { row: notification, about: made }, at);
}

const noDestinations: Destinations = { webhooks: [], hasLogin: false };

/** A notification that has ended, and the inbound message that it reports; undefined if it reports something else. */
interface Ended {
  readonly row: NotificationRow;
  readonly about: About | undefined;
}

type About = Pick<OpenInbound, 'receiver' | 'text'>;

/**
 * Delivers a notification again with the same id, to a current destination. Returns false if the account has no
 * destination for it.
 */
export function notifyAgain(rows: Rows, { row, about }: Ended, at: Instant): boolean {
  const destinations = destinationsOf(rows, row.account) ?? noDestinations;
  const question = about ? questionOf(about, destinations) : { kind: row.kind };
  const webhook = row.isCallback ? null : (chooseWebhook(destinations.webhooks, question)?.id ?? null);
  // The row of a notification about a receipt says whether sessions may get it.
  const bySession = destinations.hasLogin && (row.kind === 'inbound' || row.bySession);
  if (webhook === null && !bySession && !row.isCallback) return false;
  row.webhook = webhook;
  row.bySession = bySession;
  row.state = 'waiting';
  row.due = at;
  row.endedAt = null;
  row.replayedAt = at;
  row.replayedAfter = row.tries;
  touch(row);
  tellOf(rows, row);
  return true;
}

/** Whether a waiting notification of a message still has a destination. */
export function hasDestination(rows: Rows, made: OpenInbound, notification: NotificationRow): boolean {
  if (notification.account !== made.account) return false;
  const destinations = destinationsOf(rows, notification.account);
  if (!destinations) return false;
  return (
    (notification.bySession && destinations.hasLogin) ||
    destinations.webhooks.some(({ id }) => id === notification.webhook)
  );
}

/**
 * The facts that choose the webhook for an inbound message. Its keyword is searched among the keywords of the webhooks.
 */
function questionOf({ receiver, text }: About, { webhooks }: Destinations): NewNotification['question'] {
  const areAny = webhooks.some((webhook) => webhook.keyword !== null);
  const isKnown = (word: string) => webhooks.some((webhook) => webhook.keyword === word);
  return { kind: 'inbound', receiver, keyword: areAny ? findKeyword(text, isKnown) : null };
}

/**
 * Notifies an account of the final state of its message, and again if the state is corrected (D6). Sessions get this
 * only for messages whose client wants receipts. A callback gets the events that it asks for, also those on the way,
 * in place of all other destinations.
 */
export function notifyOfReceipt(rows: Rows, message: MessageRow, at: Instant): void {
  const { account, event, eventAt, errorCode, callback } = message;
  const figures = { ...noFigures, event, eventAt, errorCode };
  const ends = isFinal(event);
  if (ends && rows.listened.size > 0)
    addListenEvent(rows, { account, kind: 'receipt', subject: message.id, ...figures });
  const isAsked = callback ? callback.events.some((each) => each === event) : ends;
  const destinations = !isAsked || callback ? noDestinations : destinationsOf(rows, account);
  if (!isAsked || !destinations) return;
  const to = { account, destinations, isCallback: callback !== null };
  const bySession = destinations.hasLogin && isWanted(message);
  const content = contentOfReceipt(message);
  addNotification(rows, { ...to, bySession, question: { kind: 'receipt' }, subject: message.id, at, figures, content });
}

function contentOfReceipt(message: MessageRow): ReceiptNotification {
  const { id: msgId, sender, receiver, numParts, dueAt: sendTime, callback, event, eventAt, errorCode } = message;
  const deliveredParts = message.parts.filter(({ state }) => state === 'delivered').length;
  const sent = { msgId, sender, receiver, numParts, sendTime, callback, ...echoOf(message) };
  return { kind: 'receipt', ...sent, event, eventAt, errorCode, deliveredParts };
}

/** Whether the client wants this receipt. A client that got a failure also gets its correction. */
function isWanted({ wantedReceipts, event, corrected }: MessageRow): boolean {
  const isDelivered = event === 'delivered';
  if (wantedReceipts === 'failures') return !isDelivered || corrected;
  return wantedReceipts === 'all' || (wantedReceipts === 'successes' && isDelivered);
}

/** Notifies an account that its balance is low. Sessions cannot get this. */
export function notifyOfBalance(
  rows: Rows,
  account: number,
  { at, threshold, balance }: { readonly at: Instant; readonly threshold: Micros; readonly balance: Micros },
): void {
  const figures = { ...noFigures, eventAt: at, threshold, balance };
  addListenEvent(rows, { account, kind: 'alert', subject: account, ...figures });
  const destinations = destinationsOf(rows, account);
  if (!destinations) return;
  const to = { account, destinations, bySession: false };
  addNotification(rows, { ...to, question: { kind: 'alert' }, subject: account, at, figures });
}

function addListenEvent({ listened, news }: Rows, event: ListenEvent): void {
  const { account } = event;
  if (listened.has(account))
    news.set(`event ${news.size}`, { account, isCallback: false, bySession: false, webhook: null, listened: event });
}

interface NewNotification {
  readonly account: number;
  readonly destinations: Destinations;
  readonly bySession: boolean;
  readonly isCallback?: boolean;
  readonly question: Parameters<typeof chooseWebhook>[1];
  readonly subject: number;
  readonly at: Instant;
  readonly figures?: NotificationFigures;
  /** Undefined if it must be read. */
  readonly content?: NotificationContent;
}

function addNotification(
  rows: Rows,
  {
    account,
    destinations,
    bySession,
    isCallback = false,
    question,
    subject,
    at,
    figures = noFigures,
    content,
  }: NewNotification,
): NotificationRow | undefined {
  const webhook = chooseWebhook(destinations.webhooks, question)?.id ?? null;
  if (webhook === null && !bySession && !isCallback) return undefined;
  const row = rows.add(notificationTable, {
    id: rows.nextId(notificationTable),
    account,
    kind: question.kind,
    subject,
    ...figures,
    isCallback,
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
  });
  tellOf(rows, row, content);
  return row;
}

/** The most notifications that a commit hands over to one destination, and the most parts of their messages. */
const madeMax = 2_000;
const madePartsMax = 10;

/**
 * After the commit, the flow tells the destination of the new notification. With its content, the destination need not
 * read it. The row remains the truth: what the destination has no room for, it reads later.
 */
function tellOf({ news }: Rows, row: NotificationRow, content?: NotificationContent): void {
  const { id, account, isCallback, bySession, webhook, createdAt } = row;
  const key = `${account} ${isCallback} ${bySession} ${webhook}`;
  const told = news.get(key) ?? { account, isCallback, bySession, webhook, made: [] };
  const isSmall = content && (content.kind !== 'inbound' || content.numParts <= madePartsMax);
  if (isSmall && told.made && told.made.length < madeMax) {
    told.made.push({ id, account, tries: 0, createdAt, triedFrom: createdAt, ...content });
    news.set(key, told);
  } else news.set(key, { ...told, made: undefined });
}
