import { ok, refused } from './result.ts';
import type { Result } from './result.ts';
import type { Instant } from './time.ts';

/** Why a text is no instant: a wrong form, or a date that does not exist. */
export type NoTime = 'form' | 'day' | 'year';

/** A date, and a time of day with its offset; seconds and milliseconds are optional. */
const pattern = /^((\d{4})-\d\d-\d\d)(?:T((?:\d\d:\d\d)(?::\d\d)?)(\.\d{1,3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/** Earlier and later times are typing errors. */
const years = { first: 1970, last: 2999 };

/** An instant as ISO 8601 writes it, in UTC or with its offset; a day alone is its beginning in UTC. */
export function readIsoTime(text: string): Result<Instant, NoTime> {
  const [match, day = '', year = '', timeOfDay = '00:00', fraction] = pattern.exec(text) ?? [];
  if (match === undefined || (fraction !== undefined && timeOfDay.length === 'hh:mm'.length)) return refused('form');
  // Date.parse makes the 2nd of March of the 30th of February, and the next day of 24:00:00.
  const local = `${day}T${timeOfDay}`;
  const asUtc = Date.parse(`${local}Z`);
  const instant = Date.parse(text);
  if (Number.isNaN(instant) || Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(local)) {
    return refused('day');
  }
  return Number(year) < years.first || Number(year) > years.last ? refused('year') : ok(instant);
}

/** The sentence for it, where `form` describes a time. */
export function noTime(why: NoTime, form: string): string {
  if (why === 'day') return 'there is no such day, or no such time of it';
  return why === 'year' ? `it must be in the years ${years.first} to ${years.last}` : form;
}
