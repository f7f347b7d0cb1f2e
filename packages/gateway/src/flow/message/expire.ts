import { setTimeout as sleep } from 'node:timers/promises';
import { inboundWaitMs } from '../../core/message/inbound.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import { hourMs, minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Journal } from '../../store/journal.ts';
import { expireNotifications } from '../notification/expire.ts';
import { forgetNotifications } from '../notification/forget.ts';

interface ExpireNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: { now(): Instant };
  readonly nextId: () => MessageId;
  /** Nothing expires: the clock is not believed. */
  readonly isHeld: () => boolean;
  /** Parts wait again, for whichever carrier. */
  readonly waits: () => void;
}

const everyMs = secondMs;

/** Parts looked at in one command, so that a long list of them does not keep a group waiting. */
const batchMax = 500;

/** Looks between two sweeps: about a minute. */
const sweepEvery = 60;

/** Looks between two for notifications that nobody came for: about an hour of the days that they wait. */
const notificationsEvery = 3_600;

/** Looks between two for parts from phones whose message is not complete: some seconds in half an hour. */
const inboundEvery = 10;

/** Messages of one such look. An id that is not used costs nothing. */
const inboundMax = 50;

/** While we were away no part could come: after a start the carriers first get the time to bring what they kept. */
const inboundGraceMs = 5 * minuteMs;

/** Longer than any validity and wait of the contract together: what is older than this, nothing that lives can need. */
const sweptAfterMs = 7 * 24 * hourMs;

/** Closes what nobody answered: looks once a second for parts whose deadline has passed, until it is stopped. */
export function startExpiring(needs: ExpireNeeds): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const ended = Promise.all([expireUntil(needs, stopping.signal), forgetNotifications(needs, stopping.signal)]);
  return {
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

async function expireUntil(needs: ExpireNeeds, signal: AbortSignal): Promise<void> {
  const startedAt = needs.clock.now();
  let isMoreToSweep = false;
  for (let looks = 0; !signal.aborted; looks++) {
    if (needs.isHeld()) {
      await sleep(everyMs, undefined, { signal }).catch(() => {});
      continue;
    }
    if (isMoreToSweep || looks % sweepEvery === 0) isMoreToSweep = await sweep(needs);
    if (looks % notificationsEvery === 0) await expireNotifications(needs);
    const isBack = needs.clock.now() - startedAt >= inboundGraceMs;
    if (isBack && looks % inboundEvery === 0) await expireInbound(needs);
    const isMore = await expireBatch(needs);
    if (!isMore && !isMoreToSweep) await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
}

/** Whether there may be more that is overdue already. */
async function expireBatch(needs: ExpireNeeds): Promise<boolean> {
  const expired = await needs.journal.append<'expire'>({ kind: 'expire', at: needs.clock.now(), max: batchMax });
  if (!expired.ok) return false;
  if (expired.value.requeued > 0) needs.waits();
  return expired.value.looked === batchMax;
}

/** Makes messages, as far as they came, of parts that have waited too long for the others (O3). */
export async function expireInbound(needs: Omit<ExpireNeeds, 'waits' | 'isHeld'>): Promise<void> {
  for (let isMore = true; isMore;) {
    const at = needs.clock.now();
    const ids = Array.from({ length: inboundMax }, () => needs.nextId());
    const before = at - inboundWaitMs;
    const expired = await needs.journal.append<'expire-inbound'>({ kind: 'expire-inbound', at, before, ids });
    isMore = expired.ok && expired.value.isFull;
  }
}

/** Whether there may be more of it already. A refusal changes nothing: the next sweep tries again. */
async function sweep(needs: ExpireNeeds): Promise<boolean> {
  const at = needs.clock.now();
  const swept = await needs.journal.append<'sweep'>({
    kind: 'sweep',
    at,
    before: at - sweptAfterMs,
    max: batchMax,
  });
  return swept.ok && swept.value.isMore;
}
