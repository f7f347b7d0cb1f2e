import { hourMs, secondMs } from './time.ts';
import type { Instant } from './time.ts';

const dayPattern = /^(\d{4})-(\d\d)-(\d\d)$/;

/** No zone is further from UTC than this, and none has two changes of its clocks within twice as long. */
const offsetMaxMs = 26 * hourMs;

/**
 * When a day such as `2026-03-29` begins where clocks show the time of `zone` (a name of the IANA time zone database): its
 * first instant, midnight or, where clocks are set forward at midnight, what they show then. Undefined for what is no day.
 */
export function startOfDay(day: string, zone: string): Instant | undefined {
  const [, year, month, date] = dayPattern.exec(day) ?? [];
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(date));
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return undefined;
  const clock = clockOf(zone);
  if (!clock) return undefined;
  // What is midnight there by the clocks of the day before, or by those of the day after.
  const starts = [-offsetMaxMs, offsetMaxMs].map((away) => midnight - offsetAt(midnight + away, clock));
  const onThatDay = starts.filter((start) => start + offsetAt(start, clock) >= midnight);
  return onThatDay.length === 0 ? Math.max(...starts) : Math.min(...onThatDay);
}

function clockOf(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
}

/** By how much the clocks there are ahead of UTC. */
function offsetAt(instant: Instant, clock: Intl.DateTimeFormat): number {
  const shown = new Map(clock.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => shown.get(type) ?? 0;
  const asUtc = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return asUtc - Math.floor(instant / secondMs) * secondMs;
}
