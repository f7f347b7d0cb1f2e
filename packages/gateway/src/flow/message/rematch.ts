import { secondMs } from '@morsel/api/values/time.ts';
import { Loop } from '../../runtime/loop.ts';
import { followIdRules, type IdRuleNeeds } from './id-rules.ts';

const everyMs = secondMs;
/** How often unmatched receipts are asked which id rule they show. */
const rulesEveryMs = 3 * secondMs;

/** Unmatched receipts that one command looks at, at most, so that other commits do not wait long. */
const batchMax = 500;

/**
 * Tries all unmatched receipts of a carrier when its id rule changes. Once a second, tries new ones of other nodes. Now and
 * then, asks whether they show another id rule.
 */
export function startRematching(needs: IdRuleNeeds): Loop {
  const { clock, log, journal } = needs;
  let newAfter: number | undefined;
  let askedMs = clock.monotonicMs();
  const turn = async () => {
    // If the store refuses, the next look tries again.
    const done = await journal.append<'rematch'>({ kind: 'rematch', at: clock.now(), max: batchMax, newAfter });
    newAfter = done.ok ? done.value.newAfter : undefined;
    if (done.ok && done.value.isMore) return 0;
    if (clock.monotonicMs() - askedMs < rulesEveryMs) return everyMs;
    askedMs = clock.monotonicMs();
    await followIdRules(needs);
    return everyMs;
  };
  const loop = new Loop({ clock, log, name: 'match receipts again', everyMs, turn });
  loop.wake();
  return loop;
}
