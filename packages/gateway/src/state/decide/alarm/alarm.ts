/* Decisions about alarms: the gateway opens and closes them; operators acknowledge them and set their kinds. */

import { alarmKindOf } from '@morsel/api/admin/alarm/kinds.ts';
import { ok } from '@morsel/api/values/result.ts';
import { dayMs, type Instant } from '@morsel/api/values/time.ts';
import type { Finding } from '../../../core/alarm/figures.ts';
import { kindWith } from '../../../core/alarm/findings.ts';
import {
  alarmById,
  alarmNoticeTable,
  alarmQuietAbout,
  alarmQuietTable,
  alarmReportTable,
  alarmSettingOfKind,
  alarmSettingTable,
  alarmTable,
  noticesOfAlarm,
  openAlarmAbout,
  type AlarmNoticeRow,
  type AlarmReport,
} from '../../tables/alarm/alarm.ts';
import { effect } from '../../tables/lookup.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { invalid } from '../../../core/base/rejection.ts';
import { missing, type Decided } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { rehearsed } from '../rehearsal.ts';

interface TurnAlarms {
  readonly at: Instant;
  /** The alarms to open, each with the names of the receivers to notify. */
  readonly opens: readonly (Omit<Finding, 'because' | 'isEarly'> & { readonly receivers: readonly string[] })[];
  /** Open alarms that a receiver is notified of later, because the receiver is new or a quiet time has ended. */
  readonly later: readonly { readonly alarm: number; readonly receiver: string }[];
  /** The ids of alarms whose reason no longer exists. */
  readonly closes: readonly number[];
}

/** Closed alarms are kept for this time. */
const keptMs = 400 * dayMs;

/** Opens and closes alarms, and notes which receivers to notify. At most one alarm of a kind and subject is open. */
export const turnAlarmsCommand = {
  subject: () => 'alarms',
  ...rehearsed((rows: Rows, { at, opens, later, closes }: TurnAlarms): Decided<{ readonly opened: number }> => {
    let opened = 0;
    for (const { receivers, ...finding } of opens) {
      const { kind, subject } = finding;
      if (rows.all(openAlarmAbout, kind, subject).length > 0) continue;
      const { severity } = alarmKindOf(kind);
      const fresh = { acknowledgedAt: null, acknowledgedBy: null, closedAt: null };
      const { id } = rows.add(alarmTable, {
        id: rows.nextId(alarmTable),
        ...finding,
        severity,
        openedAt: at,
        ...fresh,
      });
      opened += 1;
      for (const receiver of receivers) addNotice(rows, { alarm: id, receiver, turn: 'opened' }, at);
    }
    for (const { alarm, receiver } of later) {
      const isOpen = rows.one(alarmById, alarm)?.closedAt === null;
      const isNoted = rows.all(noticesOfAlarm, alarm).some((each) => each.receiver === receiver);
      if (isOpen && !isNoted) addNotice(rows, { alarm, receiver, turn: 'opened' }, at);
    }
    for (const id of closes) close(rows, id, at);
    rows.run(deleteOldAlarms, at - keptMs);
    return ok({ opened });
  }),
};

/** Deletes old alarms with the notifications about them. */
const deleteOldAlarms = effect<[before: Instant]>()('alarm.delete-old');

/** Closes an alarm. Only receivers that were notified of the opening are notified of the closing. */
function close(rows: Rows, id: number, at: Instant): void {
  const row = rows.one(alarmById, id);
  if (!row || row.closedAt !== null) return;
  row.closedAt = at;
  touch(row);
  for (const notice of rows.all(noticesOfAlarm, id)) {
    if (notice.due === null) addNotice(rows, { alarm: id, receiver: notice.receiver, turn: 'closed' }, at);
    else {
      notice.due = null;
      notice.outcome = 'the alarm closed before';
      touch(notice);
    }
  }
}

export function addNotice(rows: Rows, about: Pick<AlarmNoticeRow, 'alarm' | 'receiver' | 'turn'>, at: Instant): void {
  rows.add(alarmNoticeTable, { ...about, due: at, tries: 0, toldAt: null, outcome: null });
}

const deleteOldReports = effect<[at: Instant]>()('alarm_report.delete-old');

interface ReportAlarm {
  readonly at: Instant;
  readonly report: AlarmReport;
}

/** Stores a reason for an alarm. The alarm opens at the next check of the figures. */
export const reportAlarmCommand = {
  subject: () => 'alarms',
  decide(rows: Rows, { at, report }: ReportAlarm): Decided<null> {
    rows.put(alarmReportTable, report);
    rows.run(deleteOldReports, at);
    return ok(null);
  },
};

const ack: Decision<'alarm.ack'> = (rows, { alarm: id }, { at, by }) => {
  const row = rows.one(alarmById, id);
  if (!row) return missing(`there is no alarm ${id}`);
  // The first operator who acknowledged the alarm stays recorded.
  if (row.acknowledgedAt === null) {
    row.acknowledgedAt = at;
    row.acknowledgedBy = by;
    touch(row);
  }
  return ok(null);
};

const set: Decision<'alarm.set'> = (rows, { kind, threshold, forSeconds, watched }) => {
  const { threshold: allowed } = alarmKindOf(kind);
  if (threshold !== undefined && !allowed) return invalid('threshold', `${kind} has no threshold`);
  if (threshold !== undefined && allowed && (threshold < allowed.min || threshold > allowed.max))
    return invalid('threshold', `must be from ${allowed.min} to ${allowed.max} ${allowed.unit}`);
  const row =
    rows.one(alarmSettingOfKind, kind) ??
    rows.add(alarmSettingTable, { kind, threshold: null, forSeconds: null, isOn: true });
  if (threshold !== undefined) row.threshold = threshold;
  if (forSeconds !== undefined) row.forSeconds = forSeconds;
  if (watched !== undefined) row.isOn = watched === 'yes';
  touch(row);
  return ok(kindWith(kind, row));
};

/** Sets a quiet time. Until it ends, no receiver is notified of alarms of this kind and subject. */
const quiet: Decision<'alarm.quiet'> = (rows, { kind, subject, until }) => {
  const row = rows.one(alarmQuietAbout, kind, subject);
  if (row) {
    row.until = until;
    touch(row);
  } else rows.add(alarmQuietTable, { kind, subject, until });
  return ok({ kind, subject, until });
};

export const ofAlarms = { isSetting: false, subject: () => 'alarms' } as const;

export const alarmDecisions = {
  'alarm.ack': { ...ofAlarms, decide: ack },
  'alarm.set': { ...ofAlarms, decide: set },
  'alarm.quiet': { ...ofAlarms, decide: quiet },
};
