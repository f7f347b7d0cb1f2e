import { secondMs } from '@morsel/api/values/time.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Journal } from '../../store/journal.ts';

interface RematchNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: Clock;
  readonly carrierName: (id: number) => string | undefined;
  readonly log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
}

const everyMs = secondMs;

/** Unmatched receipts looked at in one command, so that a long list of them does not keep a group waiting. */
const batchMax = 500;

/**
 * Looks again at unmatched receipts, until it is stopped: at all of a carrier whose id rule is new, and once a second at those
 * that could not be decided. Says what was learned.
 */
export function startRematching(needs: RematchNeeds): Loop {
  const { clock, log } = needs;
  const turn = async () => ((await rematchBatch(needs)) ? 0 : everyMs);
  const loop = new Loop({ clock, log, name: 'match receipts again', everyMs, turn });
  loop.wake();
  return loop;
}

/** Whether there is more that has not been looked at. A refusal changes nothing: the next look tries again. */
async function rematchBatch(needs: RematchNeeds): Promise<boolean> {
  const done = await needs.journal.append<'rematch'>({ kind: 'rematch', at: needs.clock.now(), max: batchMax });
  if (!done.ok) return false;
  for (const { carrier, rule, was, matches } of done.value.learned) {
    const fields = { carrier: needs.carrierName(carrier), rule, was, matches };
    needs.log.info(
      fields,
      was === null
        ? 'the id rule of a carrier is learned'
        : 'a carrier has changed its ids: its id rule is learned anew',
    );
  }
  return done.value.isMore;
}
