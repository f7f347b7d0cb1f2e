/**
 * The time format of schedule_delivery_time, validity_period and final_date (3.4 section 7.1.1):
 * `YYMMDDhhmmsstnnp`, absolute with p `+` or `-` and nn quarters of an hour to UTC, relative with p `R`.
 */

/** A point in time, or a span from when the message was submitted. */
export type SmppTime =
  | { readonly kind: 'absolute'; readonly atMs: number }
  | {
      readonly kind: 'relative';
      readonly years: number;
      readonly months: number;
      readonly days: number;
      readonly hours: number;
      readonly minutes: number;
      readonly seconds: number;
    };

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const quarterMs = 15 * minuteMs;
/** nn ends at 48, twelve hours (3.4 section 7.1.1.1); Tonga's thirteen and Kiribati's fourteen are read as well. */
const quartersReadMax = 56;
/** Two digits of a year: 2000 to 2099. */
const century = 2000;
/** DD of a relative time; months and years are of no certain length, so we never write them. */
const relativeDaysMax = 31;

const format = /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d)(\d{2})([+\-R])$/;

/** `261121091530400+` for an instant, in UTC, to the tenth of a second. Throws RangeError outside 2000 to 2099. */
export function formatAbsoluteTime(atMs: number): string {
  const at = new Date(atMs);
  const year = at.getUTCFullYear() - century;
  if (!(year >= 0 && year <= 99)) throw new RangeError('an absolute time must be in the years 2000 to 2099');
  const parts = [year, at.getUTCMonth() + 1, at.getUTCDate(), at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()];
  return `${parts.map(twoDigits).join('')}${Math.trunc(at.getUTCMilliseconds() / 100)}00+`;
}

/** `000001120000000R` for a span, whole seconds, at most 31 days. Throws RangeError for a longer or negative one. */
export function formatRelativeTime(spanMs: number): string {
  if (!(spanMs >= 0 && spanMs < (relativeDaysMax + 1) * dayMs)) {
    throw new RangeError('a relative time must be 0 to 31 days');
  }
  const days = Math.trunc(spanMs / dayMs);
  const hours = Math.trunc((spanMs % dayMs) / hourMs);
  const minutes = Math.trunc((spanMs % hourMs) / minuteMs);
  const seconds = Math.trunc((spanMs % minuteMs) / secondMs);
  return `0000${[days, hours, minutes, seconds].map(twoDigits).join('')}000R`;
}

/** Undefined for anything but the sixteen characters of a date that exists or a span. */
export function parseTime(text: string): SmppTime | undefined {
  const match = format.exec(text);
  if (match === null) return undefined;
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0, tenths = 0, quarters = 0] = match
    .slice(1, 9)
    .map(Number);
  if (match[9] === 'R') return { kind: 'relative', years, months, days, hours, minutes, seconds };
  if (quarters > quartersReadMax) return undefined;
  const localMs = Date.UTC(century + years, months - 1, days, hours, minutes, seconds, tenths * 100);
  // Date.UTC takes the 31st of February for the 3rd of March; a date that does not exist must not become another.
  if (new Date(localMs).toISOString().replaceAll(/\D/g, '').slice(2, 14) !== text.slice(0, 12)) return undefined;
  const offsetMs = quarters * quarterMs * (match[9] === '-' ? -1 : 1);
  return { kind: 'absolute', atMs: localMs - offsetMs };
}

/**
 * The instant that a time means for a message submitted at `nowMs`; undefined for one that cannot be read. Years and
 * months of a relative time count by the calendar, in UTC, and stop at the month's last day.
 */
export function resolveTime(text: string, nowMs: number): number | undefined {
  const time = parseTime(text);
  if (time === undefined || time.kind === 'absolute') return time?.atMs;
  const now = new Date(nowMs);
  const month = now.getUTCMonth() + time.months + 12 * time.years;
  const lastDay = new Date(Date.UTC(now.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const monthMs = Date.UTC(now.getUTCFullYear(), month, Math.min(now.getUTCDate(), lastDay));
  const spanMs = time.days * dayMs + time.hours * hourMs + time.minutes * minuteMs + time.seconds * secondMs;
  return monthMs + (nowMs % dayMs) + spanMs;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
