import assert from 'node:assert/strict';
import { it } from 'node:test';
import { priorityNumbers } from '../../core/message/priority.ts';
import { Waiting } from './waiting.ts';

const { high, normal } = priorityNumbers;

/** The counts of a carrier for which a claim found no waiting part. */
function calm(): Waiting {
  const waiting = new Waiting();
  waiting.beginClaim(10);
  waiting.endClaim(null);
  return waiting;
}

function passes(waiting: Waiting): readonly boolean[] {
  return [waiting.mayPass(high), waiting.mayPass(normal)];
}

const rows: readonly (readonly [string, (waiting: Waiting) => void, readonly [boolean, boolean]])[] = [
  ['nothing waits', () => undefined, [true, true]],
  ['parts of normal priority wait', (waiting) => waiting.add(normal, 3), [true, false]],
  ['a part of high priority waits', (waiting) => waiting.add(high, 1), [false, false]],
  ['an unknown number of parts may wait', (waiting) => waiting.addAny(), [false, false]],
  ['a claim takes all waiting parts', (waiting) => claimOf(waiting, 3, 3), [true, true]],
  ['a claim cannot take all waiting parts', (waiting) => claimOf(waiting, 3, 2), [true, false]],
  ['a claim left parts of normal priority', (waiting) => endOf(waiting, normal), [true, false]],
  ['a claim left parts of high priority', (waiting) => endOf(waiting, high), [false, false]],
  ['only parts of other nodes may wait', (waiting) => waiting.addOfOthers(), [true, true]],
  ['a claim left no part', (waiting) => endOf(waiting, null), [true, true]],
];
for (const [when, happens, expected] of rows) {
  it(`when ${when}, a new message overtakes no earlier message`, () => {
    const waiting = calm();
    happens(waiting);
    assert.deepEqual(passes(waiting), expected);
  });
}

it('after a message that comes during a claim, another claim is needed', () => {
  const waiting = calm();
  waiting.add(normal, 1);
  waiting.beginClaim(10);
  assert.ok(!waiting.needsClaim);
  waiting.add(normal, 1);
  waiting.endClaim(null);
  assert.ok(waiting.needsClaim);
});

it('at the start the number of waiting parts is unknown: no new message is sent before a claim', () => {
  assert.deepEqual(passes(new Waiting()), [false, false]);
});

function claimOf(waiting: Waiting, parts: number, max: number): void {
  waiting.add(normal, parts);
  waiting.beginClaim(max);
}

function endOf(waiting: Waiting, left: number | null): void {
  waiting.add(normal, 5);
  waiting.beginClaim(2);
  waiting.endClaim(left);
}

it('parts of other nodes need one claim, which leaves half of the room to new messages', () => {
  const waiting = calm();
  waiting.addOfOthers();
  assert.deepEqual([waiting.needsClaim, waiting.claimOf(5)], [true, 3]);
  waiting.beginClaim(3);
  assert.deepEqual(passes(waiting), [true, true]);
  waiting.endClaim(null);
  assert.ok(!waiting.needsClaim);
});

it('while a part goes back to the queue, no new message is sent, and nothing is claimed', () => {
  const waiting = calm();
  waiting.add(normal, 1);
  waiting.goesBack();
  assert.deepEqual([waiting.needsClaim, passes(waiting)], [false, [false, false]]);
  waiting.isBack();
  assert.deepEqual([waiting.needsClaim, passes(waiting)], [true, [true, false]]);
});
