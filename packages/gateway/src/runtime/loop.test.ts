import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';
import { TestClock } from '../../test/support/test-clock.ts';
import { Loop } from './loop.ts';

function scene(turn: (count: number) => void | number | Promise<void | number>) {
  const clock = TestClock.still();
  const lines: object[] = [];
  const seen = { turns: 0 };
  const log = { error: (fields: object) => void lines.push(fields) };
  const loop = new Loop({ clock, log, name: 'test', everyMs: 1_000, turn: () => turn(++seen.turns) });
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settle();
    return seen.turns;
  };
  return { clock, lines, seen, loop, pass };
}

describe('a loop', () => {
  it('runs a turn after each interval, and none once it is stopped', async () => {
    const { loop, pass } = scene(() => undefined);
    assert.equal(await pass(999), 0);
    assert.equal(await pass(1), 1);
    assert.equal(await pass(1_000), 2);
    await loop.stop();
    loop.wake();
    assert.equal(await pass(5_000), 2);
  });

  it('waits for the milliseconds that a turn returns, and not at all for 0', async () => {
    const { pass } = scene((count) => (count <= 2 ? 0 : count === 3 ? 5_000 : undefined));
    assert.equal(await pass(1_000), 3);
    assert.equal(await pass(4_999), 3);
    assert.equal(await pass(1), 4);
    assert.equal(await pass(1_000), 5);
  });

  it('runs one turn at a time: a wake during a turn starts another one after it, and a stop waits for the end of the turn', async () => {
    const ends: (() => void)[] = [];
    const { loop, seen } = scene(() => new Promise<void>((resolve) => void ends.push(resolve)));
    loop.wake();
    loop.wake();
    loop.wake();
    assert.equal(seen.turns, 1);
    ends.shift()?.();
    await settle();
    assert.equal(seen.turns, 2);
    let isStopped = false;
    const stopped = loop.stop().then(() => (isStopped = true));
    await settle();
    assert.equal(isStopped, false);
    ends.shift()?.();
    await stopped;
    assert.equal(seen.turns, 2);
  });

  it('logs a turn that throws, without its message, and goes on', async () => {
    const { lines, pass } = scene(() => {
      throw new TypeError('a secret');
    });
    await pass(1_000);
    assert.equal(await pass(1_000), 2);
    assert.equal(lines.length, 2);
    assert.ok(!JSON.stringify(lines).includes('secret'));
    assert.match(JSON.stringify(lines[0]), /"loop":"test","error":"TypeError"/);
  });
});
