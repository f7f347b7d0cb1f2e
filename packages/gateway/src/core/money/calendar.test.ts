import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endOfDay, endOfMonth, startOfDay } from './calendar.ts';
import { isTimeZone } from '@morsel/api/values/time.ts';

describe('the day and the month of a time zone end', () => {
  const rows: readonly [zone: string, at: string, day: string, month: string, about: string][] = [
    ['UTC', '2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00Z', '2026-02-01T00:00:00Z', 'at midnight'],
    [
      'UTC',
      '2026-02-01T00:00:00.000Z',
      '2026-02-02T00:00:00Z',
      '2026-03-01T00:00:00Z',
      'not in the instant they begin',
    ],
    [
      'Europe/Zurich',
      '2026-03-29T00:30:00Z',
      '2026-03-29T22:00:00Z',
      '2026-03-31T22:00:00Z',
      'after 23 hours in spring',
    ],
    [
      'Europe/Zurich',
      '2026-10-25T00:30:00Z',
      '2026-10-25T23:00:00Z',
      '2026-10-31T23:00:00Z',
      'after 25 hours in autumn',
    ],
    ['Asia/Kathmandu', '2026-06-30T18:00:00Z', '2026-06-30T18:15:00Z', '2026-06-30T18:15:00Z', 'at a quarter past'],
    ['America/St_Johns', '2026-07-01T02:29:59Z', '2026-07-01T02:30:00Z', '2026-07-01T02:30:00Z', 'at half past'],
    ['Pacific/Kiritimati', '2026-12-31T09:00:00Z', '2026-12-31T10:00:00Z', '2026-12-31T10:00:00Z', 'before UTC'],
    [
      'Africa/Cairo',
      '2026-04-23T12:00:00Z',
      '2026-04-23T22:00:00Z',
      '2026-04-30T21:00:00Z',
      'where midnight is missing',
    ],
  ];
  for (const [zone, at, day, month, about] of rows) {
    it(`${about}: ${zone}`, () => {
      assert.equal(new Date(endOfDay(Date.parse(at), zone)).toISOString(), day.replace('Z', '.000Z'));
      assert.equal(new Date(endOfMonth(Date.parse(at), zone)).toISOString(), month.replace('Z', '.000Z'));
    });
  }

  it('knows the names of time zones', () => {
    for (const zone of ['UTC', 'Europe/Zurich', 'America/Argentina/Buenos_Aires']) assert.ok(isTimeZone(zone), zone);
    for (const zone of ['', '+01:00', 'Europe/Nowhere', 'Zurich', '../etc']) assert.ok(!isTimeZone(zone), zone);
  });
});

const days: readonly (readonly [about: string, day: string, zone: string, start: string | undefined])[] = [
  ['midnight in UTC', '2026-01-31', 'UTC', '2026-01-31T00:00:00.000Z'],
  ['winter in Zurich', '2026-01-31', 'Europe/Zurich', '2026-01-30T23:00:00.000Z'],
  ['the day clocks go forward, at two', '2026-03-29', 'Europe/Zurich', '2026-03-28T23:00:00.000Z'],
  ['the day clocks go back', '2026-10-25', 'Europe/Zurich', '2026-10-24T22:00:00.000Z'],
  ['a quarter', '2026-07-01', 'Asia/Kathmandu', '2026-06-30T18:15:00.000Z'],
  ['the furthest east', '2026-07-01', 'Pacific/Kiritimati', '2026-06-30T10:00:00.000Z'],
  ['midnight is missing: clocks showed one', '2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
  ['midnight came twice: the first', '2024-11-03', 'America/Havana', '2024-11-03T04:00:00.000Z'],
  ['the hour before midnight came twice', '2018-02-18', 'America/Sao_Paulo', '2018-02-18T03:00:00.000Z'],
  ['a leap day', '2028-02-29', 'UTC', '2028-02-29T00:00:00.000Z'],
  ['no leap day', '2026-02-29', 'UTC', undefined],
  ['no day', '2026-1-1', 'UTC', undefined],
];

describe('a day begins', () => {
  for (const [about, day, zone, start] of days) {
    it(`${about}: ${day} ${zone}`, () => {
      const found = startOfDay(day, zone);
      assert.equal(found === undefined ? undefined : new Date(found).toISOString(), start);
    });
  }
});
