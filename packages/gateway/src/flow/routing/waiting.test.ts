import assert from 'node:assert/strict';
import { it } from 'node:test';
import { priorityNumbers } from '../../core/message/priority.ts';
import { Waiting } from './waiting.ts';

const { high, normal } = priorityNumbers;

/** A route that was looked at once and had nothing waiting. */
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
  ['bulk waits', (waiting) => waiting.add(normal, 3), [true, false]],
  ['a high one waits', (waiting) => waiting.add(high, 1), [false, false]],
  ['anything may wait', (waiting) => waiting.addAny(), [false, false]],
  ['a claim takes all that waits', (waiting) => claimOf(waiting, 3, 3), [true, true]],
  ['a claim cannot take all of it', (waiting) => claimOf(waiting, 3, 2), [true, false]],
  ['bulk was left behind', (waiting) => endOf(waiting, normal), [true, false]],
  ['urgent ones were left behind', (waiting) => endOf(waiting, high), [false, false]],
  ['only parts of other nodes may wait', (waiting) => waiting.addOfOthers(), [true, true]],
  ['nothing was left behind', (waiting) => endOf(waiting, null), [true, true]],
];
for (const [when, happens, expected] of rows) {
  it(`when ${when}, a new message passes nothing that goes before it`, () => {
    const waiting = calm();
    happens(waiting);
    assert.deepEqual(passes(waiting), expected);
  });
}

it('a message that comes while a claim is under way is looked for again', () => {
  const waiting = calm();
  waiting.add(normal, 1);
  waiting.beginClaim(10);
  assert.ok(waiting.isEmpty);
  waiting.add(normal, 1);
  waiting.endClaim(null);
  assert.ok(!waiting.isEmpty);
});

it('at the start the waiting messages are unknown: none passes before a claim has looked', () => {
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

it('parts of other nodes are looked for once', () => {
  const waiting = calm();
  waiting.addOfOthers();
  assert.deepEqual([waiting.isEmpty, waiting.hasNoOwn], [false, true]);
  waiting.beginClaim(1);
  assert.deepEqual([waiting.isEmpty, passes(waiting)], [true, [true, true]]);
});
