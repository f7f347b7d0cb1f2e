import type { Rejection } from './rejection.ts';
import { ok, refused } from './result.ts';
import type { Result } from './result.ts';
import { hourMs, minuteMs } from './time.ts';
import type { Instant } from './time.ts';

/** How far ahead a message may be planned (decisions, section 1). */
const daysAheadMax = 30;
const aheadMaxMs = daysAheadMax * 24 * hourMs;

/** What is past by no more than this is meant for now: clocks differ, and requests take their time. */
const minutesPastMax = 5;
const pastMaxMs = minutesPastMax * minuteMs;

/** A date and time of day to the second or millisecond, and where on earth that is. */
const pattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** A `+` in a query that was not URL-encoded arrives as a space, as it does in front of numbers. */
const lostPlus = /(?<=T[\d:.]+) (?=\d\d:\d\d$)/;

/** The time that was asked for, whatever the time is now. */
export function parseSendAt(sendAt: string): Result<Instant, Rejection> {
  const instant = readTime(sendAt.replace(lostPlus, '+'));
  if (instant !== undefined) return ok(instant);
  return invalid('sendAt is a time such as 2026-01-31T12:00:00Z or 2026-01-31T13:00:00.000+01:00');
}

/** When a message that comes at `now` is released: then, or at `now` when no time was asked for or it has just passed. */
export function releaseTime(sendAt: Instant | null, now: Instant): Result<Instant, Rejection> {
  if (sendAt === null) return ok(now);
  if (sendAt > now + aheadMaxMs) return invalid(`sendAt is at most ${daysAheadMax} days ahead`);
  if (sendAt < now - pastMaxMs) return invalid(`sendAt is more than ${minutesPastMax} minutes past`);
  return ok(Math.max(sendAt, now));
}

function readTime(text: string): Instant | undefined {
  const match = pattern.exec(text);
  const local = match?.[1];
  if (local === undefined) return undefined;
  const instant = Date.parse(text);
  // Date.parse makes the 2nd of March of the 30th of February, and the next day of 24:00:00.
  const asUtc = Date.parse(`${local}Z`);
  if (Number.isNaN(instant) || Number.isNaN(asUtc)) return undefined;
  return new Date(asUtc).toISOString().startsWith(local) ? instant : undefined;
}

function invalid(detail: string): Result<never, Rejection> {
  return refused({ code: 'invalid_parameter', field: 'sendAt', detail });
}
