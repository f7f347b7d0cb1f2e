/*
 * A rate in parts with a burst: the generic cell rate algorithm (ITU-T I.371), whose whole state is one instant. At any
 * time the passed parts are at most the burst plus the rate times the time. A message with more parts than the burst
 * goes when the bucket is full, and later messages wait for the excess.
 */

export interface RateBucket {
  /** Time that a part takes. */
  readonly msPerPart: number;
  /** Parts of a full bucket. */
  readonly burst: number;
}

/** The instant when the bucket is full again. 0 is an unused bucket. */
export type FullAt = number;

/** How long these parts must wait; 0 if they may go now. */
export function waitOf({ msPerPart, burst }: RateBucket, fullAt: FullAt, now: { ms: number; parts: number }): number {
  const needed = Math.min(now.parts, burst);
  return Math.max(0, fullAt - now.ms - (burst - needed) * msPerPart);
}

/** The bucket after these parts are taken. */
export function takeParts({ msPerPart }: RateBucket, fullAt: FullAt, now: { ms: number; parts: number }): FullAt {
  return Math.max(fullAt, now.ms) + now.parts * msPerPart;
}

/** Parts that could go at once. */
export function partsLeft({ msPerPart, burst }: RateBucket, fullAt: FullAt, nowMs: number): number {
  return Math.max(0, Math.floor(burst - Math.max(0, fullAt - nowMs) / msPerPart));
}
