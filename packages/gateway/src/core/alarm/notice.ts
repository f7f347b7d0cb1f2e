/* What a receiver hears of an alarm, in each form. Without phone numbers, texts and secrets, as alarms have none. */

import type { AlarmKind, AlarmSeverity } from '@morsel/api/admin/alarm/kinds.ts';
import type { ReceiverKind } from '@morsel/api/admin/alarm/receiver.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import { formatInstant, hourMs, minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';

export type AlarmTurn = 'opened' | 'closed';

/** An alarm that has opened or closed. */
export interface AlarmNotice {
  /** The same for each try, so that a receiver can drop repeats. */
  readonly id: string;
  readonly turn: AlarmTurn;
  readonly kind: AlarmKind | 'test';
  readonly severity: AlarmSeverity;
  readonly subject: string;
  readonly evidence: string;
  readonly help: string;
  readonly openedAt: Instant;
  readonly closedAt: Instant | null;
}

/** A receiver, with its secret opened. */
export interface AlarmReceiver {
  readonly name: string;
  readonly kind: ReceiverKind;
  readonly to: string;
  readonly server: string | null;
  readonly user: string | null;
  readonly sender: string | null;
  readonly account: string | null;
  readonly secret: string | null;
  /** Private addresses that it may lead to. */
  readonly allow: readonly AddressRange[];
}

/** What came of a try. `detail` has no secret. */
export interface Told {
  readonly isTold: boolean;
  readonly detail: string;
}

/** The waits after failed tries, in order. The last one is repeated. */
const waitsMs = [10 * secondMs, 30 * secondMs, minuteMs, 2 * minuteMs, 5 * minuteMs, 10 * minuteMs] as const;
const triedMs = 24 * hourMs;

/** When a notification is tried again after a failed try; null if it is given up. */
export function noticeRetryAt(at: Instant, { tries, since }: { tries: number; since: Instant }): Instant | null {
  const due = at + (waitsMs[Math.min(tries, waitsMs.length) - 1] ?? waitsMs[0]);
  return due - since > triedMs ? null : due;
}

/** Whether it is quiet at this time of day, in hours such as 22:00-07:00. */
export function isQuietAt(at: Instant, { quiet, timeZone }: { quiet: string | null; timeZone: string }): boolean {
  if (quiet === null) return false;
  const now = new Intl.DateTimeFormat('sv-SE', { timeZone, hour: '2-digit', minute: '2-digit' }).format(at);
  const [from = '', to = ''] = quiet.split('-');
  return from <= to ? now >= from && now < to : now >= from || now < to;
}

/** One line, for the subject of a mail. */
export function headlineOf({ turn, kind, severity, subject }: AlarmNotice): string {
  return `Morsel: ${turn === 'opened' ? severity : 'over'}: ${kind} ${subject}`;
}

/** Some lines, for a mail. */
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

/** A few words, for an SMS. */
export function smsOf(notice: AlarmNotice): string {
  const { turn, evidence, help } = notice;
  return turn === 'opened' ? `${headlineOf(notice)}. ${evidence}. ${help}` : headlineOf(notice);
}

/** For programs. */
export function fieldsOfNotice({ openedAt, closedAt, ...notice }: AlarmNotice): { readonly [field: string]: unknown } {
  return {
    ...notice,
    openedAt: new Date(openedAt).toISOString(),
    closedAt: closedAt === null ? null : new Date(closedAt).toISOString(),
  };
}
