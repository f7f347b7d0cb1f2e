/* Commands about alarms: the gateway opens and closes them, an operator acknowledges them and sets their kinds. */

import { alarmKindOf } from '@morsel/api/admin/alarm/kinds.ts';
import type { AlarmKind } from '@morsel/api/admin/alarm/kinds.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { AlarmSetting, Finding } from '../../../core/alarm/findings.ts';
import type { Needs } from '../../rows/needs.ts';
import {
  alarmById,
  alarmSettingOfKind,
  alarmSettingTable,
  alarmTable,
  openAlarmAbout,
} from '../../tables/alarm/alarm.ts';
import { touch } from '../../tables/rows.ts';
import type { Rows } from '../../tables/rows.ts';
import { missing } from '../decided.ts';
import type { Decided } from '../decided.ts';

interface TurnAlarms {
  readonly at: Instant;
  readonly opens: readonly Finding[];
  /** The ids of alarms whose reason is gone. */
  readonly closes: readonly number[];
}

/** Opens and closes alarms. There is one open alarm of a kind and subject. */
export const turnAlarmsCommand = {
  subject: () => 'alarms',
  needs(need: Needs, { opens, closes }: TurnAlarms): void {
    for (const { kind, subject } of opens) need.all(openAlarmAbout, kind, subject);
    for (const id of closes) need.one(alarmById, id);
  },
  decide(rows: Rows, { at, opens, closes }: TurnAlarms): Decided<{ readonly opened: number }> {
    let opened = 0;
    for (const finding of opens) {
      if (rows.all(openAlarmAbout, finding.kind, finding.subject).length > 0) continue;
      const { severity } = alarmKindOf(finding.kind);
      const fresh = { acknowledgedAt: null, acknowledgedBy: null, closedAt: null };
      rows.add(alarmTable, { id: rows.nextId(alarmTable), ...finding, severity, openedAt: at, ...fresh });
      opened += 1;
    }
    for (const id of closes) {
      const row = rows.one(alarmById, id);
      if (!row || row.closedAt !== null) continue;
      row.closedAt = at;
      touch(row);
    }
    return ok({ opened });
  },
};

interface AcknowledgeAlarm {
  readonly at: Instant;
  readonly id: number;
  readonly by: string;
}

export const acknowledgeAlarmCommand = {
  subject: () => 'alarms',
  needs(need: Needs, { id }: AcknowledgeAlarm): void {
    need.one(alarmById, id);
  },
  decide(rows: Rows, { at, id, by }: AcknowledgeAlarm): Decided<null> {
    const row = rows.one(alarmById, id);
    if (!row) return missing(`there is no alarm ${id}`);
    // The first operator who saw it stays.
    if (row.acknowledgedAt === null) {
      row.acknowledgedAt = at;
      row.acknowledgedBy = by;
      touch(row);
    }
    return ok(null);
  },
};

/** Undefined members stay; null is as declared. */
interface SetAlarm {
  readonly alarm: AlarmKind;
  readonly threshold: AlarmSetting['threshold'] | undefined;
  readonly forSeconds: AlarmSetting['forSeconds'] | undefined;
  readonly isOn: boolean | undefined;
}

export const setAlarmCommand = {
  subject: () => 'alarms',
  needs(need: Needs, { alarm }: SetAlarm): void {
    need.one(alarmSettingOfKind, alarm);
  },
  decide(rows: Rows, { alarm, threshold, forSeconds, isOn }: SetAlarm): Decided<null> {
    const row =
      rows.one(alarmSettingOfKind, alarm) ??
      rows.add(alarmSettingTable, { kind: alarm, threshold: null, forSeconds: null, isOn: true });
    if (threshold !== undefined) row.threshold = threshold;
    if (forSeconds !== undefined) row.forSeconds = forSeconds;
    if (isOn !== undefined) row.isOn = isOn;
    touch(row);
    return ok(null);
  },
};
