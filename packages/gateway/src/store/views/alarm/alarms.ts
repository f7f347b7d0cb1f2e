/* Views of alarms, and of what they are decided with. */

import type { AlarmSetting } from '../../../core/alarm/findings.ts';
import { alarmSettingTable, alarmTable } from '../../tables/alarm/alarm.ts';
import type { AlarmRow } from '../../tables/alarm/alarm.ts';
import { integer, text } from '../../tables/column.ts';
import { beforeNewest, pageOf } from '../page.ts';
import type { ListInput, Page } from '../page.ts';
import type { Queries } from '../queries.ts';
import { Where } from '../where.ts';

/** The most open alarms that one look reads, and accounts with a low balance. */
const openMax = 1_000;

/** Alarms, the newest first: the open ones, or all. */
export async function readAlarms(
  queries: Queries,
  { after, limit, all }: ListInput & { readonly all: boolean },
): Promise<Page<AlarmRow>> {
  const where = new Where('id < ?', after === undefined ? beforeNewest : Number(after));
  if (!all) where.and('closed_at is null');
  const rows = await queries.find(alarmTable, `${where.sql} order by id desc limit ?`, ...where.values, limit + 1);
  return pageOf(rows, limit, ({ id }) => String(id));
}

export async function readAlarm(queries: Queries, id: number): Promise<AlarmRow | undefined> {
  return queries.first(alarmTable, 'where id = ?', id);
}

export async function countOpenAlarms(queries: Queries): Promise<number> {
  return (await queries.value(integer, 'select count(*) from alarm where closed_at is null')) ?? 0;
}

interface AlarmState {
  readonly open: readonly AlarmRow[];
  readonly settings: readonly AlarmSetting[];
  /** Accounts whose balance is below a threshold. */
  readonly low: readonly string[];
}

/** What a look at the figures begins with. */
export async function readAlarmState(queries: Queries): Promise<AlarmState> {
  return {
    open: await queries.find(alarmTable, 'where closed_at is null order by id limit ?', openMax),
    settings: await queries.find(alarmSettingTable, 'order by kind'),
    low: await queries.values(
      text,
      'select name from account where alerted_below is not null order by id limit ?',
      openMax,
    ),
  };
}
