import { setTimeout as sleep } from 'node:timers/promises';
import { hourMs, minuteMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Journal } from '../../store/journal.ts';

interface ForgetNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: { now(): Instant };
  /** Nothing is forgotten: the clock is not believed. */
  readonly isHeld: () => boolean;
}

/** How long what was told, or given up, is kept: a person finds out in that time, and may have it told again. */
export const notificationKeptMs = 30 * 24 * hourMs;

const everyMs = hourMs;

const heldMs = minuteMs;

/** Of one command: some milliseconds of the writing thread. */
const batchMax = 500;

/** After each batch the writing thread is left alone for so many times as long as it took, so that no message waits for two. */
const restShare = 4;
const restMaxMs = 1_000;

/**
 * Removes notifications long after they ended, in small batches beside everything else, until it is stopped. It goes through them in
 * the order in which they were made; one that waits so long itself is passed over, and looked at again after a restart.
 */
export async function forgetNotifications({ journal, clock, isHeld }: ForgetNeeds, signal: AbortSignal): Promise<void> {
  let after = 0;
  while (!signal.aborted) {
    if (isHeld()) {
      await sleep(heldMs, undefined, { signal, ref: false }).catch(() => {});
      continue;
    }
    const began = performance.now();
    const at = clock.now();
    const before = at - notificationKeptMs;
    const forgotten = await journal.append<'forget-notifications'>({
      kind: 'forget-notifications',
      at,
      before,
      after,
      max: batchMax,
    });
    if (forgotten.ok) after = forgotten.value.last;
    const isMore = forgotten.ok && forgotten.value.isMore;
    const restMs = isMore ? Math.min(restMaxMs, (performance.now() - began) * restShare) : everyMs;
    await sleep(restMs, undefined, { signal, ref: false }).catch(() => {});
  }
}
