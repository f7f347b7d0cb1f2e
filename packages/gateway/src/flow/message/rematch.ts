import { secondMs } from '@morsel/api/values/time.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Tools } from '../ports.ts';

const everyMs = secondMs;

/** Unmatched receipts that one command looks at, at most, so that other commits do not wait long. */
const batchMax = 500;

/**
 * Matches all unmatched receipts of a carrier again when its id rule changes. Once a second, with several nodes, also
 * tries new ones.
 */
export function startRematching(needs: Pick<Tools, 'log' | 'clock' | 'journal'>): Loop {
  const { clock, journal } = needs;
  let newAfter: number | undefined;
  const turn = async () => {
    // If the store refuses, the next turn tries again.
    const done = await journal.append<'rematch'>({ kind: 'rematch', at: clock.now(), max: batchMax, newAfter });
    newAfter = done.ok ? done.value.newAfter : undefined;
    return done.ok && done.value.isMore ? 0 : everyMs;
  };
  return new Loop({ ...needs, name: 'match receipts again', everyMs, turn, isEager: true });
}
