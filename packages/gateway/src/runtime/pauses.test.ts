import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TestClock } from '../../test/support/test-clock.ts';
import { Pauses } from './pauses.ts';

const ways = {
  'a suspended machine': (clock: TestClock) => (clock.suspendedMs += 1_500),
  'a wall clock that went on or was set': (clock: TestClock) => (clock.wallAheadMs += 1_500),
};

for (const [way, pause] of Object.entries(ways)) {
  it(`${way}: a node may act again once a request that it sent after the pause is answered`, async () => {
    const clock = TestClock.still();
    let paused = 0;
    const pauses = new Pauses(clock, () => (paused += 1));
    clock.advance(60_000);
    clock.wallAheadMs += 900;
    assert.equal(pauses.whenCertain(), undefined, 'a usual correction');
    const before = pauses.read();
    clock.advance(1_000);
    pause(clock);
    const certain = pauses.whenCertain();
    assert.ok(certain);
    pauses.answered(before);
    assert.equal(pauses.whenCertain(), certain, 'that was asked before the pause');
    clock.advance(1_000);
    pauses.answered(pauses.read());
    await certain;
    assert.deepEqual([pauses.whenCertain(), paused], [undefined, 1]);
  });
}
