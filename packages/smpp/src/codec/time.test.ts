import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { formatAbsoluteTime, formatRelativeTime, parseTime, resolveTime } from './time.ts';

/*
 * Tests of absolute and relative times: format, parse and resolve.
 */

const now = Date.parse('2026-11-21T09:15:30.400Z');

test('times resolve to instants', () => {
  const rows: readonly (readonly [string, string | undefined])[] = [
    // 3.4 section 7.1.1.2: two years, six months, ten days, 23 hours, 34 minutes and 29 seconds from now.
    ['020610233429000R', '2029-06-01T08:49:59.400Z'],
    ['000000010000000R', '2026-11-21T10:15:30.400Z'],
    // February has 28 days in this year, so the result is its last day and not 1 March.
    ['000310000000000R', '2027-03-03T09:15:30.400Z'],
    ['000000000000000R', '2026-11-21T09:15:30.400Z'],
    // Absolute times with tenths of a second, and the quarters of an hour that local time is ahead (+) or behind (-).
    ['261121091530400+', '2026-11-21T09:15:30.400Z'],
    ['261121091530404+', '2026-11-21T08:15:30.400Z'],
    ['261121091530420-', '2026-11-21T14:15:30.400Z'],
    ['991231235959948-', '2100-01-01T11:59:59.900Z'],
    ['000229000000000+', '2000-02-29T00:00:00.000Z'],
    // Dates that do not exist, invalid times, and texts without sixteen characters.
    ['260229000000000+', undefined],
    ['991321000000000+', undefined],
    ['261121240000000+', undefined],
    ['261121091530457+', undefined],
    ['2611210915', undefined],
    ['261121091530400Z', undefined],
    ['', undefined],
  ];
  for (const [text, expected] of rows) {
    const resolved = resolveTime(text, now);
    assert.equal(resolved === undefined ? undefined : new Date(resolved).toISOString(), expected, text);
  }
});

test('months are added by the calendar, at most to the last day of a month', () => {
  const january31 = Date.parse('2026-01-31T12:00:00Z');
  assert.equal(resolveTime('000100000000000R', january31), Date.parse('2026-02-28T12:00:00Z'));
});

test('each field of a relative time counts', () => {
  const time = { kind: 'relative', years: 2, months: 6, days: 10, hours: 23, minutes: 34, seconds: 29 };
  assert.deepEqual(parseTime('020610233429000R'), time);
});

test('instants and time spans are formatted', () => {
  const minute = 60_000;
  assert.equal(formatAbsoluteTime(now), '261121091530400+');
  assert.equal(formatRelativeTime(10 * minute), '000000001000000R');
  assert.equal(formatRelativeTime(((2 * 24 + 3) * 60 + 4) * minute + 5999), '000002030405000R');
  for (const span of [-1, 32 * 24 * 60 * minute, Number.NaN]) assert.throws(() => formatRelativeTime(span), RangeError);
  for (const at of [Date.parse('1999-12-31'), Date.parse('2100-01-01'), Number.NaN]) {
    assert.throws(() => formatAbsoluteTime(at), RangeError);
  }
});

test('a formatted time resolves to the same instant', () => {
  const tenths = fc.integer({ min: Date.parse('2000-01-01') / 100, max: Date.parse('2100-01-01') / 100 - 1 });
  fc.assert(fc.property(tenths, (tenth) => resolveTime(formatAbsoluteTime(tenth * 100), 0) === tenth * 100));
  const seconds = fc.integer({ min: 0, max: 32 * 24 * 3600 - 1 });
  fc.assert(
    fc.property(seconds, (second) => resolveTime(formatRelativeTime(second * 1000), now) === now + second * 1000),
  );
});
