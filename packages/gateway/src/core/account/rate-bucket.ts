/*
 * Limits the rate of parts and allows a burst, by the generic cell rate algorithm (ITU-T I.371). The whole state is one
 * time: when the bucket will be full again. In any period, the bucket allows at most the burst plus the rate times the
 * length of the period. A message with more parts than the burst is allowed when the bucket is full, and the next
 * messages then wait longer.
 */

import type { Instant } from '@morsel/api/values/time.ts';

export interface RateBucket {
  readonly msPerPart: number;
  readonly burst: number;
}

/**
 * When the bucket will be full again, in microseconds since 1970; 0 for an unused bucket. Milliseconds would be too
 * coarse for rates of more than some hundred parts a second.
 */
export type FullAt = number;

const usPerMs = 1_000;

/** How long these parts must wait; 0 if they may be sent now. */
export function waitOf({ msPerPart, burst }: RateBucket, fullAt: FullAt, now: { ms: Instant; parts: number }): number {
  const needed = Math.min(now.parts, burst);
  return Math.max(0, fullAt / usPerMs - now.ms - (burst - needed) * msPerPart);
}

/**
 * What a row of messages takes from a bucket, whatever was taken before it. All of them are allowed if the bucket is
 * full at `latest` or earlier. It is then full again `us` later than before, and not before `least`.
 */
export interface RateUse {
  readonly us: number;
  readonly least: FullAt;
  readonly latest: FullAt;
}

export const noUse: RateUse = { us: 0, least: 0, latest: Number.MAX_SAFE_INTEGER };

/** Adds a message with these parts. */
export function useWith(
  use: RateUse,
  { msPerPart, burst }: RateBucket,
  { ms, parts }: { ms: Instant; parts: number },
): RateUse {
  const us = Math.ceil(parts * msPerPart * usPerMs);
  const allowedAt = ms * usPerMs + Math.floor(Math.max(0, burst - parts) * msPerPart * usPerMs);
  return {
    us: use.us + us,
    least: Math.max(use.least, ms * usPerMs) + us,
    // Messages before it in the row may take so much that it is not even allowed after an unused bucket.
    latest: use.least > allowedAt ? -1 : Math.min(use.latest, allowedAt - use.us),
  };
}

export function fullAfter(fullAt: FullAt, { us, least }: RateUse): FullAt {
  return Math.max(fullAt + us, least);
}

export function partsLeft({ msPerPart, burst }: RateBucket, fullAt: FullAt, nowMs: Instant): number {
  return Math.max(0, Math.floor(burst - Math.max(0, fullAt / usPerMs - nowMs) / msPerPart));
}
