import { readIsoTime } from '@morsel/api/values/iso-time.ts';
import type { Rejection } from '../base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { hourMs, minuteMs, type Instant } from '@morsel/api/values/time.ts';

export const daysAheadMax = 30;
const aheadMaxMs = daysAheadMax * 24 * hourMs;

/** A send time that passed at most this long ago counts as now, because clocks differ and requests take time. */
export const minutesPastMax = 5;
const pastMaxMs = minutesPastMax * minuteMs;

/** A send time must include hours, minutes and seconds. */
const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/** A `+` before the time zone arrives as a space if the client did not URL-encode its query. */
const lostPlus = /(?<=T[\d:.]+) (?=\d\d:\d\d$)/;

/** Parses a send time, without comparing it with the current time. */
export function parseSendAt(sendAt: string): Result<Instant, Rejection> {
  const text = sendAt.replace(lostPlus, '+');
  const read = pattern.test(text) ? readIsoTime(text) : undefined;
  if (read?.ok) return read;
  return invalid('sendAt must be a time such as 2026-01-31T12:00:00Z or 2026-01-31T13:00:00.000+01:00');
}

/** The requested send time; `now` if no time was requested, or if the time has just passed. */
export function dueTime(sendAt: Instant | null, now: Instant): Result<Instant, Rejection> {
  if (sendAt === null) return ok(now);
  if (sendAt > now + aheadMaxMs) return invalid(`sendAt must be at most ${daysAheadMax} days ahead`);
  if (sendAt < now - pastMaxMs) return invalid(`sendAt must be at most ${minutesPastMax} minutes in the past`);
  return ok(Math.max(sendAt, now));
}

function invalid(detail: string): Result<never, Rejection> {
  return refused({ code: 'invalid_parameter', field: 'sendAt', detail });
}
