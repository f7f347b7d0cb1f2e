import { sessionNotificationMs } from '../../core/notification/retry.ts';
import { hourMs, minuteMs, type Instant } from '@morsel/api/values/time.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Journal } from '../../store/journal.ts';
import type { Tools } from '../ports.ts';

/* Gives up notifications that no destination will get, and deletes old notifications. */

interface ExpireNotificationsNeeds extends Pick<Tools, 'log' | 'clock' | 'journal'> {
  /** Nothing expires while the clock is not trusted. */
  readonly isHeld: () => boolean;
}

/** How long an ended notification is kept. Until then, the operator can find it and replay it. */
export const notificationKeptMs = 30 * 24 * hourMs;

const everyMs = hourMs;
const heldMs = minuteMs;

/** Notifications that one command expires or deletes at most. A command takes some milliseconds. */
const batchMax = 500;

/** A pause of this many times the batch's duration, so that no message waits for two batches. */
const restShare = 4;
const restMaxMs = 1_000;

export function startExpiringNotifications(needs: ExpireNotificationsNeeds): AsyncDisposable {
  const loops = new AsyncDisposableStack();
  loops.use(expireLoop(needs));
  loops.use(forgetLoop(needs));
  return loops;
}

/** Makes dead letters of notifications for removed webhooks, and of those for which no session was bound in time. */
function expireLoop(needs: ExpireNotificationsNeeds): Loop {
  const { clock, isHeld } = needs;
  const turn = async () => {
    const isMore = await expireNotifications(needs, isHeld() ? null : clock.now() - sessionNotificationMs);
    return isMore ? 0 : isHeld() ? heldMs : everyMs;
  };
  return new Loop({ ...needs, name: 'expire notifications', everyMs, turn, isEager: true });
}

/** Expires one batch. Returns whether there may be more; if the store refuses, the loop tries again an hour later. */
export async function expireNotifications(
  { journal, clock }: { readonly journal: Pick<Journal, 'append'>; readonly clock: { now(): Instant } },
  before: Instant | null,
): Promise<boolean> {
  const batch = { at: clock.now(), before, max: batchMax };
  const expired = await journal.append<'expire-notifications'>({ kind: 'expire-notifications', ...batch });
  return expired.ok && expired.value.isMore;
}

/**
 * Deletes old notifications in the order of their creation. A notification that still waits is skipped until the next
 * restart.
 */
function forgetLoop(needs: ExpireNotificationsNeeds): Loop {
  const { journal, clock, isHeld } = needs;
  let after = 0;
  const turn = async () => {
    if (isHeld()) return heldMs;
    const beganMs = clock.monotonicMs();
    const at = clock.now();
    const batch = { at, before: at - notificationKeptMs, after, max: batchMax };
    const forgotten = await journal.append<'forget-notifications'>({ kind: 'forget-notifications', ...batch });
    if (forgotten.ok) after = forgotten.value.last;
    const isMore = forgotten.ok && forgotten.value.isMore;
    return isMore ? Math.min(restMaxMs, (clock.monotonicMs() - beganMs) * restShare) : everyMs;
  };
  return new Loop({ ...needs, name: 'forget notifications', everyMs, turn, isEager: true });
}
