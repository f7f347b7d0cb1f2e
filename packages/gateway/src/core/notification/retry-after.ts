import { hourMs, secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** Longest pause that a receiver may ask for. A longer one could stop its notifications entirely. */
const retryAfterMaxMs = 4 * hourMs;

/** The pause of a Retry-After header: in seconds, or until a date (RFC 9110, section 10.2.3). */
export function retryAfterMs(header: string | undefined, now: Instant): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const wait = /^\d{1,10}$/.test(text) ? Number(text) * secondMs : dateOf(text) - now;
  return Number.isNaN(wait) || wait <= 0 ? undefined : Math.min(wait, retryAfterMaxMs);
}

/** The only form of dates that is still written (RFC 9110, section 5.6.7). */
function dateOf(text: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}
