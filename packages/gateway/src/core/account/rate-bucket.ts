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

export function takeParts({ msPerPart }: RateBucket, fullAt: FullAt, now: { ms: Instant; parts: number }): FullAt {
  return Math.ceil(Math.max(fullAt, now.ms * usPerMs) + now.parts * msPerPart * usPerMs);
}

export function partsLeft({ msPerPart, burst }: RateBucket, fullAt: FullAt, nowMs: Instant): number {
  return Math.max(0, Math.floor(burst - Math.max(0, fullAt / usPerMs - nowMs) / msPerPart));
}
