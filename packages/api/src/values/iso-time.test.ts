import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { readIsoTime } from './iso-time.ts';

const two = (number: number) => String(number).padStart(2, '0');

describe('a time of ISO 8601', () => {
  it('is read exactly, for any date and offset', () => {
    const min = new Date('1970-01-02T00:00:00Z');
    const max = new Date('2999-12-30T00:00:00Z');
    fc.assert(
      fc.property(
        fc.date({ min, max, noInvalidDate: true }),
        fc.integer({ min: -1_439, max: 1_439 }),
        (date, offset) => {
          const local = new Date(date.getTime() + offset * 60_000).toISOString().replace('Z', '');
          const there = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
          assert.deepEqual(readIsoTime(`${local}${there}`), { ok: true, value: date.getTime() });
        },
      ),
    );
  });

  const rows: readonly (readonly [text: string, expected: string])[] = [
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
    ['2028-02-29T23:59:59.5Z', '2028-02-29T23:59:59.500Z'],
    ['2027-02-29', 'day'],
    ['2026-04-31T12:00:00Z', 'day'],
    ['2026-13-01', 'day'],
    ['2026-01-31T24:00:00Z', 'day'],
    ['1969-12-31T23:59:59Z', 'year'],
    ['3000-01-01', 'year'],
    ['2026-01-31T12:00:00', 'form'],
    ['2026-01-31T12:00:00+24:00', 'form'],
    ['', 'form'],
  ];
  for (const [text, expected] of rows) {
    it(`${JSON.stringify(text)} is ${expected}`, () => {
      const read = readIsoTime(text);
      assert.equal(read.ok ? new Date(read.value).toISOString() : read.error, expected);
    });
  }
});
