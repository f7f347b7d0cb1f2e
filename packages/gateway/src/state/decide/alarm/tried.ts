/* Records the result of a try to notify a receiver of alarms. */

import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { noticesOfMinute, type AlarmTurn, type NoticeResult } from '../../../core/alarm/notice.ts';
import { notificationRetryAt } from '../../../core/notification/retry.ts';
import { alarmById, alarmReceiverByName, noticesOfAlarm, type AlarmReceiverRow } from '../../tables/alarm/alarm.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import type { Decided } from '../decided.ts';
import { addNotice } from './alarm.ts';
import { rehearsed } from '../rehearsal.ts';

interface ReceiverTried {
  readonly at: Instant;
  readonly receiver: string;
  /** The result of the try; null if the try begins now. */
  readonly result: NoticeResult | null;
  /** The alarms of this notification: one alarm, all alarms of a summary, or none in a test. */
  readonly notices: readonly { readonly alarm: number; readonly turn: AlarmTurn }[];
}

export const receiverTriedCommand = {
  subject: () => 'alarms',
  ...rehearsed((rows: Rows, command: ReceiverTried): Decided<null> => {
    const { at, receiver, result } = command;
    const row = rows.one(alarmReceiverByName, receiver);
    if (row) noteState(row, command);
    if (result) for (const each of command.notices) noteNotice(rows, { at, receiver, result }, each);
    return ok(null);
  }),
};

function noteState(row: AlarmReceiverRow, { at, result }: ReceiverTried): void {
  touch(row);
  row.triedAt = at;
  if (!result) return;
  row.failingSince = result.isTaken ? null : (row.failingSince ?? at);
  row.outcome = result.detail;
  row.tries = [...row.tries, at].slice(-noticesOfMinute);
}

function noteNotice(
  rows: Rows,
  {
    at,
    receiver,
    result: { isTaken, detail },
  }: Pick<ReceiverTried, 'at' | 'receiver'> & { readonly result: NoticeResult },
  { alarm, turn }: ReceiverTried['notices'][number],
): void {
  const its = rows.one(alarmById, alarm);
  const row = rows.all(noticesOfAlarm, alarm).find((each) => each.receiver === receiver && each.turn === turn);
  if (!row || !its || row.due === null) return;
  row.tries += 1;
  row.outcome = detail;
  row.toldAt = isTaken ? at : null;
  const since = (turn === 'opened' ? its.openedAt : its.closedAt) ?? at;
  row.due = isTaken ? null : notificationRetryAt({ destination: 'receiver', tries: row.tries, triedFrom: since, at });
  touch(row);
  // The alarm closed while the receiver got the first notification.
  if (isTaken && turn === 'opened' && its.closedAt !== null) addNotice(rows, { alarm, receiver, turn: 'closed' }, at);
}
