/* The time range of all pages, which the URL has: `range=1h`, or `from` and `to`; and the zone that times are shown in. */

import type { FieldTable } from '@morsel/api/fields/field.ts';
import { isTimeZone, minuteMs, type Instant } from '@morsel/api/values/time.ts';
import { readTypedTime } from '@morsel/api/values/typed-time.ts';
import { viewer } from './format.ts';

type Texts = Readonly<Record<string, string>>;

/** What the URL keeps from page to page. */
export const keptInUrl = ['range', 'from', 'to', 'zone'];

/** When each range begins and ends, as typed times. */
export const ranges = {
  '15m': ['15m'],
  '1h': ['1h'],
  '6h': ['6h'],
  '24h': ['24h'],
  '7d': ['7d'],
  '30d': ['30d'],
  today: ['today'],
  yesterday: ['yesterday', 'today'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type RangeName = keyof typeof ranges;

export function isRange(name: string): name is RangeName {
  return Object.hasOwn(ranges, name);
}

const stored = 'morsel-zone';

/** The zone of the URL, or else the one that the viewer chose last, or that of the browser. */
export function zoneOf({ zone = localStorage.getItem(stored) ?? '' }: Texts): string {
  return isTimeZone(zone) ? zone : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function keepZone(zone: string): void {
  localStorage.setItem(stored, zone);
}

export function readTime(typed: string, now: Instant = Date.now()): Instant | undefined {
  return readTypedTime(typed, { now, zone: viewer.zone });
}

export function isoOf(typed: string): string | undefined {
  const at = readTime(typed);
  return at === undefined ? undefined : new Date(at).toISOString();
}

/** The begin and end that the URL has, if it has any. A range that ends now moves on once a minute. */
export function periodOf({
  range = '',
  since,
  until,
  from = since,
  to = until,
}: Texts): readonly (Instant | undefined)[] {
  const now = Math.floor(Date.now() / minuteMs) * minuteMs;
  const [begin, end] = isRange(range) ? ranges[range] : [from, to];
  return [begin, end].map((typed) => (typed === undefined ? undefined : readTime(typed, now)));
}

const begins = ['since', 'from'];
const ends = ['until', 'to'];

/** Whether an input is part of the time range, which every page has in its head. */
export function isOfRange(input: FieldTable, name: string): boolean {
  return input[name] !== undefined && [...begins, ...ends, 'zone'].includes(name);
}

/** The inputs of an operation that the time range gives. */
export function rangeFor(input: FieldTable, search: Texts): Texts {
  const [from, to] = periodOf(search);
  const given = Object.keys(input).flatMap((name) => {
    if (!isOfRange(input, name)) return [];
    if (name === 'zone') return [[name, viewer.zone]];
    const at = begins.includes(name) ? from : to;
    return at === undefined ? [] : [[name, new Date(at).toISOString()]];
  });
  return Object.fromEntries(given);
}
