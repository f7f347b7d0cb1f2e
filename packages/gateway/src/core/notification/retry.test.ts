import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { notificationRetryAt } from './retry.ts';
import { hourMs, minuteMs, secondMs } from '@morsel/api/values/time.ts';

const waits = [
  [1, 5 * secondMs],
  [2, 30 * secondMs],
  [3, 2 * minuteMs],
  [4, 10 * minuteMs],
  [5, 30 * minuteMs],
  [6, hourMs],
  [7, 2 * hourMs],
  [8, 4 * hourMs],
  [9, 8 * hourMs],
  [10, 8 * hourMs],
] as const;

for (const [tries, wait] of waits) {
  test(`after try ${tries} a notification waits about ${wait / secondMs} s`, () => {
    assert.equal(notificationRetryAt({ tries, triedFrom: 0, at: 0, chance: 0.5 }), wait);
  });
}

test('notifications that failed together are not tried again at the same time', () => {
  const dues = [0, 0.25, 0.75, 0.999].map((chance) => notificationRetryAt({ tries: 2, triedFrom: 0, at: 0, chance }));
  assert.equal(new Set(dues).size, 4);
});

test('a later time that a receiver asks for is used, and an earlier one is not', () => {
  const failed = { tries: 1, triedFrom: 0, at: 0, chance: 0.5 };
  assert.equal(notificationRetryAt({ ...failed, notBeforeMs: minuteMs }), minuteMs);
  assert.equal(notificationRetryAt({ ...failed, notBeforeMs: secondMs }), 5 * secondMs);
});

test('a notification is tried for 72 hours and no longer, whatever its receiver asks for', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000 }),
      fc.integer({ min: 0, max: 80 * hourMs }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.option(fc.integer({ min: 0, max: 100 * hourMs }), { nil: undefined }),
      (tries, at, chance, notBeforeMs) => {
        const due = notificationRetryAt({ tries, triedFrom: 0, at, chance, notBeforeMs });
        if (due !== null) assert.ok(due > at && due <= 72 * hourMs);
      },
    ),
  );
});

const sessionWaits = [
  [1, secondMs],
  [2, 2 * secondMs],
  [4, 10 * secondMs],
  [9, 10 * minuteMs],
  [500, 10 * minuteMs],
] as const;

for (const [tries, wait] of sessionWaits) {
  test(`after try ${tries} at a session a notification waits about ${wait / secondMs} s`, () => {
    assert.equal(notificationRetryAt({ destination: 'sessions', tries, triedFrom: 0, at: 0, chance: 0.5 }), wait);
  });
}

test('a session that accepts nothing is tried for 7 days', () => {
  const failed = { destination: 'sessions', tries: 500, triedFrom: 0, chance: 0.5 } as const;
  assert.notEqual(notificationRetryAt({ ...failed, at: 7 * 24 * hourMs - 10 * minuteMs }), null);
  assert.equal(notificationRetryAt({ ...failed, at: 7 * 24 * hourMs - 10 * minuteMs + 1 }), null);
});
