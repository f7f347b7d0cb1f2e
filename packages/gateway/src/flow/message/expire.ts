/* Ends incomplete inbound messages, and deletes old rows. */

import { inboundWaitMs } from '../../core/message/inbound.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import { hourMs, minuteMs, secondMs, type Instant } from '@morsel/api/values/time.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Journal } from '../../store/journal.ts';
import { startExpiringNotifications } from '../notification/expire.ts';
import type { Tools } from '../ports.ts';

interface ExpireNeeds extends Pick<Tools, 'log' | 'clock' | 'journal'> {
  readonly nextId: () => MessageId;
  /** Nothing expires while the clock is not trusted. */
  readonly isHeld: () => boolean;
}

const batchMax = 500;

const sweepEveryMs = minuteMs;

/** How often incomplete inbound messages are looked for. Each waits half an hour for its missing parts. */
const inboundEveryMs = 10 * secondMs;

const inboundMax = 50;

/** After a start, carriers need this time to deliver parts that they held while the gateway was down. */
const inboundGraceMs = 5 * minuteMs;

/** The age at which rows are deleted. It is longer than the longest validity plus the longest wait for a receipt. */
const sweptAfterMs = 7 * 24 * hourMs;

export function startExpiring(needs: ExpireNeeds): AsyncDisposable {
  const { clock, isHeld } = needs;
  const startedMs = clock.monotonicMs();
  const loops = new AsyncDisposableStack();
  const start = (name: string, ms: number, work: () => Promise<boolean>) => {
    const turn = async () => (!isHeld() && (await work()) ? 0 : ms);
    loops.use(new Loop({ ...needs, name, everyMs: ms, turn, isEager: true }));
  };
  start('sweep the store', sweepEveryMs, () => sweep(needs));
  start('expire inbound parts', inboundEveryMs, async () => {
    if (clock.monotonicMs() - startedMs >= inboundGraceMs) await expireInbound(needs);
    return false;
  });
  loops.use(startExpiringNotifications(needs));
  return loops;
}

/** Ends incomplete inbound messages (O3). */
export async function expireInbound(needs: {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: { now(): Instant };
  readonly nextId: () => MessageId;
}): Promise<void> {
  for (let isMore = true; isMore;) {
    const at = needs.clock.now();
    const ids = Array.from({ length: inboundMax }, () => needs.nextId());
    const before = at - inboundWaitMs;
    const expired = await needs.journal.append<'expire-inbound'>({ kind: 'expire-inbound', at, before, ids });
    isMore = expired.ok && expired.value.isFull;
  }
}

/** Deletes old rows. Returns whether more may remain. If the store refuses, the next sweep tries again. */
async function sweep(needs: ExpireNeeds): Promise<boolean> {
  const at = needs.clock.now();
  const batch = { at, before: at - sweptAfterMs, max: batchMax };
  const swept = await needs.journal.append<'sweep'>({ kind: 'sweep', ...batch });
  return swept.ok && swept.value.isMore;
}
