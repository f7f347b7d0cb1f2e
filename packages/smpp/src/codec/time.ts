/*
 * The time format of schedule_delivery_time, validity_period and final_date (3.4 section 7.1.1): `YYMMDDhhmmsstnnp`. If
 * the character p is `+` or `-`, the time is absolute, and the digits nn are its offset from UTC in quarters of an
 * hour. If the character p is `R`, the time is relative.
 */

/** An instant, or a time span that begins when the message is submitted. */
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
/**
 * The largest UTC offset that we accept, in quarters of an hour: 14 hours, for Kiribati. The standard allows UTC
 * offsets of only 48 quarters of an hour, or 12 hours (3.4 section 7.1.1.1).
 */
const quartersReadMax = 56;
/** The two digits of a year mean 2000 to 2099. */
const century = 2000;
/** The most days in a relative time that we write. We never write months and years, because their length varies. */
const relativeDaysMax = 31;

const format = /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d)(\d{2})([+\-R])$/;

/**
 * Formats an instant as an absolute SMPP time in UTC, such as `261121091530400+`. Throws RangeError if the year is not
 * 2000 to 2099.
 */
export function formatAbsoluteTime(atMs: number): string {
  const at = new Date(atMs);
  const year = at.getUTCFullYear() - century;
  if (!(year >= 0 && year <= 99)) throw new RangeError('an absolute time must be in the years 2000 to 2099');
  const parts = [year, at.getUTCMonth() + 1, at.getUTCDate(), at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()];
  return `${parts.map(twoDigits).join('')}${Math.trunc(at.getUTCMilliseconds() / 100)}00+`;
}

/**
 * Formats a time span as a relative SMPP time in whole seconds, such as `000001120000000R`. Throws RangeError if the
 * span is negative or 32 days or longer.
 */
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

/** Parses an SMPP time. Returns undefined if the format is wrong or the date does not exist. */
export function parseTime(text: string): SmppTime | undefined {
  const match = format.exec(text);
  if (match === null) return undefined;
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0, tenths = 0, quarters = 0] = match
    .slice(1, 9)
    .map(Number);
  if (match[9] === 'R') return { kind: 'relative', years, months, days, hours, minutes, seconds };
  if (quarters > quartersReadMax) return undefined;
  const localMs = Date.UTC(century + years, months - 1, days, hours, minutes, seconds, tenths * 100);
  // Refuses a date that does not exist, because Date.UTC reads 31 February as 3 March.
  if (new Date(localMs).toISOString().replaceAll(/\D/g, '').slice(2, 14) !== text.slice(0, 12)) return undefined;
  const offsetMs = quarters * quarterMs * (match[9] === '-' ? -1 : 1);
  return { kind: 'absolute', atMs: localMs - offsetMs };
}

/**
 * Returns the instant of an SMPP time for a message submitted at `nowMs`; undefined if the time cannot be parsed. Adds
 * years and months by the UTC calendar: one month after 31 January is the last day of February.
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
