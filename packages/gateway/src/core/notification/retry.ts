import { hourMs, minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** The waits after the first failures (decisions, section 6); the last goes on until the end. */
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

/** A session is bound and answers: it says when it cannot, and is asked again soon. */
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

/** How long after it was made, or replayed, a notification is tried; then it is a dead letter. */
const notificationTriedMs = 72 * hourMs;

/** How long a notification waits that only a session can be given: no session is bound, or none takes it. */
export const sessionNotificationMs = 7 * 24 * hourMs;

/** Each wait is shorter or longer by up to this share of it, so that what failed together does not come back together. */
const jitterShare = 0.2;

interface FailedTry {
  /** What tried; a webhook if nothing is said. */
  readonly destination?: 'webhook' | 'sessions';
  /** Tries so far, the one that failed among them: from 1. */
  readonly tries: number;
  /** From when on it is tried: when it was made, or replayed. */
  readonly triedFrom: Instant;
  readonly at: Instant;
  /** What the receiver asked for. */
  readonly notBeforeMs?: number | undefined;
  /** From 0 up to 1. */
  readonly chance: number;
}

/** When a notification is tried again; null when its time is over. The receiver may ask for a later time, not for an earlier one. */
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
