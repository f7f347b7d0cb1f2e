/* Alarms for the operator, what the operator set for their kinds, and the receivers that are notified of them. */

import type { AlarmKind, AlarmSeverity } from '@morsel/api/admin/alarm/kinds.ts';
import type { ReceiverKind } from '@morsel/api/admin/alarm/receiver.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { ReportedKind } from '../../../core/alarm/figures.ts';
import type { AlarmTurn } from '../../../core/alarm/notice.ts';
import { by, search } from '../lookup.ts';
import { ranges } from '../account.ts';
import { flag, integer, json, named, nullable, sealed, text, within, word } from '../column.ts';
import { table, type RowOf } from '../table.ts';

export const alarmTable = table('alarm', {
  key: ['id'],
  ids: 'traffic',
  indexes: {
    alarm_open: { on: ['kind', 'subject'], isUnique: true, where: [{ closed_at: null }] },
    alarm_open_id: { on: ['id'], where: [{ closed_at: null }] },
  },
  fixed: {
    id: integer,
    kind: word<AlarmKind>(),
    subject: text,
    severity: word<AlarmSeverity>(),
    openedAt: integer,
    /** The figures that opened the alarm. */
    evidence: text,
    /** The command that helps against the alarm. */
    help: text,
  },
  moving: {
    acknowledgedAt: nullable(integer),
    acknowledgedBy: nullable(text),
    closedAt: nullable(integer),
  },
});
export type AlarmRow = RowOf<typeof alarmTable>;
export const alarmById = by(alarmTable, ['id']);
export const openAlarmAbout = by(alarmTable, ['kind', 'subject'], { member: 'closedAt', is: null });

/**
 * Reports of events that are over at once, such as a part with too small a margin. Until it expires, a report keeps the
 * alarm of its kind and subject open.
 */
export const alarmReportTable = table('alarm_report', {
  key: ['kind', 'subject', 'what'],
  fixed: {
    kind: word<ReportedKind>(),
    subject: text,
    /** Distinguishes several reports of one alarm, such as by prefix; empty if there is only one. */
    what: text,
    evidence: text,
    until: integer,
  },
});
export type AlarmReport = Omit<RowOf<typeof alarmReportTable>, 'change'>;

/** Settings of a kind of alarm. Null means the declared default. */
export const alarmSettingTable = table('alarm_setting', {
  isAudited: true,
  key: ['kind'],
  fixed: { kind: word<AlarmKind>() },
  moving: { threshold: nullable(integer), forSeconds: nullable(integer), isOn: within({ values: [0, 1] }, flag) },
});
export const alarmSettingOfKind = by(alarmSettingTable, ['kind']);

/** Quiet times: an alarm opens, but no receiver is notified. An empty subject stands for every subject. */
export const alarmQuietTable = table('alarm_quiet', {
  isAudited: true,
  key: ['kind', 'subject'],
  fixed: { kind: word<AlarmKind>(), subject: text },
  moving: { until: integer },
});
export const alarmQuietAbout = by(alarmQuietTable, ['kind', 'subject']);

export const alarmReceiverTable = table('alarm_receiver', {
  isAudited: true,
  key: ['id'],
  ids: 'operator',
  indexes: { alarm_receiver_name: { on: ['name'], isUnique: true } },
  fixed: {
    id: integer,
    name: text,
    kind: word<ReceiverKind>(),
    to: named('address', text),
    server: nullable(text),
    user: named('user_name', nullable(text)),
    sender: nullable(text),
    /** The name of the account that sends the receiver's messages. */
    account: nullable(text),
    createdAt: integer,
  },
  moving: {
    secret: nullable(sealed),
    severity: word<AlarmSeverity>(),
    /** The time of day in which warnings are held back, such as 22:00-07:00. */
    quiet: nullable(text),
    timeZone: text,
    /** Networks of private addresses that the receiver's address may be in. */
    allow: named('allowed', ranges),
    /** When the last try to notify the receiver began; null before the first. */
    triedAt: nullable(integer),
    /** When the present series of failed tries began; null if the last try was accepted. */
    failingSince: nullable(integer),
    /** The receiver's answer to the last try; null before the first. */
    outcome: nullable(text),
    /** The times of the last tries, which limit the notifications in a minute. */
    tries: json<readonly Instant[]>(),
  },
});
export type AlarmReceiverRow = RowOf<typeof alarmReceiverTable>;
export const alarmReceiverByName = by(alarmReceiverTable, ['name']);
export const allAlarmReceivers = search<[]>()('alarm_receiver.all', alarmReceiverTable, () => []);

/** A notification to a receiver that an alarm opened or closed. */
export const alarmNoticeTable = table('alarm_notice', {
  key: ['alarm', 'receiver', 'turn'],
  indexes: { alarm_notice_due: { on: ['receiver', 'due'], where: [{ due: { not: null } }] } },
  fixed: { alarm: integer, receiver: text, turn: word<AlarmTurn>() },
  moving: {
    /** When the notification is tried next; null once it has ended. */
    due: nullable(integer),
    tries: integer,
    toldAt: nullable(integer),
    /** The receiver's answer to the last try. */
    outcome: nullable(text),
  },
});
export type AlarmNoticeRow = RowOf<typeof alarmNoticeTable>;
export const noticesOfAlarm = by(alarmNoticeTable, ['alarm']);
export const noticesFor = by(alarmNoticeTable, ['receiver'], { member: 'due', isNot: null });
