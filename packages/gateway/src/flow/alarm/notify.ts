/* Tells receivers of alarms, again and again until they take it. One node does it for the whole store. */

import { secondMs } from '@morsel/api/values/time.ts';
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
  /** Tells one receiver, within a time limit. Never rejects. */
  readonly tell: (receiver: AlarmReceiver, notice: AlarmNotice) => Promise<Told>;
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
  const byReceiver = Map.groupBy(found.value, ({ receiver }) => receiver);
  const told = await Promise.all([...byReceiver.values()].map((its) => tellInTurn(needs, its)));
  return told.some(Boolean) ? 0 : everyMs;
}

/** Ends early if one is not taken: the next ones would hardly be, and each may take the whole time limit. */
async function tellInTurn(needs: TellNeeds, its: readonly Due[]): Promise<boolean> {
  for (const due of its) {
    const isTold = await tellOne(needs, due);
    if (!isTold) return false;
  }
  return its.length > 0;
}

async function tellOne({ journal, clock, tell, log }: TellNeeds, due: Due): Promise<boolean> {
  const { alarm, receiver, notice, to } = due;
  const { isTold, detail } = await tell(to, notice);
  if (!isTold) log.warn({ receiver, alarm }, `a receiver of alarms did not take an alarm: ${detail}`);
  const tried = { at: clock.now(), alarm, receiver, turn: notice.turn, isTold, detail };
  const done = await journal.append<'notice-tried'>({ kind: 'notice-tried', ...tried });
  return isTold && done.ok;
}
