/*
 * A rate in parts, with a burst: the generic cell rate algorithm (ITU-T I.371), whose whole state is one instant.
 * What has passed by any moment is at most the burst and the rate times the time since, but for a message with more parts
 * than the burst: that one goes when the bucket is full, and what it takes beyond it is waited for afterwards.
 */

export interface RateBucket {
  /** What a part takes of the time. */
  readonly msPerPart: number;
  /** Parts of a full bucket. */
  readonly burst: number;
}

/** When the bucket is full again: what all that passed has taken. 0 is a bucket of which nothing was taken yet. */
export type FullAt = number;

/** How long these parts have to wait; 0 when they may go now. */
export function waitOf({ msPerPart, burst }: RateBucket, fullAt: FullAt, now: { ms: number; parts: number }): number {
  const needed = Math.min(now.parts, burst);
  return Math.max(0, fullAt - now.ms - (burst - needed) * msPerPart);
}

/** The bucket after these parts were taken. */
export function takeParts({ msPerPart }: RateBucket, fullAt: FullAt, now: { ms: number; parts: number }): FullAt {
  return Math.max(fullAt, now.ms) + now.parts * msPerPart;
}

/** Parts that could go at once. */
export function partsLeft({ msPerPart, burst }: RateBucket, fullAt: FullAt, nowMs: number): number {
  return Math.max(0, Math.floor(burst - Math.max(0, fullAt - nowMs) / msPerPart));
}
