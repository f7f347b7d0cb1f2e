import { hourMs, minuteMs, secondMs } from './time.ts';
import type { Instant } from './time.ts';

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

/** How long after it was made, or replayed, a notice is tried; then it is a dead letter. */
const noticeTriedMs = 72 * hourMs;

/** Each wait is shorter or longer by up to this share of it, so that what failed together does not come back together. */
const jitterShare = 0.2;

interface FailedTry {
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

/** When a notice is tried again; null when its time is over. The receiver may ask for a later time, not for an earlier one. */
export function noticeRetryAt({ tries, triedFrom, at, notBeforeMs = 0, chance }: FailedTry): Instant | null {
  const wait = waitsMs[Math.min(tries, waitsMs.length) - 1] ?? waitsMs[0];
  const jitter = wait * jitterShare * (2 * chance - 1);
  const due = at + Math.max(Math.round(wait + jitter), notBeforeMs);
  return due - triedFrom > noticeTriedMs ? null : due;
}
