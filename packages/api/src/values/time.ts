/** Milliseconds since 1970-01-01T00:00:00Z. Stored deadlines are instants and survive clock steps (promise P5). */
export type Instant = number;

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

let cachedSecond = -1;
let cachedText = '';

/** `YYYY-MM-DDThh:mm:ssZ`, the form of every time on the wire. Consecutive calls mostly fall in one second, so the last text is kept. */
export function formatInstant(instant: Instant): string {
  const second = Math.floor(instant / secondMs);
  if (second !== cachedSecond) {
    cachedSecond = second;
    cachedText = `${new Date(second * secondMs).toISOString().slice(0, 19)}Z`;
  }
  return cachedText;
}

/** Whether the name is in the IANA time zone database, such as `Europe/Zurich`, or UTC. */
export function isTimeZone(name: string): boolean {
  // Offsets such as +01:00 have no summer time: the operator should name a place.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
