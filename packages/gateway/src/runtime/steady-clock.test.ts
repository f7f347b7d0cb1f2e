import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TestClock } from '../../test/support/test-clock.ts';
import { startSteadyClock } from './steady-clock.ts';

const dayMs = 86_400_000;
const startAt = 1_700_000_000_000;

for (const byMs of [3 * dayMs, -3 * dayMs]) {
  it(`a wall clock that steps by ${byMs} ms moves no deadline, and is reported once (P5)`, () => {
    const machine = TestClock.still(startAt);
    const steps: number[] = [];
    const clock = startSteadyClock(machine, (driftMs) => void steps.push(driftMs));
    machine.wallAheadMs = byMs;
    assert.equal(clock.now(), startAt);
    machine.advance(1_000);
    assert.deepEqual(steps, [byMs]);
    assert.equal(clock.now(), startAt + 1_000, 'it goes on as before');
    machine.advance(1_000);
    assert.equal(steps.length, 1);
    assert.equal(clock.wall(), startAt + 2_000 + byMs);
  });
}

it('small corrections of the wall clock are followed', () => {
  const machine = TestClock.still(startAt);
  const clock = startSteadyClock(machine, () => assert.fail('a small correction is no step'));
  machine.wallAheadMs = 3_000;
  machine.advance(1_000);
  assert.equal(clock.now(), startAt + 4_000);
});

it('time in which the machine was suspended has passed', () => {
  const machine = TestClock.still(startAt);
  const clock = startSteadyClock(machine, () => assert.fail('a suspended machine is no step'));
  machine.suspendedMs = 46_000;
  machine.wallAheadMs = 46_000;
  machine.advance(1_000);
  assert.equal(clock.now(), startAt + 47_000);
});
