/* Tells receivers of alarms, again and again until they take it. One node does it for the whole store. */

import { secondMs } from '@morsel/api/values/time.ts';
import { sendingsOf } from '../../core/alarm/notice.ts';
import type { AlarmNotice, AlarmReceiver, Told } from '../../core/alarm/notice.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Journal } from '../../store/journal.ts';
import type { Reader } from '../../store/reader.ts';
import type { ViewAnswer } from '../../store/views/views.ts';
import type { EventLog } from '../ports.ts';

interface TellNeeds {
  readonly clock: Clock;
  readonly journal: Pick<Journal, 'append'>;
  readonly reader: Pick<Reader, 'ask'>;
  /** Tells one receiver of an alarm, or of several at once, within a time limit. Never rejects. */
  readonly tell: (receiver: AlarmReceiver, notices: readonly AlarmNotice[]) => Promise<Told>;
  readonly log: Pick<EventLog, 'warn' | 'error'>;
}

const everyMs = 5 * secondMs;

type Due = ViewAnswer<'dueNotices'>[number];

export function startTelling(needs: TellNeeds): Loop {
  const { clock, log } = needs;
  return new Loop({ clock, log, name: 'tell of alarms', everyMs, turn: () => tellDue(needs) });
}

/** Receivers hear at the same time, each of its alarms one after the other. Returns 0 if more may be due now. */
async function tellDue(needs: TellNeeds): Promise<number> {
  const found = await needs.reader.ask('dueNotices', needs.clock.now());
  if (!found.ok) return everyMs;
  const told = await Promise.all(found.value.map((its) => tellInTurn(needs, its)));
  return told.some(Boolean) ? 0 : everyMs;
}

/** Ends early if one is not taken: the next ones would hardly be, and each may take the whole time limit. */
async function tellInTurn(needs: TellNeeds, { to, tries, notices }: Due): Promise<boolean> {
  const sendings = sendingsOf(notices, { tries, now: needs.clock.now() });
  for (const sending of sendings) {
    const isTold = await tellOnce(needs, to, sending);
    if (!isTold) return false;
  }
  return sendings.length > 0;
}

async function tellOnce(
  { journal, clock, tell, log }: TellNeeds,
  to: AlarmReceiver,
  sending: Due['notices'],
): Promise<boolean> {
  const { name: receiver } = to;
  const { isTold, detail } = await tell(
    to,
    sending.map(({ alarm: _alarm, ...notice }) => notice),
  );
  const notices = sending.map(({ alarm, turn }) => ({ alarm, turn }));
  if (!isTold) log.warn({ receiver, alarms: notices.length }, `a receiver of alarms did not take an alarm: ${detail}`);
  const tried = { at: clock.now(), receiver, isTold, detail, notices };
  const done = await journal.append<'receiver-tried'>({ kind: 'receiver-tried', ...tried });
  return isTold && done.ok;
}
