import { findKeyword } from '../../../core/number/keyword.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { chooseWebhook } from '../../../core/notification/webhook.ts';
import type { InboundRow } from '../../tables/inbound.ts';
import type { ExpireNotices, ForgetNotices, NoticeResults, WakeNotices } from '../../commands/notification.ts';
import type { Heard, NoticeRow, Outlets, Told } from '../../tables/notification.ts';
import { touch } from '../../tables/rows.ts';
import type { AlertRow, MessageRow, Rows } from '../../tables/rows.ts';

/*
 * Who is told is decided in the commit of what there is to tell: what an account is to hear is as durable as the message
 * that it is about. Where nobody is told anything, this costs one look into a map.
 */

/** Tells an account of a message from a phone (O2); undefined if nobody is to be told. */
export function noticeInbound(rows: Rows, made: InboundRow, at: Instant): NoticeRow | undefined {
  const { account } = made;
  if (account === null) return undefined;
  hear(rows, { account, kind: 'inbound', subject: made.id, told: null });
  const outlets = outletsOf(rows, made);
  if (!outlets) return undefined;
  const to = { account, outlets, bySession: outlets.hasLogin };
  return addNotice(rows, { ...to, question: questionOf(made, outlets), subject: made.id, at });
}

/** Tells an account of such a message by a notice of it that ended, or waits for what is gone; false if nobody is to be told. */
export function retellInbound(
  rows: Rows,
  made: InboundRow,
  { notice, at }: { notice: NoticeRow; at: Instant },
): boolean {
  hear(rows, { account: notice.account, kind: 'inbound', subject: made.id, told: null });
  return tellAgain(rows, { row: notice, about: made }, at);
}

/** A notice, and what it is about if that is a message from a phone. */
interface Ended {
  readonly row: NoticeRow;
  readonly about: About | undefined;
}

type About = Pick<InboundRow, 'receiver' | 'text'>;

/** Has it told under its own id, by whoever is to be told of such things now; false if that is nobody. */
export function tellAgain(rows: Rows, { row, about }: Ended, at: Instant): boolean {
  const outlets = rows.notices.outlets.get(row.account);
  if (!outlets) return false;
  const question = about ? questionOf(about, outlets) : { kind: row.kind };
  const webhook = chooseWebhook(outlets.webhooks, question)?.id ?? null;
  // Of a receipt its own row knows whether a session may get it.
  const bySession = outlets.hasLogin && (row.kind === 'inbound' || row.bySession);
  if (webhook === null && !bySession) return false;
  row.webhook = webhook;
  row.bySession = bySession;
  row.state = 'waiting';
  row.due = at;
  row.endedAt = null;
  row.replayedAt = at;
  row.replayedAfter = row.tries;
  touch(row);
  rows.notices.replayed.add(row);
  return true;
}

/** Whether what waits to be told of a message would still be told by somebody. */
export function hasOutlet(rows: Rows, made: InboundRow, notice: NoticeRow): boolean {
  const outlets = outletsOf(rows, made);
  if (!outlets || notice.account !== made.account) return false;
  return (notice.bySession && outlets.hasLogin) || outlets.webhooks.some(({ id }) => id === notice.webhook);
}

function outletsOf(rows: Rows, { account }: InboundRow): Outlets | undefined {
  return account === null ? undefined : rows.notices.outlets.get(account);
}

/** Its keyword is what `core/number/keyword.ts` finds of those that webhooks have, as it found the one that led to the account. */
function questionOf({ receiver, text }: About, { webhooks }: Outlets): NewNotice['question'] {
  const areAny = webhooks.some((webhook) => webhook.keyword !== null);
  const isKnown = (word: string) => webhooks.some((webhook) => webhook.keyword === word);
  return { kind: 'inbound', receiver, keyword: areAny ? findKeyword(text, isKnown) : null };
}

/**
 * Tells an account what became of its message, once that is final, and once more if it is put right (D6). A session is told
 * only of what was submitted over SMPP, and asked for it.
 */
