import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { RecentTable } from './recent-table.ts';

const keysMax = 1_000;
const step = fc.record({
  gapMs: fc.oneof(fc.constant(0), fc.nat(30), fc.nat(700)),
  key: fc.constantFrom('a', 'b', 'c'),
});

describe('a count of recent events', () => {
  it('has at least the events of the kept time, and at most those of a time longer by a tenth', () => {
    const windowMs = 1_000;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const table = new RecentTable(windowMs, keysMax);
        const added: { ms: number; key: string }[] = [];
        let ms = 5_000;
        const since = (key: string, from: number) => added.filter((each) => each.key === key && each.ms >= from).length;
        for (const { gapMs, key } of steps) {
          ms += gapMs;
          const sum = table.sum(key, ms);
          assert.ok(sum >= since(key, ms - windowMs), `${sum} at ${ms}`);
          assert.ok(sum <= since(key, ms - windowMs * 1.1), `${sum} at ${ms}`);
          table.add(key, ms);
          added.push({ ms, key });
        }
      }),
    );
  });

  it('never exceeds a limit in any window, and says when the next event is allowed', () => {
    const limit = 3;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const table = new RecentTable(1_000, keysMax);
        const passed: { ms: number; key: string }[] = [];
        let ms = 0;
        for (const { gapMs, key } of steps) {
          ms += gapMs;
          const waitMs = table.waitUntilBelow(key, limit, ms);
          if (waitMs > 0) {
            assert.ok(waitMs <= 1_100);
            continue;
          }
          table.add(key, ms);
          passed.push({ ms, key });
          assert.ok(passed.filter((each) => each.key === key && each.ms >= ms - 1_000).length <= limit);
        }
      }),
    );
  });

  it('a table has a limit of keys: the oldest keys make room', () => {
    const table = new RecentTable(1_000, keysMax);
    for (let key = 1; key <= keysMax; key++) table.add(String(key), key <= keysMax / 2 ? 0 : 500);
    table.add('0', 900);
    assert.equal(table.size, keysMax / 2 + 1);
    assert.deepEqual([table.sum('1', 900), table.sum(String(keysMax), 900), table.sum('0', 900)], [0, 1, 1]);
    assert.deepEqual([table.sum('0', 2_001), table.size], [0, 0]);
  });
});
