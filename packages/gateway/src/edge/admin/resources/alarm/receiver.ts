import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { AlarmNotice, NoticeResult } from '../../../../core/alarm/notice.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import { makeSecret, secretBytes } from '../../../../core/notification/signature.ts';
import { parseReceiver } from '../../../../core/number/address.ts';
import { noReceiver, receiverShown } from '../../../../state/decide/alarm/receiver.ts';
import { notifyReceiver } from '../../../alarm/notify-receiver.ts';
import type { Handlers } from '../../bind.ts';
import { decideOperation } from '../../direct.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

/* The handlers of receivers of alarms, which also send test notifications. */

export const alarmReceiverHandlers: Handlers<'alarmReceiver'> = {
  add: async (needs, input) => {
    const made = { secret: makeSecret(needs.random.bytes(secretBytes)), number: parseReceiver(input.to) };
    const added = await decideOperation(needs, 'alarmReceiver.add', { input, made });
    if (!added.ok) return added;
    const tried = await tryReceiver(needs, input.receiver);
    if (!tried.ok) return tried;
    const found = await needs.reader.ask('alarmReceiver', input.receiver);
    if (!found.ok) return found;
    if (!found.value) return noReceiver(input.receiver);
    return ok({ ...receiverShown(found.value), secret: added.value?.secret ?? null });
  },
  test: async (needs, { receiver }) => {
    const tried = await tryReceiver(needs, receiver);
    if (!tried.ok) return tried;
    const { isTaken, detail } = tried.value;
    if (isTaken) return ok({ receiver, outcome: detail });
    return refused({ code: 'conflict', detail: `${receiver} did not take the test alarm: ${detail}` });
  },
};

/** Sends a test notification to a receiver, and stores the result. */
async function tryReceiver(needs: OperatorNeeds, name: string): Promise<Result<NoticeResult, Rejection>> {
  const { reader, journal, clock } = needs;
  const found = await reader.ask('alarmReceiver', name);
  if (!found.ok) return found;
  if (!found.value) return noReceiver(name);
  const result = await notifyReceiver(needs, found.value, [testNotice(clock.now())]);
  const tried = { at: clock.now(), receiver: name, result, notices: [] };
  const done = await journal.append<'receiver-tried'>({ kind: 'receiver-tried', ...tried });
  return done.ok ? ok(result) : done;
}

export function testNotice(now: number): AlarmNotice {
  return {
    id: `alarm-test-${now}`,
    turn: 'opened',
    kind: 'test',
    severity: 'warning',
    subject: 'gateway',
    evidence: 'an operator tests this receiver',
    help: 'morsel alarm list',
    openedAt: now,
    closedAt: null,
  };
}
