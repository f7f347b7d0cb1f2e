import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startClock } from './clock.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

const dayMs = 86_400_000;
/** Between two looks of the clock at the wall clock, and more. */
const limitMs = 10_000;

for (const byMs of [3 * dayMs, -3 * dayMs]) {
  it(`a wall clock that steps by ${byMs} ms moves no deadline, and is told of once (P5)`, async (test) => {
    const wall = Date.now.bind(Date);
    let steppedBy = 0;
    test.mock.method(Date, 'now', () => wall() + steppedBy);
    const steps: number[] = [];
    const clock = startClock((driftMs) => void steps.push(driftMs));
    try {
      const before = clock.now();
      steppedBy = byMs;
      assert.ok(clock.now() - before < limitMs && clock.now() >= before);
      await waitUntil('it is told', () => steps.length > 0);
      assert.ok(Math.abs((steps[0] ?? 0) - byMs) < limitMs);
      assert.ok(Math.abs(clock.now() - wall()) < limitMs, 'it goes on as before');
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      assert.equal(steps.length, 1);
    } finally {
      clock.stop();
    }
  });
}

it('small corrections of the wall clock are followed', async (test) => {
  const wall = Date.now.bind(Date);
  let correctedBy = 0;
  test.mock.method(Date, 'now', () => wall() + correctedBy);
  const clock = startClock(() => assert.fail('it is no step'));
  try {
    correctedBy = 3_000;
    await waitUntil('it is followed', () => clock.now() - wall() > 2_000);
  } finally {
    clock.stop();
  }
});
