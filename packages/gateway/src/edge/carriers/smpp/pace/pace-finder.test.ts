import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { FlowControl } from './flow-control.ts';
import { between, carriers, mostInASecond, run, unlucky } from '../../../../../test/support/carriers/pace-carriers.ts';

/* The pace that a carrier accepts, on a simulated clock. */

const counts = Object.entries(carriers);

describe('a carrier with a limit a second', () => {
  for (const [how, carrier] of counts) {
    for (const perSecond of [5, 50, 500]) {
      for (const answerMs of [1, 60]) {
        it(`of ${perSecond} ${how}, and answers in ${answerMs} ms, gets 90 percent of its limit and seldom refuses`, () => {
          const { acceptedAt, refusedAt, flow } = run({ takes: carrier(() => perSecond), forMs: 150_000, answerMs });
          const share = between(acceptedAt, 30_000, 150_000) / 120 / perSecond;
          assert.ok(share >= 0.9, `only ${share} of it`);
          assert.ok(Math.abs((flow.pace ?? 0) / perSecond - 1) < 0.2, `the pace is ${flow.pace}`);
          assert.ok(between(refusedAt, 0, 10_000) < 70 + perSecond * 0.4, 'a window and little more until it is found');
          const refused = between(refusedAt, 30_000, 150_000) / 2;
          assert.ok(refused <= 20, `${refused} refusals in a minute`);
          assert.ok(flow.chanceShare < 0.01, `taken for ${flow.chanceShare} by chance`);
        });
      }
    }
  }

  it('gets the right pace after its limit grows tenfold or falls to a tenth', () => {
    for (const [before, after] of [
      [50, 500],
      [500, 50],
    ] as const) {
      let perSecond: number = before;
      const takes = carriers.inAnySecond(() => perSecond);
      const { acceptedAt, refusedAt } = run({
        takes: (at) => {
          perSecond = at < 40_000 ? before : after;
          return takes(at);
        },
        forMs: 160_000,
      });
      const share = between(acceptedAt, 120_000, 160_000) / 40 / after;
      assert.ok(share > 0.9, `${share} of ${after} after ${before}`);
      assert.ok(between(refusedAt, 40_000, 160_000) < 150);
    }
  });
});

describe('a carrier that throttles by chance alone', () => {
  for (const share of [0.005, 0.02, 0.2, 0.35]) {
    for (const answerMs of [5, 20, 200]) {
      it(`${share * 100} percent, and answers in ${answerMs} ms, has a full window from the first minute on`, () => {
        const { acceptedAt, flow } = run({ takes: unlucky(() => share), forMs: 60_000, answerMs, lateMs: 0 });
        const gets = acceptedAt.length / 60 / ((50 / answerMs) * 1_000 * (1 - share));
        assert.ok(gets > 0.95, `${gets} of what its window allows`);
        assert.ok(Math.abs(flow.chanceShare / share - 1) < 0.6, `taken for ${flow.chanceShare}`);
        assert.ok(Math.abs(flow.throttledShare / share - 1) < 0.6, `${flow.throttledShare} of the newest answers`);
      });
    }
  }

  it('keeps a full window when the share of refusals begins, grows or ends', () => {
    let now = 0;
    const shareAt = () => (now < 40_000 ? 0 : now < 80_000 ? 0.02 : now < 140_000 ? 0.2 : 0);
    const chosen = unlucky(shareAt);
    const { acceptedAt } = run({
      takes: (at) => {
        now = at;
        return chosen(at);
      },
      forMs: 200_000,
    });
    for (const [from, wanted] of [
      [0, 2_500],
      [70_000, 2_450],
      [130_000, 2_000],
      [190_000, 2_500],
    ] as const) {
      const perSecond = between(acceptedAt, from + 1_000, from + 10_000) / 9;
      assert.ok(perSecond > wanted * 0.9, `${perSecond} of ${wanted} a second from ${from} ms on`);
    }
  });
});

describe('a carrier with a limit a second that also throttles by chance', () => {
  for (const share of [0.02, 0.2]) {
    for (const perSecond of [50, 500]) {
      for (const [how, limit] of counts) {
        it(`${share * 100} percent, and ${perSecond} ${how}, gets nearly as many, and refuses little more than by chance`, () => {
          const takes = unlucky(
            () => share,
            limit(() => perSecond),
          );
          const { acceptedAt, refusedAt } = run({ takes, forMs: 120_000 });
          const taken = between(acceptedAt, 60_000, 120_000) / 60;
          assert.ok(taken > perSecond * 0.85, `${taken} a second`);
          const refused = between(refusedAt, 60_000, 120_000) / 60;
          assert.ok(refused / (taken + refused) < share + 0.15, `${refused} refused a second`);
        });
      }
    }
  }
});

