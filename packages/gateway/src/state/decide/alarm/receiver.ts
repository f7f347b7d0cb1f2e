/* Commands about the receivers of alarms. */

import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { readKeys, seal } from '../../rows/keys.ts';
import type { Reads } from '../../rows/reads.ts';
import {
  alarmReceiverByName,
  alarmReceiverTable,
  noticesFor,
  type AlarmReceiverRow,
} from '../../tables/alarm/alarm.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { exists, missing, type Decided } from '../decided.ts';

interface AddAlarmReceiver {
  readonly at: Instant;
  readonly receiver: Omit<AlarmReceiverRow, 'id' | 'createdAt' | 'secret' | 'change' | keyof typeof untried>;
  readonly secret: string | null;
}

const untried = { triedAt: null, failingSince: null, outcome: null, tries: [] };

export const addAlarmReceiverCommand = {
  subject: () => 'alarms',
  reads(read: Reads, { receiver }: AddAlarmReceiver): void {
    read.one(alarmReceiverByName, receiver.name);
    readKeys(read, null);
  },
  decide(rows: Rows, { at, receiver, secret }: AddAlarmReceiver): Decided<null> {
    if (rows.one(alarmReceiverByName, receiver.name))
      return exists(`there is a receiver named ${receiver.name} already`);
    const id = rows.nextId(alarmReceiverTable);
    const sealed = secret === null ? null : seal(rows, { account: null, column: 'alarm_receiver.secret', id }, secret);
    rows.add(alarmReceiverTable, { ...receiver, ...untried, id, createdAt: at, secret: sealed });
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
  reads(read: Reads, { name }: SetAlarmReceiver): void {
    read.one(alarmReceiverByName, name);
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
  reads(read: Reads, { name }: { readonly name: string }): void {
    read.one(alarmReceiverByName, name);
    read.all(noticesFor, name);
  },
  decide(rows: Rows, { name }: { readonly name: string }): Decided<null> {
    const row = rows.one(alarmReceiverByName, name);
    if (!row) return missing(`there is no receiver named ${name}`);
    row.change = 'gone';
    for (const notice of rows.all(noticesFor, name)) {
      notice.due = null;
      notice.outcome = 'the receiver was removed';
      touch(notice);
    }
    return ok(null);
  },
};
