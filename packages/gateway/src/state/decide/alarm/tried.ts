/* Records what came of a try to tell a receiver: of its alarms, and of the receiver itself. */

import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { noticeRetryAt, noticesOfMinute, type AlarmTurn, type Told } from '../../../core/alarm/notice.ts';
import type { Reads } from '../../rows/reads.ts';
import {
  alarmById,
  alarmReceiverByName,
  noticesOfAlarm,
  receiverStateTable,
  stateOfReceiver,
} from '../../tables/alarm/alarm.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import type { Decided } from '../decided.ts';
import { addNotice } from './alarm.ts';

interface ReceiverTried {
  readonly at: Instant;
  readonly receiver: string;
  /** What came of the try; null if it begins now. */
  readonly told: Told | null;
  /** The alarms that it heard of: one, all of a summary, or none in a test. */
  readonly notices: readonly { readonly alarm: number; readonly turn: AlarmTurn }[];
}

export const receiverTriedCommand = {
  subject: () => 'alarms',
  reads(read: Reads, { receiver, notices }: ReceiverTried): void {
    read.one(alarmReceiverByName, receiver);
    read.one(stateOfReceiver, receiver);
    for (const alarm of new Set(notices.map((each) => each.alarm))) {
      read.one(alarmById, alarm);
      read.all(noticesOfAlarm, alarm);
    }
  },
  decide(rows: Rows, command: ReceiverTried): Decided<null> {
    if (rows.one(alarmReceiverByName, command.receiver)) noteState(rows, command);
    const { at, receiver, told } = command;
    if (told) for (const each of command.notices) noteNotice(rows, { at, receiver, told }, each);
    return ok(null);
  },
};

function noteState(rows: Rows, { at, receiver, told }: ReceiverTried): void {
  const row = rows.one(stateOfReceiver, receiver);
  const { failingSince = null, outcome = null, tries = [] } = row ?? {};
  const state = {
    triedAt: at,
    failingSince: told ? (told.isTold ? null : (failingSince ?? at)) : failingSince,
    outcome: told?.detail ?? outcome,
    tries: told ? [...tries, at].slice(-noticesOfMinute) : tries,
  };
  if (row) touch(Object.assign(row, state));
  else rows.add(receiverStateTable, { receiver, ...state });
}

function noteNotice(
  rows: Rows,
  { at, receiver, told: { isTold, detail } }: Pick<ReceiverTried, 'at' | 'receiver'> & { readonly told: Told },
  { alarm, turn }: ReceiverTried['notices'][number],
): void {
  const its = rows.one(alarmById, alarm);
  const row = rows.all(noticesOfAlarm, alarm).find((each) => each.receiver === receiver && each.turn === turn);
  if (!row || !its || row.due === null) return;
  row.tries += 1;
  row.outcome = detail;
  row.toldAt = isTold ? at : null;
  const since = (turn === 'opened' ? its.openedAt : its.closedAt) ?? at;
  row.due = isTold ? null : noticeRetryAt(at, { tries: row.tries, since });
  touch(row);
  // It closed while the receiver got the first notification.
  if (isTold && turn === 'opened' && its.closedAt !== null) addNotice(rows, { alarm, receiver, turn: 'closed' }, at);
}
