import assert from 'node:assert/strict';
import { it } from 'node:test';
import { durationText, judgeClock } from './clock.ts';
import { hourMs, minuteMs } from '@morsel/api/values/time.ts';

const seenAt = Date.UTC(2026, 0, 31, 12);
const dayMs = 24 * hourMs;

for (const [byMs, state] of [
  [-365 * dayMs, 'behind'],
  [-minuteMs, 'behind'],
  [-4_000, 'right'],
  [0, 'right'],
  [dayMs, 'right'],
  [dayMs + 1, 'ahead'],
  [365 * dayMs, 'ahead'],
] as const) {
  it(`a clock that is ${byMs} ms later than the newest stored time is ${state}`, () => {
    assert.equal(judgeClock(seenAt + byMs, { seenAt, aheadMaxMs: dayMs }), state);
    assert.equal(judgeClock(seenAt + byMs, { seenAt: 0, aheadMaxMs: dayMs }), 'right', 'there is no record');
  });
}

it('a duration is shown in its two largest units', () => {
  const durations = [0, 999, 61_000, hourMs, 25 * hourMs, 8 * dayMs + 3 * hourMs + minuteMs, 400 * dayMs];
  assert.deepEqual(durations.map(durationText), ['0 s', '0 s', '1 min 1 s', '1 h', '1 d 1 h', '8 d 3 h', '400 d']);
});
