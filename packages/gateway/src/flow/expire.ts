import { setTimeout as sleep } from 'node:timers/promises';
import { hourMs, secondMs } from '../core/time.ts';
import type { Instant } from '../core/time.ts';
import type { Journal } from '../store/journal.ts';

interface ExpireNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: { now(): Instant };
  /** Parts wait again, for whichever carrier. */
  readonly waits: () => void;
}

const everyMs = secondMs;

/** Parts looked at in one command, so that a long list of them does not keep a group waiting. */
const batchMax = 500;

/** Looks between two sweeps: about a minute. */
const sweepEvery = 60;

/** Longer than any validity and wait of the contract together: what is older than this, nothing that lives can need. */
const sweptAfterMs = 7 * 24 * hourMs;

/** Closes what nobody answered: looks once a second for parts whose deadline has passed, until it is stopped. */
export function startExpiring(needs: ExpireNeeds): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const ended = expireUntil(needs, stopping.signal);
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

async function expireUntil(needs: ExpireNeeds, signal: AbortSignal): Promise<void> {
  for (let looks = 0; !signal.aborted; looks++) {
    if (looks % sweepEvery === 0) await sweep(needs);
    const isMore = await expireBatch(needs);
    if (!isMore) await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
}

/** Whether there may be more that is overdue already. */
async function expireBatch(needs: ExpireNeeds): Promise<boolean> {
  const expired = await needs.journal.append<'expire'>({ kind: 'expire', at: needs.clock.now(), max: batchMax });
  if (!expired.ok) return false;
  if (expired.value.requeued > 0) needs.waits();
  return expired.value.looked === batchMax;
}

/** A refusal changes nothing: the next sweep tries again. */
async function sweep(needs: ExpireNeeds): Promise<void> {
  const at = needs.clock.now();
  await needs.journal.append<'sweep'>({ kind: 'sweep', at, before: at - sweptAfterMs, max: batchMax });
}
