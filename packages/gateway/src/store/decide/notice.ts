import { keywordOf } from '../../core/keyword.ts';
import { ok } from '../../core/result.ts';
import type { Result } from '../../core/result.ts';
import type { Instant } from '../../core/time.ts';
import { chooseWebhook } from '../../core/webhook.ts';
import type { InboundRow } from '../inbound-rows.ts';
import type { NoticeResults, WakeNotices } from '../notice-commands.ts';
import type { NoticeRow, Outlets } from '../notice-rows.ts';
import { touch } from '../rows.ts';
import type { AlertRow, MessageRow, Rows } from '../rows.ts';

/*
 * Who is told is decided in the commit of what there is to tell: what an account is to hear is as durable as the message
 * that it is about. Where nobody is told anything, this costs one look into a map.
 */

/** Tells an account of a message from a phone (O2). */
export function noticeInbound(rows: Rows, made: InboundRow, at: Instant): void {
  const outlets = made.account === null ? undefined : rows.notices.outlets.get(made.account);
  if (made.account === null || !outlets) return;
  const question = { kind: 'inbound', receiver: made.receiver, keyword: keywordOf(made.text) } as const;
  const to = { account: made.account, outlets, bySession: outlets.hasLogin };
  addNotice(rows, { ...to, question, subject: made.id, at });
}

/** Tells an account what became of its message, once that is final, and once more if it is put right (D6). */
export function noticeReceipt(rows: Rows, message: MessageRow, at: Instant): void {
  const outlets = rows.notices.outlets.get(message.account);
  if (!outlets) return;
  const to = { account: message.account, outlets, bySession: false };
  const { event, eventAt, errorCode } = message;
  addNotice(rows, {
    ...to,
    question: { kind: 'receipt' },
    subject: message.id,
    at,
    told: { event, eventAt, errorCode },
  });
}

/** Tells an account of an alert that it should know of. */
export function noticeAlert(rows: Rows, alert: AlertRow): void {
  const outlets = rows.notices.outlets.get(alert.account);
  if (!outlets || alert.kind !== 'low-balance') return;
  const to = { account: alert.account, outlets, bySession: false };
  addNotice(rows, { ...to, question: { kind: 'alert' }, subject: alert.id, at: alert.at });
}

interface NewNotice {
  readonly account: number;
  readonly outlets: Outlets;
  readonly bySession: boolean;
  readonly question: Parameters<typeof chooseWebhook>[1];
  readonly subject: number;
  readonly at: Instant;
  readonly told?: Pick<NoticeRow, 'event' | 'eventAt' | 'errorCode'>;
}

function addNotice(rows: Rows, { account, outlets, bySession, question, subject, at, told }: NewNotice): void {
  const webhook = chooseWebhook(outlets.webhooks, question)?.id ?? null;
  if (webhook === null && !bySession) return;
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
}

export function decideWakeNotices(rows: Rows, command: WakeNotices): Result<NoticeResults['wake-notices'], never> {
  for (const row of rows.notices.woken) {
    // An earlier command of this group may have told it.
    if (row.state !== 'waiting') continue;
    row.due = command.at;
    touch(row);
  }
  return ok({ isMore: rows.notices.woken.length === command.max });
}
