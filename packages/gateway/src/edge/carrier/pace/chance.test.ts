import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { between, carriers, run, unlucky } from '../../../../test/support/carriers/pace-carriers.ts';

/* Carriers that throttle a share of everything by chance, on a simulated clock: a slower pace does not lower it. */

const window = 50;

describe('a carrier that throttles by chance alone', () => {
  for (const share of [0.005, 0.02, 0.2, 0.35]) {
    for (const answerMs of [20, 200]) {
      it(`${share * 100} percent, and answers in ${answerMs} ms, has its window filled within a minute`, () => {
        const { acceptedAt, flow } = run({ takes: unlucky(() => share), forMs: 120_000, answerMs });
        const wanted = (window / answerMs) * 1_000 * (1 - share);
        const perSecond = between(acceptedAt, 60_000, 120_000) / 60;
        assert.ok(perSecond > wanted * 0.6, `${perSecond} of ${wanted} a second`);
        assert.ok(Math.abs(flow.chanceShare / share - 1) < 0.5, `taken for ${flow.chanceShare}`);
        assert.ok(Math.abs(flow.throttledShare / share - 1) < 0.6, `${flow.throttledShare} of the newest answers`);
      });
    }
  }

  it('is followed when the share appears, grows or ends', () => {
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
      assert.ok(perSecond > wanted * 0.7, `${perSecond} of ${wanted} a second from ${from} ms on`);
    }
  });
});

describe('a carrier with a limit a second that also throttles by chance', () => {
  for (const share of [0.02, 0.2]) {
    for (const perSecond of [50, 500]) {
      for (const [how, limit] of Object.entries(carriers)) {
        it(`${share * 100} percent, and ${perSecond} ${how}, gets nearly as many, and little more than chance is refused`, () => {
          const { acceptedAt, refusedAt } = run({
            takes: unlucky(
              () => share,
              limit(() => perSecond),
            ),
            forMs: 180_000,
          });
          const taken = between(acceptedAt, 60_000, 180_000) / 120;
          assert.ok(taken > perSecond * 0.75, `${taken} a second`);
          const refused = between(refusedAt, 60_000, 180_000) / 120;
          assert.ok(refused / (taken + refused) < share + 0.15, `${refused} refused a second`);
        });
      }
    }
  }

  it('is followed when it grows tenfold or falls to a tenth', () => {
    for (const [before, after] of [
      [50, 500],
      [500, 50],
    ] as const) {
      let perSecond = before;
      const takes = unlucky(
        () => 0.02,
        carriers.inAnySecond(() => perSecond),
      );
      const { acceptedAt } = run({
        takes: (at) => {
          perSecond = at < 60_000 ? before : after;
          return takes(at);
        },
        forMs: 180_000,
      });
      const share = between(acceptedAt, 120_000, 180_000) / 60 / after;
      assert.ok(share > 0.7, `${share} of ${after} after ${before}`);
    }
  });
});

it('a true limit is never taken for chance', () => {
  for (const perSecond of [5, 50, 500]) {
    for (const limit of Object.values(carriers)) {
      const { flow } = run({ takes: limit(() => perSecond), forMs: 180_000 });
      assert.equal(flow.chanceShare, 0, `${perSecond} a second`);
    }
  }
});
