import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { FlowControl } from './flow-control.ts';
import { between, carriers, mostInASecond, run } from '../../../../test/support/carriers/pace-carriers.ts';

/* The pace that a carrier accepts, on a simulated clock. */

const throttled = 0x58;
const queueFull = 0x14;
const counts = Object.entries(carriers);

for (const [how, carrier] of counts) {
  for (const perSecond of [5, 50, 500]) {
    for (const answerMs of [1, 60]) {
      it(`a carrier of ${perSecond} ${how} that answers in ${answerMs} ms gets 85 to 100 percent of it, and refuses seldom`, () => {
        const { acceptedAt, refusedAt, flow } = run({ takes: carrier(() => perSecond), forMs: 90_000, answerMs });
        const share = between(acceptedAt, 30_000, 90_000) / 60 / perSecond;
        assert.ok(share >= 0.85, `only ${share} of it`);
        assert.ok(Math.abs((flow.pace ?? 0) / perSecond - 1) < 0.2, `the pace is ${flow.pace}`);
        assert.ok(between(refusedAt, 0, 10_000) < 50 + perSecond * 0.4, 'a window and little more until it is found');
        // About one a pause and one pause in twenty seconds; a carrier that counts evenly refuses a few together.
        const refused = between(refusedAt, 30_000, 90_000);
        assert.ok(refused < 12 + perSecond * 0.05, `${refused} refusals in a minute`);
      });
    }
  }
}

it('it follows a carrier that grows tenfold, and one that falls to a tenth', () => {
  for (const [before, after] of [
    [50, 500],
    [500, 50],
  ] as const) {
    let now = before;
    const takes = carriers.inAnySecond(() => now);
    const { acceptedAt, refusedAt } = run({
      takes: (at) => {
        now = at < 40_000 ? before : after;
        return takes(at);
      },
      forMs: 160_000,
    });
    const share = between(acceptedAt, 120_000, 160_000) / 40 / after;
    assert.ok(share > 0.85, `${share} of ${after} after ${before}`);
    assert.ok(between(refusedAt, 40_000, 160_000) < 150);
  }
});

/** All of two short times. */
function isIll(at: number): boolean {
  return at < 4_000 || (at >= 8_000 && at < 11_000);
}

it('a carrier with trouble for some seconds gets all waiting messages within a minute: its refusals were no limit', () => {
  for (const commandStatus of [throttled, queueFull]) {
    const { acceptedAt, flow } = run({
      takes: (at) => !isIll(at),
      forMs: 60_000,
      window: 10,
      answerMs: 2,
      commandStatus,
    });
    assert.ok((flow.pace ?? Number.POSITIVE_INFINITY) > 500, `the pace is ${flow.pace}`);
    assert.ok(between(acceptedAt, 55_000, 60_000) > 2_500, `${between(acceptedAt, 55_000, 60_000)} in five seconds`);
  }
});

describe('a refusal after a quiet time', () => {
  it('does not cut the pace to nothing', () => {
    const flow = new FlowControl({ window: 10, throughput: 0 }, 0);
    // At its best it accepted a hundred a second; then there is hardly anything to send.
    for (let now = 0; now < 1_000; now += 10) flow.accepted(now, now);
    flow.accepted(600_000, 600_000);
    flow.throttled(900_000, { commandStatus: throttled, sentAt: 899_999, inFlight: 1 });
    assert.ok((flow.pace ?? 0) >= 80, `the pace is ${flow.pace}`);
    assert.equal(flow.room(900_000, 0), 0);
    assert.ok(flow.room(900_501, 0) >= 1);
  });

  it('takes a tenth of the known pace', () => {
    const { flow } = run({ takes: carriers.inAnySecond(() => 100), forMs: 60_000 });
    const before = flow.pace ?? 0;
    flow.throttled(900_000, { commandStatus: throttled, sentAt: 899_999, inFlight: 1 });
    assert.ok((flow.pace ?? 0) >= before * 0.89, `${flow.pace} after ${before}`);
  });
});

