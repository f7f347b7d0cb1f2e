/* Decides when a notification is tried again, and when it becomes a dead letter. */

import { hourMs, secondMs, type Instant } from '@morsel/api/values/time.ts';

/** How long a notification waits for a session, if the account has no webhook for it. */
export const sessionNotificationMs = 7 * 24 * hourMs;

/**
 * `waits`: the waits after failed tries, in seconds and in order; the last wait is repeated. `triedMs`: a notification
 * is given up this long after it was created or replayed.
 */
const webhook = { waits: [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800], triedMs: 72 * hourMs };
const destinations = {
  webhook,
  callback: webhook,
  // The waits are short, because a session refuses quickly and costs little.
  sessions: { waits: [1, 2, 5, 10, 30, 60, 120, 300, 600], triedMs: sessionNotificationMs },
  // Receivers of alarms: after a day, an alarm is no longer worth a notification.
  receiver: { waits: [10, 30, 60, 120, 300, 600], triedMs: 24 * hourMs },
} as const;

/**
 * Each wait varies by up to this share, so that notifications that failed together are not all tried again together.
 */
const jitterShare = 0.2;

interface FailedTry {
  /** The kind of destination (default: webhook). */
  readonly destination?: keyof typeof destinations;
  /** Number of tries so far, including this one; at least 1. */
  readonly tries: number;
  /** When the notification was created or last replayed. */
  readonly triedFrom: Instant;
  readonly at: Instant;
  /** The pause in milliseconds that the receiver asked for. */
  readonly notBeforeMs?: number | undefined;
  /** A random number from 0 up to 1 that varies the wait. 0.5 adds no variation (default: 0.5). */
  readonly chance?: number;
}

/** When the notification is tried again; null for a dead letter. A receiver can delay this time, but not advance it. */
export function notificationRetryAt({
  destination = 'webhook',
  tries,
  triedFrom,
  at,
  notBeforeMs = 0,
  chance = 0.5,
}: FailedTry): Instant | null {
  const { waits, triedMs } = destinations[destination];
  const wait = (waits[Math.min(tries, waits.length) - 1] ?? waits[0]) * secondMs;
  const jitter = wait * jitterShare * (2 * chance - 1);
  const due = at + Math.max(Math.round(wait + jitter), notBeforeMs);
  return due - triedFrom > triedMs ? null : due;
}
