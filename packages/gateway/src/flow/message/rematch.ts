import { secondMs } from '@morsel/api/values/time.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Tools } from '../ports.ts';

interface RematchNeeds extends Pick<Tools, 'log' | 'clock' | 'journal'> {
  readonly carrierName: (id: number) => string | undefined;
}

const everyMs = secondMs;

/** Unmatched receipts that one command looks at, at most, so that other commits do not wait long. */
const batchMax = 500;

/** The last receipts that the previous batch looked at, if there are more. */
interface LookedAt {
  readonly undecidedAfter?: number;
  readonly newAfter?: number;
}

/**
 * Matches all unmatched receipts of a carrier again when its id rule changes. Once a second, also tries undecided
 * receipts and, with several nodes, new ones.
 */
export function startRematching(needs: RematchNeeds): Loop {
  const { clock, log } = needs;
  let last: LookedAt = {};
  const turn = async () => {
    const done = await rematchBatch(needs, last);
    last = done ?? {};
    return done?.isMore === true ? 0 : everyMs;
  };
  const loop = new Loop({ clock, log, name: 'match receipts again', everyMs, turn });
  loop.wake();
  return loop;
}

/** Matches one batch of receipts again. If the store refuses, the next turn tries again. */
async function rematchBatch({ journal, clock, ...needs }: RematchNeeds, { undecidedAfter, newAfter }: LookedAt) {
  const command = { kind: 'rematch', at: clock.now(), max: batchMax, undecidedAfter, newAfter } as const;
  const done = await journal.append<'rematch'>(command);
  if (!done.ok) return undefined;
  for (const { carrier, rule, was, matches } of done.value.learned) {
    const fields = { carrier: needs.carrierName(carrier), rule, was, matches };
    needs.log.info(
      fields,
      was === null
        ? 'learned how a carrier writes message ids in receipts'
        : 'a carrier changed how it writes message ids in receipts: learned the new rule',
    );
  }
  return done.value;
}
