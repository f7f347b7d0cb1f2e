/* Alarms for the operator, and what the operator set for their kinds. */

import type { AlarmKind, AlarmSeverity } from '@morsel/api/admin/alarm/kinds.ts';
import { by } from '../../rows/lookup.ts';
import { flag, integer, nullable, text, word } from '../column.ts';
import { table } from '../table.ts';
import type { RowOf } from '../table.ts';

export const alarmTable = table('alarm', {
  key: ['id'],
  ids: 'traffic',
  fixed: {
    id: integer,
    kind: word<AlarmKind>(),
    subject: text,
    severity: word<AlarmSeverity>(),
    openedAt: integer,
    /** The figures when it opened. */
    evidence: text,
  },
  moving: {
    acknowledgedAt: nullable(integer),
    acknowledgedBy: nullable(text),
    closedAt: nullable(integer),
  },
});
export type AlarmRow = RowOf<typeof alarmTable>;
export const alarmById = by(alarmTable, ['id']);
export const openAlarmAbout = by(alarmTable, ['kind', 'subject'], {
  sql: 'closed_at is null',
  holds: ({ closedAt }) => closedAt === null,
});

/** Null is as declared. */
export const alarmSettingTable = table('alarm_setting', {
  isAudited: true,
  key: ['kind'],
  fixed: { kind: word<AlarmKind>() },
  moving: { threshold: nullable(integer), forSeconds: nullable(integer), isOn: flag },
});
export const alarmSettingOfKind = by(alarmSettingTable, ['kind']);
