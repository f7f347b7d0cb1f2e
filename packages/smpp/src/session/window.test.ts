import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { sequenceNumberMax, Window } from './window.ts';

/* Tests of the window: sequence numbers, deadlines, late answers and the limit of requests in flight. */

const numbers = (waiting: readonly { sequence_number: number }[]): number[] =>
  waiting.map((one) => one.sequence_number);

describe('window', () => {
  test('numbers start at 1 and wrap at 0x7FFFFFFF', () => {
    const fresh = new Window<string>({ max: 3 });
    assert.deepEqual([fresh.add('submit_sm', 10, 'a').sequence_number, fresh.number()], [1, 2]);
    const old = new Window<string>({ max: 3, first: sequenceNumberMax - 1 });
    assert.deepEqual([old.number(), old.number(), old.number()], [sequenceNumberMax - 1, sequenceNumberMax, 1]);
  });

  test('numbers of requests in flight are skipped when the numbers start again', () => {
    const window = new Window<string>({ max: 3, last: 5 });
    for (const waiter of ['a', 'b', 'c']) window.add('submit_sm', 10, waiter);
    window.take(2);
    assert.deepEqual(
      [1, 2, 3, 4, 5].map(() => window.number()),
      [4, 5, 2, 4, 5],
    );
  });

  test('a number that is used again does not count as late', () => {
    const window = new Window<string>({ max: 1, last: 1 });
    window.add('submit_sm', 10, 'a');
    window.expire(10);
    window.heard();
    window.add('submit_sm', 20, 'b');
    window.take(1);
    assert.equal(window.take(1), 'unknown');
  });

  test('requests that wait long are found, whatever came and went meanwhile, also in a large window', () => {
    const window = new Window<number>({ max: 100, first: sequenceNumberMax - 500 });
    const long = Array.from({ length: 60 }, (_, n) => {
      const { sequence_number } = window.add('submit_sm', 10, n);
      for (let other = 0; other < 25; other++) {
        const short = window.add('submit_sm', 10, -1);
        assert.equal(window.take(short.sequence_number), short);
      }
      return sequence_number;
    });
    assert.equal(new Set(long).size, long.length);
    for (const [n, number] of long.entries()) assert.equal(window.find(number)?.waiter, n);
    assert.deepEqual(numbers(window.drain()), long);
  });

  test('a full window is a bug of the caller', () => {
    const window = new Window<string>({ max: 1 });
    window.add('submit_sm', 10, 'a');
    assert.throws(() => window.add('submit_sm', 10, 'b'), RangeError);
  });

  test('an answer is late once, and unknown after that', () => {
    const window = new Window<string>({ max: 3 });
    window.add('submit_sm', 10, 'a');
    assert.deepEqual(numbers(window.expire(10)), [1]);
    assert.deepEqual(
      [window.take(1), window.take(1), window.take(77), window.take(0)],
      ['late', 'unknown', 'unknown', 'unknown'],
    );
  });

  test('no more than lateMax expired numbers are remembered', () => {
    const window = new Window<string>({ max: 5, lateMax: 2 });
    for (let n = 0; n < 5; n++) window.add('submit_sm', 10, 'x');
    window.expire(10);
    assert.deepEqual(
      [1, 2, 3, 4, 5].map((n) => window.take(n)),
      ['unknown', 'unknown', 'unknown', 'late', 'late'],
    );
  });

  test('a request expires at its deadline, and the oldest requests come first', () => {
    const window = new Window<string>({ max: 5 });
    for (const deadline of [10, 20, 15, 30]) window.add('submit_sm', deadline, 'x');
    assert.deepEqual(numbers(window.expire(9)), []);
    assert.deepEqual(numbers(window.expire(19)), [1, 3]);
    assert.deepEqual(numbers(window.expire(20)), [2]);
    assert.equal(window.oldest()?.sequence_number, 4);
    assert.deepEqual(numbers(window.drain()), [4]);
    assert.equal(window.size, 0);
  });

  test('every request is settled exactly once, whatever happens', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add'), n: fc.nat(50) }),
      fc.record({ kind: fc.constant('take'), n: fc.nat(30) }),
      fc.record({ kind: fc.constant('expire'), n: fc.nat(20) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const window = new Window<number>({ max: 8, lateMax: 4, first: sequenceNumberMax - 10 });
        const settled: number[] = [];
        let added = 0;
        let now = 0;
        for (const { kind, n } of steps) {
          if (kind === 'add' && window.room > 0) window.add('submit_sm', now + n, added++);
          if (kind === 'take') {
            const found = window.take(n > 10 ? sequenceNumberMax - n + 11 : n);
            if (typeof found !== 'string') settled.push(found.waiter);
          }
          if (kind === 'expire') settled.push(...window.expire((now += n)).map((one) => one.waiter));
          assert.ok(window.size <= window.max);
        }
        settled.push(...window.drain().map((one) => one.waiter));
        assert.deepEqual(
          settled.toSorted((a, b) => a - b),
          Array.from({ length: added }, (_, index) => index),
        );
      }),
    );
  });
});
