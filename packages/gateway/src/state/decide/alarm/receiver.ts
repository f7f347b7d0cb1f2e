/* Commands about the receivers of alarms. */

import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { needKeys, seal } from '../../rows/keys.ts';
import type { Needs } from '../../rows/needs.ts';
import {
  alarmReceiverByName,
  alarmReceiverTable,
  noticesFor,
  stateOfReceiver,
  type AlarmReceiverRow,
} from '../../tables/alarm/alarm.ts';
import { touch, type Rows } from '../../tables/rows.ts';
import { exists, missing, type Decided } from '../decided.ts';

interface AddAlarmReceiver {
  readonly at: Instant;
  readonly receiver: Omit<AlarmReceiverRow, 'id' | 'createdAt' | 'secret' | 'change'>;
  readonly secret: string | null;
}

export const addAlarmReceiverCommand = {
  subject: () => 'alarms',
  needs(need: Needs, { receiver }: AddAlarmReceiver): void {
    need.one(alarmReceiverByName, receiver.name);
    needKeys(need, null);
  },
  decide(rows: Rows, { at, receiver, secret }: AddAlarmReceiver): Decided<null> {
    if (rows.one(alarmReceiverByName, receiver.name))
      return exists(`there is a receiver named ${receiver.name} already`);
    const id = rows.nextId(alarmReceiverTable);
    const sealed = secret === null ? null : seal(rows, { account: null, column: 'alarm_receiver.secret', id }, secret);
    rows.add(alarmReceiverTable, { ...receiver, id, createdAt: at, secret: sealed });
    return ok(null);
  },
};

interface SetAlarmReceiver {
  readonly name: string;
  /** The members to change. */
  readonly settings: Partial<Pick<AlarmReceiverRow, 'severity' | 'quiet' | 'timeZone' | 'allow'>>;
}

export const setAlarmReceiverCommand = {
  subject: () => 'alarms',
  needs(need: Needs, { name }: SetAlarmReceiver): void {
    need.one(alarmReceiverByName, name);
  },
  decide(rows: Rows, { name, settings }: SetAlarmReceiver): Decided<null> {
    const row = rows.one(alarmReceiverByName, name);
    if (!row) return missing(`there is no receiver named ${name}`);
    Object.assign(row, settings);
    touch(row);
    return ok(null);
  },
};

export const removeAlarmReceiverCommand = {
  subject: () => 'alarms',
  needs(need: Needs, { name }: { readonly name: string }): void {
    need.one(alarmReceiverByName, name);
    need.one(stateOfReceiver, name);
    need.all(noticesFor, name);
  },
  decide(rows: Rows, { name }: { readonly name: string }): Decided<null> {
    const row = rows.one(alarmReceiverByName, name);
    if (!row) return missing(`there is no receiver named ${name}`);
    row.change = 'gone';
    const state = rows.one(stateOfReceiver, name);
    if (state) state.change = 'gone';
    for (const notice of rows.all(noticesFor, name)) {
      notice.due = null;
      notice.outcome = 'the receiver was removed';
      touch(notice);
    }
    return ok(null);
  },
};
