/* Notifies receivers of alarms until they acknowledge. One node does it for the whole store. */

import { minuteMs, secondMs } from '@morsel/api/values/time.ts';
import { sendingsOf, type AlarmNotice, type AlarmReceiver, type NoticeResult } from '../../core/alarm/notice.ts';
import { Loop } from '../../runtime/loop.ts';
import type { ViewAnswer } from '../../store/views/views.ts';
import type { Tools } from '../ports.ts';

interface NotifyNeeds extends Pick<Tools, 'log' | 'clock' | 'journal' | 'reader'> {
  /** Notifies one receiver of one or several alarms, within a time limit. Never rejects. */
  readonly notify: (receiver: AlarmReceiver, notices: readonly AlarmNotice[]) => Promise<NoticeResult>;
}

const everyMs = 5 * secondMs;

type Due = ViewAnswer<'dueNotices'>[number];

export function startNotifying(needs: NotifyNeeds): Loop {
  return new Loop({ ...needs, name: 'notify of alarms', everyMs, turn: () => notifyDue(needs) });
}

/** Notifies all receivers at the same time, each of its alarms in order. Returns 0 if more may be due now. */
async function notifyDue(needs: NotifyNeeds): Promise<number> {
  const found = await needs.reader.ask('dueNotices', needs.clock.now());
  if (!found.ok) return everyMs;
  const notified = await Promise.all(found.value.map((its) => notifyInTurn(needs, its)));
  return notified.some(Boolean) ? 0 : everyMs;
}

/** Notifies one receiver. Stops at a failure: later notifications would hardly succeed, and take long to fail. */
async function notifyInTurn(needs: NotifyNeeds, { to, tries, notices }: Due): Promise<boolean> {
  const sendings = sendingsOf(notices, { tries, now: needs.clock.now() });
  for (const sending of sendings) {
    const isTaken = await notifyOnce(needs, to, sending);
    if (!isTaken) return false;
  }
  return sendings.length > 0;
}

async function notifyOnce(
  { journal, clock, notify, log }: NotifyNeeds,
  to: AlarmReceiver,
  sending: Readonly<Due['notices']>,
): Promise<boolean> {
  const { name: receiver } = to;
  const result = await notify(
    to,
    sending.map(({ alarm: _alarm, ...notice }) => notice),
  );
  const notices = sending.map(({ alarm, turn }) => ({ alarm, turn }));
  if (!result.isTaken)
    log.warn({ receiver, alarms: notices.length }, `a receiver of alarms did not take an alarm: ${result.detail}`);
  const tried = { at: clock.now(), receiver, result, notices };
  const done = await journal.append<'receiver-tried'>({ kind: 'receiver-tried', ...tried });
  return result.isTaken && done.ok;
}

interface BeatNeeds extends Pick<NotifyNeeds, 'clock' | 'journal' | 'reader' | 'log'> {
  /** Whether this node has its lease, takes messages and looks for alarms. */
  readonly isWell: () => boolean;
  /** Calls the URL of a heartbeat. Has a time limit, and never rejects. */
  readonly call: (receiver: AlarmReceiver) => Promise<NoticeResult>;
}

const beatEveryMs = minuteMs;

/** Calls the URLs of heartbeats each minute while the gateway is well, so that somebody else notices when it is not. */
export function startBeating(needs: BeatNeeds): Loop {
  return new Loop({ ...needs, name: 'heartbeat', everyMs, turn: () => beat(needs) });
}

async function beat(needs: BeatNeeds): Promise<number> {
  if (!needs.isWell()) return everyMs;
  const found = await needs.reader.ask('heartbeats', undefined);
  if (!found.ok) return everyMs;
  const stored = await Promise.all(found.value.map((to) => beatOne(needs, to)));
  return stored.every(Boolean) ? beatEveryMs : everyMs;
}

/** Calls a heartbeat after a commit: a gateway that cannot store is not well. Returns whether it could store. */
async function beatOne({ journal, clock, call, log }: BeatNeeds, to: AlarmReceiver): Promise<boolean> {
  const { name: receiver } = to;
  const note = (result: NoticeResult | null) =>
    journal.append<'receiver-tried'>({ kind: 'receiver-tried', at: clock.now(), receiver, result, notices: [] });
  const begun = await note(null);
  if (!begun.ok) return false;
  const result = await call(to);
  if (!result.isTaken) log.warn({ receiver }, `a heartbeat was not taken: ${result.detail}`);
  await note(result);
  return true;
}
