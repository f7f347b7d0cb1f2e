/*
 * Once a second, asks the store whether parts are past their deadline or wait for a carrier, or unmatched receipts must
 * be looked at again. Only then writes, so that an idle gateway does not.
 */

import { secondMs } from '@morsel/api/values/time.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Tools } from '../ports.ts';

interface DueWorkNeeds extends Pick<Tools, 'log' | 'clock' | 'journal' | 'reader'> {
  /** Nothing expires while the clock is not trusted. */
  readonly isHeld: () => boolean;
  /** Notifies all carriers that parts may wait again. */
  readonly lookForWaiting: () => void;
  /** Notifies the carriers of all nodes that parts wait, because a hint of another node may have been lost. */
  readonly partsWait: () => void;
}

const everyMs = secondMs;

/** Parts or receipts that one command looks at, at most, so that other commits do not wait long. */
const batchMax = 500;

export function startDueWork(needs: DueWorkNeeds): Loop {
  const { clock, reader, isHeld, partsWait } = needs;
  const rematch = rematchIn(needs);
  const turn = async () => {
    const asked = await reader.ask('dueWork', clock.now());
    // If the store does not say what is due, the commands look.
    const due = asked.ok ? asked.value : undefined;
    const isMoreOverdue = due?.parts !== false && !isHeld() && (await expireBatch(needs));
    if (due?.queued === true) partsWait();
    const isMoreToMatch = due?.receipts !== false && (await rematch());
    return isMoreOverdue || isMoreToMatch ? 0 : everyMs;
  };
  return new Loop({ ...needs, name: 'look for due work', everyMs, turn, isEager: true });
}

/** Returns whether more parts may be past their deadline. */
async function expireBatch({ journal, clock, lookForWaiting }: DueWorkNeeds): Promise<boolean> {
  const expired = await journal.append<'expire'>({ kind: 'expire', at: clock.now(), max: batchMax });
  if (!expired.ok) return false;
  if (expired.value.requeued > 0) lookForWaiting();
  return expired.value.looked === batchMax;
}

/**
 * Matches all unmatched receipts of a carrier again when its id rule changes. With several nodes, also tries new ones.
 * The function returns whether there may be more. If the store refuses, the next turn tries again.
 */
function rematchIn({ journal, clock }: Pick<DueWorkNeeds, 'journal' | 'clock'>): () => Promise<boolean> {
  let newAfter: number | undefined;
  return async () => {
    const done = await journal.append<'rematch'>({ kind: 'rematch', at: clock.now(), max: batchMax, newAfter });
    newAfter = done.ok ? done.value.newAfter : undefined;
    return done.ok && done.value.isMore;
  };
}