export function noticeReceipt(rows: Rows, message: MessageRow, at: Instant): void {
  const { account, event, eventAt, errorCode } = message;
  const { outlets: all, listened } = rows.notices;
  if (listened.size > 0)
    hear(rows, { account, kind: 'receipt', subject: message.id, told: { event, eventAt, errorCode } });
  const outlets = all.get(account);
  if (!outlets) return;
  const to = { account, outlets, bySession: outlets.hasLogin && isWanted(message) };
  addNotice(rows, {
    ...to,
    question: { kind: 'receipt' },
    subject: message.id,
    at,
    told: { event, eventAt, errorCode },
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
export function noticeAlert(rows: Rows, alert: AlertRow): void {
  if (alert.kind !== 'low-balance') return;
  hear(rows, { account: alert.account, kind: 'alert', subject: alert.id, told: null });
  const outlets = rows.notices.outlets.get(alert.account);
  if (!outlets) return;
  const to = { account: alert.account, outlets, bySession: false };
  addNotice(rows, { ...to, question: { kind: 'alert' }, subject: alert.id, at: alert.at });
}

function hear({ notices }: Rows, heard: Heard): void {
  if (notices.listened.has(heard.account)) notices.heard.push(heard);
}

interface NewNotice {
  readonly account: number;
  readonly outlets: Outlets;
  readonly bySession: boolean;
  readonly question: Parameters<typeof chooseWebhook>[1];
  readonly subject: number;
  readonly at: Instant;
  readonly told?: Told;
}

function addNotice(
  rows: Rows,
  { account, outlets, bySession, question, subject, at, told }: NewNotice,
): NoticeRow | undefined {
  const webhook = chooseWebhook(outlets.webhooks, question)?.id ?? null;
  if (webhook === null && !bySession) return undefined;
  const row: NoticeRow = {
    change: 'new',
    id: rows.counters.notice,
    account,
    kind: question.kind,
    subject,
    event: told?.event ?? null,
    eventAt: told?.eventAt ?? null,
    errorCode: told?.errorCode ?? null,
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
  rows.counters.notice += 1;
  rows.notices.byId.set(row.id, row);
  return row;
}

export function decideWakeNotices(rows: Rows, command: WakeNotices): Result<NoticeResults['wake-notices'], never> {
  for (const row of rows.notices.woken) {
    // An earlier command of this group may have told it.
    if (row.state !== 'waiting') continue;
    row.due = command.at;
    // Of a clock that was ahead: how long it is tried counts from now on.
    row.createdAt = Math.min(row.createdAt, command.at);
    if (row.replayedAt !== null) row.replayedAt = Math.min(row.replayedAt, command.at);
    touch(row);
  }
  return ok({ isMore: rows.notices.woken.length === command.max });
}

/** Nobody came for them: they are dead letters, that a person may have told after all. */
export function decideExpireNotices(
  rows: Rows,
  command: ExpireNotices,
): Result<NoticeResults['expire-notices'], never> {
  for (const row of rows.notices.unclaimed) {
    if (row.state !== 'waiting') continue;
    row.state = 'dead';
    row.due = null;
    row.endedAt = command.at;
    row.outcome = 'no session came for it';
    touch(row);
  }
  return ok({ isMore: rows.notices.unclaimed.length === command.max });
}

/** What is told, or given up, and nobody asked for since. What an earlier command of this group has told again stays. */
export function decideForgetNotices(
  { notices }: Rows,
  { before, after, max }: ForgetNotices,
): Result<NoticeResults['forget-notices'], never> {
  let last = after;
  for (const row of notices.old) {
    if (row.kind !== 'inbound' && row.state !== 'waiting') {
      // Its time comes, and that of those behind it.
      if (row.endedAt === null || row.endedAt >= before) return ok({ last, isMore: false });
      // For a later command of this group, which has it loaded: it is no dead letter any more.
      row.state = 'delivered';
      notices.forgotten.push(row);
    }
    last = row.id;
  }
  return ok({ last, isMore: notices.old.length === max });
}