it('a carrier with trouble for some seconds gets all waiting messages within a minute: its refusals are not taken for a limit', () => {
  const { acceptedAt, flow } = run({
    takes: (at) => at >= 4_000 && (at < 8_000 || at >= 11_000),
    forMs: 60_000,
    window: 10,
    answerMs: 2,
  });
  assert.ok((flow.pace ?? Number.POSITIVE_INFINITY) > 500, `the pace is ${flow.pace}`);
  assert.ok(between(acceptedAt, 55_000, 60_000) > 2_500, `${between(acceptedAt, 55_000, 60_000)} in five seconds`);
});

it('a carrier with a short queue gets parts as fast as it works off the queue', () => {
  for (const holds of [1, 3, 10]) {
    let held: number[] = [];
    const { acceptedAt, refusedAt } = run({
      takes: (now) => {
        held = held.filter((until) => until > now);
        if (held.length >= holds) return false;
        held.push(now + 100);
        return true;
      },
      answerMs: 100,
      forMs: 60_000,
      window: 40,
    });
    const share = between(acceptedAt, 20_000, 60_000) / 40 / (holds * 10);
    assert.ok(share > 0.85, `${share} of a queue of ${holds}`);
    assert.ok(refusedAt.length < 60, `${refusedAt.length} refusals`);
  }
});

it('refusals after a quiet time lower the known pace by at most about a tenth', () => {
  const { flow } = run({ takes: carriers.inAnySecond(() => 100), forMs: 60_000 });
  const before = flow.pace ?? 0;
  for (let each = 0; each < 3; each++) flow.throttled(900_000, 899_999);
  assert.ok((flow.pace ?? 0) >= before * 0.89, `${flow.pace} after ${before}`);
});

/** Sends as many parts as the window has, and refuses them all. */
function refuseAll(control: FlowControl, now: number): void {
  for (let each = 0; each < 50; each++) control.throttled(now, now);
}

describe('a pause', () => {
  it('is made once for all refusals in flight, and after it one part is sent first', () => {
    const control = new FlowControl({ window: 50, throughput: 0 }, 0);
    refuseAll(control, 10);
    assert.ok(control.isPaused(509) && !control.isPaused(511));
    assert.equal(control.room(511, 0), 1);
    assert.equal(control.room(511, 1), 0);
    // The link waits for the answer of a slow carrier for at most a second.
    assert.ok(control.waitMs(511) > 0);
    assert.ok(control.room(1_600, 1) >= 1);
  });

  it('grows until a part is accepted, up to ten seconds, and does not lower the pace', () => {
    const control = new FlowControl({ window: 50, throughput: 0 }, 0);
    const pauses = [];
    refuseAll(control, 0);
    const { pace } = control;
    for (let now = 500, each = 0; each < 6; each++) {
      control.throttled(now, now);
      const pauseMs = control.waitMs(now);
      pauses.push(pauseMs);
      now += pauseMs;
    }
    assert.deepEqual(pauses, [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    assert.equal(control.pace, pace);
    control.accepted(100_000, 99_999);
    refuseAll(control, 200_000);
    assert.equal(control.waitMs(200_000), 500);
  });
});

it('the limits in the settings hold whatever the carrier answers: throughput in any second, and the window (S2)', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 600 }),
      fc.constantFrom(...counts.map(([, carrier]) => carrier)),
      fc.integer({ min: 1, max: 400 }),
      (throughput, window, perSecond, carrier, answerMs) => {
        const takes = carrier(() => perSecond);
        const { sentAt, inFlightMost, flow } = run({ takes, window, throughput, answerMs, forMs: 8_000 });
        assert.ok(mostInASecond(sentAt) <= throughput, `${mostInASecond(sentAt)} in a second of ${throughput}`);
        assert.ok(inFlightMost <= window);
        assert.ok(flow.pace !== null && flow.pace <= throughput);
      },
    ),
    { numRuns: 60 },
  );
});

it('at most the parts of 2.5 seconds at the pace are in flight', () => {
  const { inFlightMost } = run({ takes: () => true, window: 1_000, throughput: 10, answerMs: 8_000, forMs: 60_000 });
  assert.equal(inFlightMost, 25);
});

it('the pace is unlimited until the carrier refuses parts, and again after a long time without refusals', () => {
  const free = run({ takes: () => true, forMs: 5_000 });
  assert.equal(free.flow.pace, null);
  const again = run({ takes: (now) => now >= 2_000 || now % 100 === 0, answerMs: 1, window: 50, forMs: 120_000 });
  assert.ok(again.flow.pace === null || again.flow.pace > 5_000, `${again.flow.pace}`);
});
