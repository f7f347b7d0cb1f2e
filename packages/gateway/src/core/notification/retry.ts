/* Decides when a notification is tried again, and when it becomes a dead letter. */

import { hourMs, secondMs, type Instant } from '@morsel/api/values/time.ts';

/** How long a notification waits for a session, if the account has no webhook for it. */
export const sessionNotificationMs = 7 * 24 * hourMs;

/**
 * The waits after failed tries in seconds, in order; the last one is repeated. A notification is tried for so long after it
 * was created or replayed, then it is given up.
 */
const destinations = {
  webhook: { waits: [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800], triedMs: 72 * hourMs },
  // The waits are short, because a session refuses quickly and costs little.
  sessions: { waits: [1, 2, 5, 10, 30, 60, 120, 300, 600], triedMs: sessionNotificationMs },
  // A receiver of alarms, which are news for a day.
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
  /** From 0 up to 1; a half adds no variation (default). */
  readonly chance?: number;
}

/** Null if the notification becomes a dead letter. A receiver can delay the next try, but not advance it. */
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
