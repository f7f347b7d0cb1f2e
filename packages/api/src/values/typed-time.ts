import { readIsoTime } from './iso-time.ts';
import { dayMs, hourMs, minuteMs, secondMs, type Instant } from './time.ts';

/* Times as people type them: `12:15`, `24 Nov 12:15`, `2026-11-24 12:15`, `2h` (ago), `yesterday`, or ISO 8601. */

interface Place {
  readonly now: Instant;
  /** The IANA name of the zone of times without one. */
  readonly zone: string;
}

const unitMs: Readonly<Record<string, number>> = { s: secondMs, m: minuteMs, min: minuteMs, h: hourMs, d: dayMs };
const daysAgo: Readonly<Record<string, number>> = { today: 0, yesterday: 1 };
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const form =
  /^(?:(?<word>today|yesterday)|(?<day>\d{1,2})\.? (?<month>[a-z]{3,9})\.?(?: (?<year>\d{4}))?|(?<date>\d{4}-\d\d-\d\d))?(?:(?:^|,? |t)(?<time>\d{1,2}:\d\d(?::\d\d)?))?$/;

/** Reads a time. Undefined if the text is none, or names a time that does not exist. */
export function readTypedTime(typed: string, { now, zone }: Place): Instant | undefined {
  const text = typed.trim().replaceAll(/\s+/g, ' ').toLowerCase();
  if (text === 'now') return now;
  const iso = readIsoTime(typed.trim());
  if (iso.ok && text.includes('t')) return iso.value;
  const [, count, unit = ''] = /^(\d{1,6}) ?(s|min|m|h|d)$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * (unitMs[unit] ?? 0);
  const { word, day, month, year, date, time = '0:00' } = form.exec(text)?.groups ?? {};
  const today = localText(now, zone).slice(0, 'YYYY-MM-DD'.length);
  const begin = Date.parse(`${today}T00:00:00Z`) - (daysAgo[word ?? ''] ?? 0) * dayMs;
  const monthAt = months.indexOf(month?.slice(0, 3) ?? '') + 1;
  if (text === '' || !form.test(text) || (month !== undefined && monthAt === 0)) return undefined;
  const named = `${year ?? today.slice(0, 4)}-${two(monthAt)}-${two(Number(day))}`;
  const local = date ?? (day === undefined ? new Date(begin).toISOString().slice(0, today.length) : named);
  return atLocal(
    `${local}T${time.padStart(time.length > 5 ? 8 : 5, '0')}`.padEnd('YYYY-MM-DDThh:mm:ss'.length, ':00'),
    zone,
  );
}

function two(count: number): string {
  return String(count).padStart(2, '0');
}

/** The instant of a local time. A local time that a change of the clock leaves out does not exist. */
function atLocal(local: string, zone: string): Instant | undefined {
  const asUtc = Date.parse(`${local}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  for (const near of [asUtc - dayMs, asUtc + dayMs]) {
    const instant = asUtc - (Date.parse(`${localText(near, zone)}Z`) - near);
    if (localText(instant, zone) === local) return instant;
  }
  return undefined;
}

/** The time in a zone, in the form of ISO 8601 without an offset. */
export function localText(at: Instant, zone: string): string {
  const date = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  // The Swedish locale writes dates in the form of ISO 8601.
  const whole = Math.floor(at / secondMs) * secondMs;
  return new Date(whole).toLocaleString('sv-SE', { timeZone: zone, ...date, ...time }).replace(' ', 'T');
}
