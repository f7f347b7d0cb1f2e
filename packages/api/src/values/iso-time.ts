import { ok, refused, type Result } from './result.ts';
import type { Instant } from './time.ts';

/** Why a text is no time: its form, a day or time of day that does not exist, or a year outside the limits. */
export type NoTime = 'form' | 'day' | 'year';

/** A date with an optional time of day and offset. Seconds and milliseconds are optional. */
const pattern = /^((\d{4})-\d\d-\d\d)(?:T((?:\d\d:\d\d)(?::\d\d)?)(\.\d{1,3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/** Other years are probably typing errors. */
const years = { first: 1970, last: 2999 };

/** ISO 8601, in UTC or with an offset. A day alone means its beginning in UTC. */
export function readIsoTime(text: string): Result<Instant, NoTime> {
  const [match, day = '', year = '', timeOfDay = '00:00', fraction] = pattern.exec(text) ?? [];
  if (match === undefined || (fraction !== undefined && timeOfDay.length === 'hh:mm'.length)) return refused('form');
  // Date.parse accepts 30 February as 2 March, and 24:00:00 as the next day.
  const local = `${day}T${timeOfDay}`;
  const asUtc = Date.parse(`${local}Z`);
  const instant = Date.parse(text);
  if (Number.isNaN(instant) || Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(local)) {
    return refused('day');
  }
  return Number(year) < years.first || Number(year) > years.last ? refused('year') : ok(instant);
}

/** `form` is the message for a text of the wrong form. */
export function noTime(why: NoTime, form: string): string {
  if (why === 'day') return 'must be a day and a time of day that exist';
  return why === 'year' ? `must be in the years ${years.first} to ${years.last}` : form;
}
