import { sessionNotificationMs } from '../../core/notification/retry.ts';
import { hourMs, minuteMs } from '@morsel/api/values/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Loop } from '../../runtime/loop.ts';
import type { Journal } from '../../store/journal.ts';

/* Expires notifications for sessions if no session was bound in time, and deletes old notifications. */

interface ExpireNotificationsNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: Clock;
  /** Nothing expires while the clock is not trusted. */
  readonly isHeld: () => boolean;
  readonly log: { error(fields: object, message: string): void };
}

/** How long an ended notification is kept. Until then, the operator can find it and replay it. */
export const notificationKeptMs = 30 * 24 * hourMs;

const everyMs = hourMs;
const heldMs = minuteMs;

/** Notifications that one command expires or deletes at most. A command takes some milliseconds. */
const batchMax = 500;

/**
 * After each batch of deletions, the loop pauses for this many times the duration of the batch. So no message waits for
 * two batches.
 */
const restShare = 4;
const restMaxMs = 1_000;

export function startExpiringNotifications(needs: ExpireNotificationsNeeds): AsyncDisposable {
  const loops = [expireLoop(needs), forgetLoop(needs)];
  for (const loop of loops) loop.wake();
  return { [Symbol.asyncDispose]: async () => void (await Promise.all(loops.map((loop) => loop.stop()))) };
}

/** Expires notifications that only sessions may receive, if no session was bound in time. They become dead letters. */
function expireLoop({ journal, clock, isHeld, log }: ExpireNotificationsNeeds): Loop {
  const turn = async () => {
    if (isHeld()) return heldMs;
    const at = clock.now();
    const before = at - sessionNotificationMs;
    const expired = await journal.append<'expire-notifications'>({
      kind: 'expire-notifications',
      at,
      before,
      max: batchMax,
    });
    // If the store refuses, the next turn tries again.
    return expired.ok && expired.value.isMore ? 0 : everyMs;
  };
  return new Loop({ clock, log, name: 'expire notifications', everyMs, turn });
}

/**
 * Deletes old notifications in the order of their creation. A notification that still waits is skipped until the next
 * restart.
 */
function forgetLoop({ journal, clock, isHeld, log }: ExpireNotificationsNeeds): Loop {
  let after = 0;
  const turn = async () => {
    if (isHeld()) return heldMs;
    const beganMs = clock.monotonicMs();
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
    return isMore ? Math.min(restMaxMs, (clock.monotonicMs() - beganMs) * restShare) : everyMs;
  };
  return new Loop({ clock, log, name: 'forget notifications', everyMs, turn });
}
