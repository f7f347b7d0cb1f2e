import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startOfDay } from './day-start.ts';

const days: readonly (readonly [about: string, day: string, zone: string, start: string | undefined])[] = [
  ['midnight in UTC', '2026-01-31', 'UTC', '2026-01-31T00:00:00.000Z'],
  ['winter in Zurich', '2026-01-31', 'Europe/Zurich', '2026-01-30T23:00:00.000Z'],
  ['the day clocks go forward, at two', '2026-03-29', 'Europe/Zurich', '2026-03-28T23:00:00.000Z'],
  ['the day after it', '2026-03-30', 'Europe/Zurich', '2026-03-29T22:00:00.000Z'],
  ['the day clocks go back', '2026-10-25', 'Europe/Zurich', '2026-10-24T22:00:00.000Z'],
  ['the day after that', '2026-10-26', 'Europe/Zurich', '2026-10-25T23:00:00.000Z'],
  ['half an hour', '2026-07-01', 'Asia/Kolkata', '2026-06-30T18:30:00.000Z'],
  ['a quarter', '2026-07-01', 'Asia/Kathmandu', '2026-06-30T18:15:00.000Z'],
  ['the furthest east', '2026-07-01', 'Pacific/Kiritimati', '2026-06-30T10:00:00.000Z'],
  ['the furthest west', '2026-07-01', 'Pacific/Pago_Pago', '2026-07-01T11:00:00.000Z'],
  ['midnight is missing: clocks showed one', '2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
  ['midnight came twice: the first', '2024-11-03', 'America/Havana', '2024-11-03T04:00:00.000Z'],
  ['the hour before midnight came twice', '2018-02-18', 'America/Sao_Paulo', '2018-02-18T03:00:00.000Z'],
  ['a leap day', '2028-02-29', 'UTC', '2028-02-29T00:00:00.000Z'],
  ['no leap day', '2026-02-29', 'UTC', undefined],
  ['no month', '2026-13-01', 'UTC', undefined],
  ['no day', '2026-1-1', 'UTC', undefined],
  ['no zone', '2026-01-01', 'Europe/Nowhere', undefined],
];

for (const [about, day, zone, start] of days) {
  it(`${about}: ${day} ${zone}`, () => {
    const found = startOfDay(day, zone);
    assert.equal(found === undefined ? undefined : new Date(found).toISOString(), start);
  });
}
