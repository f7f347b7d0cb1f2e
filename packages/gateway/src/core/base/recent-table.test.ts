import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { keysMax, keysOfAllMax, RecentTable } from './recent-table.ts';

const room = () => ({ left: keysOfAllMax });
const step = fc.record({
  gapMs: fc.oneof(fc.constant(0), fc.nat(30), fc.nat(700)),
  key: fc.integer({ min: 1, max: 3 }),
});

describe('a count of recent events', () => {
  it('has at least the events of the kept time, and at most those of a time longer by a tenth', () => {
    const windowMs = 1_000;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const table = new RecentTable(windowMs, room());
        const added: { ms: number; key: number }[] = [];
        let ms = 5_000;
        const since = (key: number, from: number) => added.filter((each) => each.key === key && each.ms >= from).length;
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
        const table = new RecentTable(1_000, room());
        const passed: { ms: number; key: number }[] = [];
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

  it('an event that is undone is not counted', () => {
    const table = new RecentTable(1_000, room());
    table.add(1, 0);
    const takeBack = table.add(1, 10);
    assert.equal(table.sum(1, 20), 2);
    takeBack();
    assert.equal(table.sum(1, 20), 1);
    const put = table.put(2, 30);
    assert.equal(table.newest(2, 30), 30);
    put();
    assert.equal(table.newest(2, 30), Number.NEGATIVE_INFINITY);
  });

  it('events are forgotten after the kept time', () => {
    const shared = room();
    const table = new RecentTable(1_000, shared);
    const takeBack = table.put('a', 0);
    table.forget(1_099);
    assert.equal(table.size, 1);
    table.forget(1_101);
    assert.deepEqual([table.size, shared.left], [0, keysOfAllMax]);
    takeBack();
    assert.equal(table.newest('a', 1_101), undefined);
  });
});

describe('the room of recent tables', () => {
  it('each table has a limit of keys: the oldest keys make room', () => {
    const table = new RecentTable(1_000, room());
    for (let key = 1; key <= keysMax; key++) table.add(key, key <= keysMax / 2 ? 0 : 500);
    table.add(0, 900);
    assert.equal(table.size, keysMax / 2 + 1);
    assert.deepEqual([table.sum(1, 900), table.sum(keysMax, 900), table.sum(0, 900)], [0, 1, 1]);
  });

  it('all tables together have a limit of keys', () => {
    const shared = { left: 10 };
    const tables = Array.from({ length: 4 }, () => new RecentTable(1_000, shared));
    for (let key = 0; key < 100; key++) for (const table of tables) table.add(key, key);
    const kept = tables.reduce((sum, table) => sum + table.size, 0);
    assert.ok(kept <= 10 + tables.length, `${kept} keys`);
    assert.equal(shared.left, 10 - kept);
    for (const table of tables) table.clear();
    assert.equal(shared.left, 10);
  });
});
