/*
 * Limits the rate of parts and allows a burst, by the generic cell rate algorithm (ITU-T I.371). The whole state is one
 * time: when the bucket will be full again. In any period, the bucket allows at most the burst plus the rate times the
 * length of the period. A message with more parts than the burst is allowed when the bucket is full, and the next
 * messages then wait longer.
 */

export interface RateBucket {
  readonly msPerPart: number;
  readonly burst: number;
}

/** The time when the bucket will be full again; 0 for an unused bucket. */
export type FullAt = number;

/** How long these parts must wait; 0 if they may be sent now. */
export function waitOf({ msPerPart, burst }: RateBucket, fullAt: FullAt, now: { ms: number; parts: number }): number {
  const needed = Math.min(now.parts, burst);
  return Math.max(0, fullAt - now.ms - (burst - needed) * msPerPart);
}

export function takeParts({ msPerPart }: RateBucket, fullAt: FullAt, now: { ms: number; parts: number }): FullAt {
  return Math.max(fullAt, now.ms) + now.parts * msPerPart;
}

export function partsLeft({ msPerPart, burst }: RateBucket, fullAt: FullAt, nowMs: number): number {
  return Math.max(0, Math.floor(burst - Math.max(0, fullAt - nowMs) / msPerPart));
}
