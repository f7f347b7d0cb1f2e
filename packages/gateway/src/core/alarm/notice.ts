/* The notification of an alarm, in each form. It has no phone numbers, texts or secrets, as alarms have none. */

import { hash } from 'node:crypto';
import { alarmTitle, type AlarmKind, type AlarmSeverity } from '@morsel/api/admin/alarm/kinds.ts';
import type { ReceiverKind } from '@morsel/api/admin/alarm/receiver.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import { formatInstant, minuteMs, type Instant } from '@morsel/api/values/time.ts';

export type AlarmTurn = 'opened' | 'closed';

/** An alarm that has opened or closed, a test of a receiver, or a summary of several alarms. */
export interface AlarmNotice {
  /** The id of the notification, the same for each try, so that a receiver can drop repeats. */
  readonly id: string;
  readonly turn: AlarmTurn;
  readonly kind: AlarmKind | 'test' | 'summary';
  readonly severity: AlarmSeverity;
  readonly subject: string;
  readonly evidence: string;
  readonly help: string;
  readonly openedAt: Instant;
  readonly closedAt: Instant | null;
  /** Only in a summary: how many alarms have opened and closed. */
  readonly counts?: { readonly opened: number; readonly closed: number };
}

/** A receiver of alarms, with its secret decrypted. */
export interface AlarmReceiver {
  readonly name: string;
  readonly kind: ReceiverKind;
  readonly to: string;
  readonly server: string | null;
  readonly user: string | null;
  readonly sender: string | null;
  readonly account: string | null;
  readonly secret: string | null;
  /** Private addresses that the receiver's URL may lead to. */
  readonly allow: readonly AddressRange[];
}

/** `detail` has no secret. */
export interface NoticeResult {
  readonly isTaken: boolean;
  readonly detail: string;
}

/** The most notifications that a receiver gets in a minute: a person can still read this many. */
export const noticesOfMinute = 6;

/**
 * The notifications to send to a receiver now: some alarms alone, critical ones first, and all others as one summary.
 * An alarm stays open for over a minute, so its opening is always sent before its end.
 */
export function sendingsOf<N extends Pick<AlarmNotice, 'severity'>>(
  notices: readonly N[],
  { tries, now }: { readonly tries: readonly Instant[]; readonly now: Instant },
): readonly (readonly N[])[] {
  const left = noticesOfMinute - tries.filter((at) => at > now - minuteMs).length;
  if (left <= 0 || notices.length === 0) return [];
  const urgent = notices.filter(({ severity }) => severity === 'critical');
  const all = [...urgent, ...notices.filter(({ severity }) => severity !== 'critical')];
  const alone = all.length <= left ? all.length : left - 1;
  const rest = all.slice(alone);
  return [...all.slice(0, alone).map((each) => [each]), ...(rest.length > 0 ? [rest] : [])];
}

/** One notification for several alarms: how many of each kind have opened and closed, and the command that lists them. */
export function summaryOf(notices: readonly AlarmNotice[]): AlarmNotice {
  const opened = notices.filter(({ turn }) => turn === 'opened');
  const closed = notices.filter(({ turn }) => turn === 'closed');
  const counts = { opened: opened.length, closed: closed.length };
  return {
    id: `alarms-${hash('sha256', notices.map(({ id }) => id).join(), 'hex').slice(0, 32)}`,
    turn: 'opened',
    kind: 'summary',
    severity: notices.some(({ severity, turn }) => severity === 'critical' && turn === 'opened')
      ? 'critical'
      : 'warning',
    subject: `${counts.opened} opened, ${counts.closed} closed`,
    evidence: `more than ${noticesOfMinute} notifications in a minute; opened: ${kindsOf(opened)}; closed: ${kindsOf(closed)}`,
    help: counts.closed === 0 ? 'morsel alarm list' : 'morsel alarm list --all',
    openedAt: Math.min(...notices.map(({ openedAt }) => openedAt)),
    closedAt: null,
    counts,
  };
}

/** How many alarms of each kind there are, such as `carrier-down 3, queue-old 9`. */
function kindsOf(notices: readonly AlarmNotice[]): string {
  const byKind = Map.groupBy(notices, ({ kind }) => kind);
  return [...byKind].map(([kind, its]) => `${kind} ${its.length}`).join(', ') || 'none';
}

/** Whether this time is within the receiver's quiet hours, such as 22:00-07:00. */
export function isQuietAt(at: Instant, { quiet, timeZone }: { quiet: string | null; timeZone: string }): boolean {
  if (quiet === null) return false;
  const now = new Intl.DateTimeFormat('sv-SE', { timeZone, hour: '2-digit', minute: '2-digit' }).format(at);
  const [from = '', to = ''] = quiet.split('-');
  return from <= to ? now >= from && now < to : now >= from || now < to;
}

/** The notification in one line, for the subject of a mail. */
export function headlineOf({ turn, kind, severity, subject }: AlarmNotice): string {
  return `Morsel: ${turn === 'opened' ? severity : 'over'}: ${alarmTitle(kind, subject)}`;
}

/** The notification in some lines, for the text of a mail. */
export function linesOf(notice: AlarmNotice): string {
  const { turn, evidence, help, openedAt, closedAt } = notice;
  const when =
    turn === 'opened' || closedAt === null
      ? `since ${formatInstant(openedAt)}`
      : `from ${formatInstant(openedAt)} to ${formatInstant(closedAt)}`;
  const more =
    turn === 'opened' ? `\nWhat helps:\n  ${help}\n\nSay that you look after it:\n  morsel alarm list\n` : '';
  return `${headlineOf(notice)}\n\n${evidence}\n${when}\n${more}`;
}

export function smsOf(notice: AlarmNotice): string {
  const { turn, evidence, help } = notice;
  return turn === 'opened' ? `${headlineOf(notice)}. ${evidence}. ${help}` : headlineOf(notice);
}

export function fieldsOfNotice({ openedAt, closedAt, counts, ...notice }: AlarmNotice): {
  readonly [field: string]: unknown;
} {
  return {
    ...notice,
    ...counts,
    openedAt: new Date(openedAt).toISOString(),
    closedAt: closedAt === null ? null : new Date(closedAt).toISOString(),
  };
}
