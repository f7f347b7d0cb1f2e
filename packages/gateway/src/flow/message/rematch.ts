import { secondMs } from '@morsel/api/values/time.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Tools } from '../ports.ts';

interface RematchNeeds extends Pick<Tools, 'log' | 'clock' | 'journal'> {
  readonly carrierName: (id: number) => string | undefined;
}

const everyMs = secondMs;

/** Unmatched receipts that one command looks at, at most, so that other commits do not wait long. */
const batchMax = 500;

/** Last receipts that were looked at, where there are more. */
interface LookedAt {
  readonly undecidedAfter?: number;
  readonly newAfter?: number;
}

/**
 * Tries all unmatched receipts of a carrier when its id rule changes. Once a second, tries undecided receipts and, with
 * several nodes, new ones.
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

/** If the store refuses, the next look tries again. */
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
