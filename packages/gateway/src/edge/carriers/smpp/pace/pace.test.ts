import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LastSecond, LinkPace } from './pace.ts';

for (const [throughput, spanMs, most] of [
  [0.2, 5_000, 1],
  [2.5, 1_200, 3],
] as const) {
  it(`allows ${most} parts in ${spanMs} ms at a throughput of ${throughput}, by tokens and just before sending (S2)`, () => {
    const [pace, lastSecond] = [new LinkPace(throughput, 0), new LastSecond(throughput)];
    const sent: number[] = [];
    const sentBefore: number[] = [];
    for (let now = 0; now < 60_000; now++) {
      const count = pace.available(now);
      pace.take(count);
      for (let each = 0; each < count; each++) sent.push(now);
      if (lastSecond.waitMs(now) > 0) continue;
      lastSecond.sent(now);
      sentBefore.push(now);
    }
    for (const from of sentBefore)
      assert.ok(sentBefore.filter((at) => at >= from && at < from + spanMs).length <= most);
    assert.ok(sentBefore.length >= throughput * 60 * 0.95, `only ${sentBefore.length} in a minute`);
    for (const from of sent) assert.ok(sent.filter((at) => at >= from && at < from + spanMs).length <= most);
    assert.ok(sent.length >= throughput * 60 * 0.95, `only ${sent.length} in a minute`);
  });
}

it('returns how long to wait', () => {
  const pace = new LinkPace(10, 0);
  pace.take(1);
  assert.equal(pace.waitMs(0), 100);
  assert.equal(pace.waitMs(100), 0);
});

it('has no limit when there is none', () => assert.equal(new LinkPace(0, 0).available(0), Number.POSITIVE_INFINITY));

for (const throughput of [1, 7, 100]) {
  it(`allows at most ${throughput} parts in any second, even if they took their tokens long before (S2)`, () => {
    const lastSecond = new LastSecond(throughput);
    const sent: number[] = [];
    // First all parts come at once, as after a disk that stalled; then each comes as soon as it may be sent.
    for (let now = 0; now < 4_000; now++) {
      while (lastSecond.waitMs(now) === 0) {
        lastSecond.sent(now);
        sent.push(now);
      }
    }
    for (const from of sent) {
      assert.ok(sent.filter((at) => at >= from && at < from + 1_000).length <= throughput);
    }
    assert.equal(sent.length, throughput * 4);
  });
}

for (const [before, after, waitMs] of [
  [5, 1, 1_010 - 100],
  [2, 5, 0],
  [5, 5, 1_010 - 500],
] as const) {
  it(`counts the parts of the last second when a throughput of ${before} becomes ${after} (S2)`, () => {
    const lastSecond = new LastSecond(before);
    for (let now = 0; now < before * 100; now += 100) lastSecond.sent(now);
    assert.equal(new LastSecond(after, lastSecond).waitMs(500), waitMs);
  });
}
