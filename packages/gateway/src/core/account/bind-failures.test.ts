import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BindFailures } from './bind-failures.ts';
import { minuteMs } from '@morsel/api/values/time.ts';

it('a refused bind is delayed by a second; each failure after the third doubles the delay, up to eight seconds', () => {
  const failures = new BindFailures();
  const delays: number[] = [];
  for (let each = 0; each < 10; each++) {
    delays.push(failures.delayMs('192.0.2.1', 1_000));
    failures.note('192.0.2.1', 1_000);
  }
  assert.deepEqual(delays, [1_000, 1_000, 1_000, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000]);
  assert.equal(failures.delayMs('192.0.2.2', 1_000), 1_000, 'others have not failed');
  assert.equal(failures.delayMs('192.0.2.1', 9 * minuteMs), 8_000);
  assert.equal(failures.delayMs('192.0.2.1', 12 * minuteMs), 1_000, 'it is forgotten');
});

it('failed binds of many networks are remembered up to the limit, the recent networks first', () => {
  const failures = new BindFailures();
  for (let at = 0; at < 100_000; at++) failures.note(`network ${at}`, at);
  for (let each = 0; each < 6; each++) failures.note('last', 100_000);
  assert.equal(failures.delayMs('last', 100_000), 8_000);
  assert.equal(failures.delayMs('network 1', 100_000), 1_000);
});
