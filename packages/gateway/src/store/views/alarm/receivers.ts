/* Views of the receivers of alarms, and of the notifications that are due. */

import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { isQuietAt, type AlarmNotice, type AlarmReceiver } from '../../../core/alarm/notice.ts';
import {
  alarmNoticeTable,
  alarmReceiverTable,
  alarmTable,
  type AlarmReceiverRow,
  type AlarmRow,
} from '../../../state/tables/alarm/alarm.ts';
import { receiverShown } from '../../../state/decide/alarm/receiver.ts';
import { eachOf } from '../page.ts';
import type { Queries } from '../queries.ts';
import { openerOf } from '../sealed.ts';
import type { View } from '../view.ts';
import { Where } from '../where.ts';

export async function readReceivers(queries: Queries) {
  return (await queries.find(alarmReceiverTable, 'order by name')).map(receiverShown);
}

/** Lists all receivers on one page, because there are few. */
const list: View<'alarmReceiver.list'> = async (queries) => ok({ items: await readReceivers(queries), next: null });

export const alarmReceiverViews = { 'alarmReceiver.list': list };

export async function readHeartbeats(queries: Queries): Promise<readonly AlarmReceiver[]> {
  const rows = await queries.find(alarmReceiverTable, "where kind = 'heartbeat' order by name");
  return rows.map(({ secret: _secret, ...row }) => ({ ...row, secret: null }));
}

/** The most notifications of one receiver that are read at a time. All but the first few become one summary. */
const noticesMax = 1_000;

/** The oldest due notifications of each receiver. In its quiet hours, a receiver gets only critical alarms. */
export async function readDueNotices(queries: Queries, now: Instant) {
  const receivers = await queries.find(alarmReceiverTable, 'order by name');
  const due = await eachOf(receivers, async (row) => {
    const where = new Where('receiver = ? and due <= ?', row.name, now);
    if (isQuietAt(now, row)) where.and(critical);
    const oldest = `alarm_notice ${where.sql} order by due, alarm, turn limit ?`;
    const values = [...where.values, noticesMax];
    const rows = await queries.find(alarmNoticeTable, oldest.replace('alarm_notice ', ''), ...values);
    if (rows.length === 0) return [];
    const its = `where id in (select alarm from ${oldest})`;
    const alarms = new Map((await queries.find(alarmTable, its, ...values)).map((each) => [each.id, each]));
    const notices = rows.flatMap(({ alarm: id, turn }) => {
      const alarm = alarms.get(id);
      return alarm ? [{ ...noticeOf(alarm, turn), alarm: id }] : [];
    });
    return [{ to: await openedReceiver(queries, row), tries: row.tries, notices }];
  });
  return due.flat();
}

const critical = "exists (select 1 from alarm where alarm.id = alarm_notice.alarm and alarm.severity = 'critical')";

function noticeOf({ id, ...alarm }: AlarmRow, turn: AlarmNotice['turn']): AlarmNotice {
  const { kind, severity, subject, evidence, help, openedAt, closedAt } = alarm;
  return { id: `alarm-${id}-${turn}`, turn, kind, severity, subject, evidence, help, openedAt, closedAt };
}

export async function readAlarmReceiver(
  queries: Queries,
  name: string,
): Promise<(AlarmReceiver & Omit<AlarmReceiverRow, 'secret'>) | undefined> {
  const row = await queries.first(alarmReceiverTable, 'where name = ?', name);
  return row && openedReceiver(queries, row);
}

async function openedReceiver(queries: Queries, row: AlarmReceiverRow) {
  const open = await openerOf(queries, null);
  const secret = row.secret && open({ column: 'alarm_receiver.secret', id: row.id }, row.secret);
  return { ...row, secret: secret?.toString() ?? null };
}
