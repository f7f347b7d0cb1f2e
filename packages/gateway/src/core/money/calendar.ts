import { readIsoTime } from '@morsel/api/values/iso-time.ts';
import { hourMs, secondMs, type Instant } from '@morsel/api/values/time.ts';

/*
 * Finds where days and months begin and end in a time zone. A day can have 23 or 25 hours and need not begin at
 * midnight.
 */

/** Longer than any day; `monthMaxMs` is longer than any month. */
const dayMaxMs = 50 * hourMs;
const monthMaxMs = 32 * 24 * hourMs;

/** Cached, because making a formatter costs more than using it a hundred times. There are about six hundred zones. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The first instant of the next day. */
export function endOfDay(at: Instant, timeZone: string): Instant {
  return firstChange(at, dayMaxMs, (instant) => dateOf(instant, timeZone));
}

/** Undefined if the text is not a date such as `2026-03-29`. */
export function startOfDay(day: string, timeZone: string): Instant | undefined {
  const midnight = day.length === 'YYYY-MM-DD'.length ? readIsoTime(day) : undefined;
  if (!midnight?.ok) return undefined;
  const before = midnight.value - dayMaxMs / 2;
  return firstChange(before, dayMaxMs, (instant) => (dateOf(instant, timeZone) < day ? 'before' : 'begun'));
}

export function endOfMonth(at: Instant, timeZone: string): Instant {
  return firstChange(at, monthMaxMs, (instant) => dateOf(instant, timeZone).slice(0, 'YYYY-MM'.length));
}

/** The first full second after `at` at which `word` gives another result. It must change exactly once within `max`. */
function firstChange(at: Instant, max: number, word: (instant: Instant) => string): Instant {
  const now = word(at);
  let same = Math.floor(at / secondMs);
  let other = same + max / secondMs;
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (word(middle * secondMs) === now) same = middle;
    else other = middle;
  }
  return other * secondMs;
}

/** A date as `YYYY-MM-DD`. */
function dateOf(instant: Instant, timeZone: string): string {
  return formatOf(timeZone).format(instant);
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  // The Swedish locale writes dates in the form of ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  formats.set(timeZone, format);
  return format;
}
