/** Milliseconds since 1970-01-01T00:00:00Z. Deadlines in the store are instants. */
export type Instant = number;

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

let cachedSecond = -1;
let cachedText = '';

/** Writes an instant as ISO 8601. The last result is kept, because many calls fall in the same second. */
export function formatInstant(instant: Instant): string {
  const second = Math.floor(instant / secondMs);
  if (second !== cachedSecond) {
    cachedSecond = second;
    cachedText = `${new Date(second * secondMs).toISOString().slice(0, 19)}Z`;
  }
  return cachedText;
}

/** Whether a name is UTC or a zone of the IANA time zone database, such as `Europe/Zurich`. */
export function isTimeZone(name: string): boolean {
  // Offsets such as +01:00 are refused, because they have no summer time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
