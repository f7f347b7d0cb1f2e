import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Rejection } from '../base/rejection.ts';
import { parseSendAt, dueTime } from './schedule.ts';
import type { Result } from '@morsel/api/values/result.ts';

const now = Date.UTC(2026, 0, 31, 12, 0, 0);
const minute = 60_000;
const day = 24 * 60 * minute;

function dueOf(sendAt: string | undefined): Result<number, Rejection> {
  if (sendAt === undefined) return dueTime(null, now);
  const asked = parseSendAt(sendAt);
  return asked.ok ? dueTime(asked.value, now) : asked;
}

describe('sendAt', () => {
  const taken: readonly (readonly [string | undefined, number])[] = [
    [undefined, now],
    ['2026-01-31T12:00:01Z', now + 1_000],
    ['2026-01-31T12:00:00.001Z', now + 1],
    ['2026-01-31T12:00:00.5Z', now + 500],
    ['2026-01-31T13:00:01+01:00', now + 1_000],
    ['2026-01-31T13:00:01 01:00', now + 1_000],
    ['2026-01-31T06:30:01-05:30', now + 1_000],
    ['2026-02-01T01:45:00.000+13:45', now],
    ['2026-02-28T23:59:59Z', Date.UTC(2026, 1, 28, 23, 59, 59)],
    ['2026-03-02T12:00:00Z', now + 30 * day],
    ['2026-03-02T12:00:00.000-00:00', now + 30 * day],
    ['2026-01-31T12:00:00Z', now],
    ['2026-01-31T11:59:59.999Z', now],
    ['2026-01-31T11:55:00Z', now],
  ];
  for (const [sendAt, dueAt] of taken) {
    it(`${sendAt ?? 'that was not given'} is ${(dueAt - now) / 1_000} seconds from now`, () => {
      assert.deepEqual(dueOf(sendAt), { ok: true, value: dueAt });
    });
  }

  const wrong = `|tomorrow|1769860801|2026-02-01|2026-02-01T12:00:00|2026-02-01T12:00:00.0001Z|2026-02-01 12:00:00Z|
    2026-02-01T12:00:00+0100|2026-02-01T12:00:00+24:00|2026-02-01T12:00:00+01:60|2026-02-29T12:00:00Z|
    2026-13-01T12:00:00Z|2026-02-01T24:00:00Z|2026-02-01T23:59:60Z|+002026-02-01T12:00:00Z|
    2026-02-01T12:00:00+01:00[Europe/Zurich]|٢٠٢٦-02-01T12:00:00Z`;
  const refused: readonly (readonly [string, RegExp])[] = [
    ['2026-03-02T12:00:00.001Z', /at most 30 days ahead/],
    ['2999-01-01T00:00:00Z', /at most 30 days ahead/],
    ['2026-01-31T11:54:59.999Z', /at most 5 minutes in the past/],
    ['1970-01-01T00:00:00Z', /at most 5 minutes in the past/],
    ...wrong.split(/\s*\|\s*/).map((text) => [text, /must be a time such as 2026-01-31T12:00:00Z/] as const),
  ];
  for (const [sendAt, detail] of refused) {
    it(`${JSON.stringify(sendAt)} is refused: ${detail.source}`, () => {
      const due = dueOf(sendAt);
      assert.ok(!due.ok && due.error.code === 'invalid_parameter');
      assert.equal(due.error.field, 'sendAt');
      assert.match(due.error.detail, detail);
    });
  }
});
