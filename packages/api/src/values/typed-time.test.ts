import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { secondMs } from './time.ts';
import { localText, readTypedTime } from './typed-time.ts';

const place = { now: Date.parse('2026-11-28T20:30:10Z'), zone: 'Europe/Zurich' };

const rows: readonly (readonly [typed: string, iso: string | undefined])[] = [
  ['now', '2026-11-28T20:30:10.000Z'],
  ['12:15', '2026-11-28T11:15:00.000Z'],
  ['9:05:07', '2026-11-28T08:05:07.000Z'],
  ['24 Nov 12:15', '2026-11-24T11:15:00.000Z'],
  ['24 November, 12:15', '2026-11-24T11:15:00.000Z'],
  ['24 Jul 2025', '2025-07-23T22:00:00.000Z'],
  ['2h', '2026-11-28T18:30:10.000Z'],
  ['15 min', '2026-11-28T20:15:10.000Z'],
  ['yesterday 12:15', '2026-11-27T11:15:00.000Z'],
  ['today', '2026-11-27T23:00:00.000Z'],
  ['2026-11-24', '2026-11-23T23:00:00.000Z'],
  ['2026-11-24 12:15', '2026-11-24T11:15:00.000Z'],
  ['2026-11-24T12:15:30', '2026-11-24T11:15:30.000Z'],
  ['2026-11-24T12:15:30Z', '2026-11-24T12:15:30.000Z'],
  ['2026-11-24T12:15:30+05:00', '2026-11-24T07:15:30.000Z'],
  // The clock of this zone jumped from 2:00 to 3:00.
  ['2026-03-29 02:30', undefined],
  ['30 Feb 12:00', undefined],
  ['24 Foo 12:15', undefined],
  ['25:00', undefined],
  ['12', undefined],
  ['', undefined],
];
for (const [typed, iso] of rows) {
  it(`${JSON.stringify(typed)} is ${iso ?? 'no time'}`, () => {
    const read = readTypedTime(typed, place);
    assert.equal(read === undefined ? undefined : new Date(read).toISOString(), iso);
  });
}

it('a shown time is read back as the same instant, but for the hour that a zone has twice', () => {
  const at = fc.integer({ min: Date.parse('1980-01-01'), max: Date.parse('2037-12-31') });
  const zone = fc.constantFrom('Europe/Zurich', 'UTC', 'Asia/Kathmandu', 'America/Sao_Paulo', 'Pacific/Apia');
  fc.assert(
    fc.property(at, zone, (ms, each) => {
      const instant = Math.floor(ms / secondMs) * secondMs;
      const read = readTypedTime(localText(instant, each), { now: 0, zone: each });
      assert.ok(read !== undefined);
      assert.equal(localText(read, each), localText(instant, each));
    }),
  );
});
