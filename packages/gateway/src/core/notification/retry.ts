/* When a notification is tried again, and when it becomes a dead letter. */

import { hourMs, minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** The waits after the first failures; the last wait repeats until the end. */
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

/** A bound session answers quickly when it cannot take a notification, so it is tried again soon. */
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

/** How long a notification is tried after it was made or replayed; then it is a dead letter. */
const notificationTriedMs = 72 * hourMs;

/** How long a notification waits for a session, if no webhook can take it. */
export const sessionNotificationMs = 7 * 24 * hourMs;

/** Each wait varies by up to this share, so that notifications which failed together are not tried together again. */
const jitterShare = 0.2;

interface FailedTry {
  /** The kind of destination (default: a webhook). */
  readonly destination?: 'webhook' | 'sessions';
  /** Tries so far, including this one: from 1. */
  readonly tries: number;
  /** The first try: when it was made, or replayed. */
  readonly triedFrom: Instant;
  readonly at: Instant;
  /** The pause that the receiver asked for. */
  readonly notBeforeMs?: number | undefined;
  /** From 0 up to 1. */
  readonly chance: number;
}

/** The next try; null when its time is over. The receiver may ask for a later time, not for an earlier one. */
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
