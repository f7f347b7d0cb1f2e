/* Decides when a notification is tried again, and when it becomes a dead letter. */

import { hourMs, minuteMs, secondMs, type Instant } from '@morsel/api/values/time.ts';

/** The waits after failed tries of a webhook, in order. The last wait is repeated. */
const waitsMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
  8 * hourMs,
] as const;

/** The waits after failed tries over SMPP. They are short, because a session refuses quickly and costs little. */
const sessionWaitsMs = [
  secondMs,
  2 * secondMs,
  5 * secondMs,
  10 * secondMs,
  30 * secondMs,
  minuteMs,
  2 * minuteMs,
  5 * minuteMs,
  10 * minuteMs,
] as const;

/** How long a notification to a webhook is tried after it was created or replayed. Then it becomes a dead letter. */
const notificationTriedMs = 72 * hourMs;

/** How long a notification waits for a session, if the account has no webhook for it. */
export const sessionNotificationMs = 7 * 24 * hourMs;

/**
 * Each wait varies by up to this share, so that notifications that failed together are not all tried again together.
 */
const jitterShare = 0.2;

interface FailedTry {
  /** The kind of destination (default: webhook). */
  readonly destination?: 'webhook' | 'sessions';
  /** Number of tries so far, including this one; at least 1. */
  readonly tries: number;
  /** When the tries began: when the notification was created or last replayed. */
  readonly triedFrom: Instant;
  readonly at: Instant;
  /** The pause in milliseconds that the receiver asked for. */
  readonly notBeforeMs?: number | undefined;
  /** From 0 up to 1. */
  readonly chance: number;
}

/**
 * The time of the next try; null if there is none and the notification becomes a dead letter. A receiver can delay the
 * next try, but not advance it.
 */
export function notificationRetryAt({
  destination = 'webhook',
  tries,
  triedFrom,
  at,
  notBeforeMs = 0,
  chance,
}: FailedTry): Instant | null {
  const waits = destination === 'webhook' ? waitsMs : sessionWaitsMs;
  const wait = waits[Math.min(tries, waits.length) - 1] ?? waits[0];
  const jitter = wait * jitterShare * (2 * chance - 1);
  const due = at + Math.max(Math.round(wait + jitter), notBeforeMs);
  return due - triedFrom > (destination === 'webhook' ? notificationTriedMs : sessionNotificationMs) ? null : due;
}