describe('a pause', () => {
  it('stands for all refusals in flight, and one part goes first after it', () => {
    const control = new FlowControl({ window: 50, throughput: 0 }, 0);
    for (let each = 0; each < 50; each++) {
      control.throttled(10 + each, { commandStatus: throttled, sentAt: 5, inFlight: 50 - each });
    }
    assert.ok(control.isPaused(509) && !control.isPaused(511));
    assert.equal(control.room(511, 0), 1);
    assert.equal(control.room(511, 1), 0);
    // A carrier that answers slowly is waited for a second at most.
    assert.ok(control.waitMs(511) > 0);
    assert.ok(control.room(1_600, 1) >= 1);
  });

  it('grows until a part is accepted, up to ten seconds, and does not cut the pace meanwhile', () => {
    const control = new FlowControl({ window: 50, throughput: 0 }, 0);
    const pauses = [];
    let pace: number | null = null;
    for (let now = 0, each = 0; each < 7; each++) {
      control.throttled(now, { commandStatus: throttled, sentAt: now, inFlight: 1 });
      pace ??= control.pace;
      const pauseMs = control.waitMs(now);
      pauses.push(pauseMs);
      now += pauseMs;
    }
    assert.deepEqual(pauses, [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    assert.equal(control.pace, pace);
    control.accepted(100_000, 99_999);
    control.throttled(200_000, { commandStatus: throttled, sentAt: 199_999, inFlight: 1 });
    assert.equal(control.waitMs(200_000), 500);
  });
});

describe('RMSGQFUL', () => {
  it('cuts what is in flight, and the pace only when that is one part; acceptances bring it back', () => {
    const control = new FlowControl({ window: 16, throughput: 0 }, 0);
    const roomAt = (now: number) => control.room(now, 0);
    const full = (now: number, inFlight: number) => {
      control.sent(inFlight);
      control.throttled(now, { commandStatus: queueFull, sentAt: now - 1, inFlight });
    };
    full(1_000, 16);
    assert.equal(roomAt(3_000), 14);
    assert.equal(control.pace, null);
    for (const [now, inFlight, left] of [
      [3_500, 14, 7],
      [6_000, 7, 3],
      [8_500, 3, 1],
    ] as const) {
      control.accepted(now - 10, now - 20);
      full(now, inFlight);
      assert.equal(roomAt(now + 2_000), left);
    }
    assert.equal(control.pace, null);
    control.accepted(29_000, 28_990);
    full(30_000, 1);
    assert.ok(control.pace !== null);
    const other = new FlowControl({ window: 16, throughput: 0 }, 0);
    other.sent(16);
    other.throttled(1_000, { commandStatus: queueFull, sentAt: 999, inFlight: 16 });
    for (let each = 0; each < 1_000; each++) other.accepted(3_000, 2_999);
    assert.equal(other.room(3_000, 0), 16);
  });

  it('from a carrier that can hold ten of ours keeps the window there', () => {
    let held: number[] = [];
    const { acceptedAt, refusedAt, flow } = run({
      takes: (now) => {
        held = held.filter((until) => until > now);
        if (held.length >= 10) return false;
        held.push(now + 100);
        return true;
      },
      commandStatus: queueFull,
      answerMs: 100,
      forMs: 60_000,
      window: 40,
    });
    assert.ok(between(acceptedAt, 20_000, 60_000) > 40 * 60, `${between(acceptedAt, 20_000, 60_000)}`);
    assert.ok(refusedAt.length < 120, `${refusedAt.length} refusals`);
    assert.equal(flow.pace, null);
  });
});

it('the set limits hold whatever the carrier answers: throughput in any second, and the window (S2)', () => {
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

it('no more is in flight than 2.5 seconds of the pace', () => {
  const { inFlightMost } = run({ takes: () => true, window: 1_000, throughput: 10, answerMs: 8_000, forMs: 60_000 });
  assert.equal(inFlightMost, 25);
});

it('there is no pace until the carrier refuses, and none again after a long time without refusals', () => {
  const free = run({ takes: () => true, forMs: 5_000 });
  assert.equal(free.flow.pace, null);
  let isBusy = true;
  const again = run({
    takes: (now) => {
      isBusy = now < 2_000;
      return !isBusy || now % 100 === 0;
    },
    answerMs: 1,
    window: 50,
    forMs: 120_000,
  });
  assert.ok(again.flow.pace === null || again.flow.pace > 5_000, `${again.flow.pace}`);
});
