/* How values are shown to a person. */

import { type Micros, showMicros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { localText } from '@morsel/api/values/typed-time.ts';

/** Of numbers and dates. */
export const locale = 'en-GB';

/** The zone in which times are shown. The frame of the page sets it, and draws the page again when it changes. */
export const viewer = { zone: 'UTC' };

/** A time in the zone of the viewer, with 24 hours. The present year is left out. */
export function localTime(at: Instant): string {
  const yearOf = (each: Instant) => localText(each, viewer.zone).slice(0, 'YYYY'.length);
  const year = yearOf(at) === yearOf(Date.now()) ? {} : ({ year: 'numeric' } as const);
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  return new Date(at).toLocaleString(locale, {
    timeZone: viewer.zone,
    ...year,
    month: 'short',
    day: 'numeric',
    ...time,
  });
}

export function utcTime(at: Instant): string {
  return new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

/** An amount with all its digits, at least the decimals of its currency, and its whole digits in groups. */
export function moneyText(amount: Micros, currency: string): string {
  return showMicros(amount, currency).replace(/^-?\d+/, (whole) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, '\u202f'));
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** An age in its largest unit: 8 s, 4 min, 2 h, 3 d. */
export function ageText(ageMs: number): string {
  const [unit, ms] = units.find(([, each]) => ageMs >= each) ?? units[3];
  return `${Math.max(0, Math.floor(ageMs / ms))} ${unit}`;
}
