import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  cheaperWaitMs,
  chooseCarrier,
  creditsAfter,
  leaveOf,
  type Leave,
  type CarrierStanding,
} from './carrier-choice.ts';
import { eligibleText, allEligible, parseEligible, type Eligible } from './eligible.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import type { RankOrder } from '@morsel/api/values/routing.ts';
import type { RouteCarrier } from './route.ts';

function member(carrier: number, more: Partial<RouteCarrier> = {}): RouteCarrier {
  return { carrier, rank: 1, weight: 1, cost: null, waitMs: null, ...more };
}

const well: CarrierStanding = { isOpen: true, isUp: true, isBound: true, isBehind: false, hasRoom: true };

/** How many messages each carrier gets. */
function shares(
  carriers: readonly RouteCarrier[],
  messages: number,
  more: { by?: RankOrder; standingOf?: (carrier: number, message: number) => Partial<CarrierStanding> } = {},
): { readonly [carrier: string]: number } {
  let credits: ReadonlyMap<number, number> | undefined;
  const counts: { [carrier: string]: number } = {};
  for (let message = 0; message < messages; message++) {
    const standingOf = (carrier: number) => ({ ...well, ...more.standingOf?.(carrier, message) });
    const choice = chooseCarrier({ by: more.by ?? 'weight', carriers }, { eligible: allEligible, standingOf, credits });
    credits = creditsAfter(choice, credits);
    const name = String(choice.chosen?.carrier ?? 'nobody');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function firstFull(carrier: number, message: number): Partial<CarrierStanding> {
  return carrier === 1 && message < 100 ? { hasRoom: false } : {};
}

function cheapFull(carrier: number): Partial<CarrierStanding> {
  return carrier === 2 || carrier === 3 ? { hasRoom: false } : {};
}

function allUp(): boolean {
  return true;
}

describe('the shares of equal ranks', () => {
  it('follow their weights, exactly', () => {
    assert.deepEqual(shares([member(1, { weight: 5 }), member(2, { weight: 3 }), member(3, { weight: 2 })], 300), {
      1: 150,
      2: 90,
      3: 60,
    });
  });

  it('are kept by carriers with room: a carrier without room delays no other, and gets no burst afterwards', () => {
    assert.deepEqual(shares([member(1), member(2), member(3)], 100, { standingOf: firstFull }), { 2: 50, 3: 50 });
    assert.deepEqual(shares([member(1), member(2), member(3)], 400, { standingOf: firstFull }), {
      1: 100,
      2: 150,
      3: 150,
    });
  });

  it('by cost go to the cheapest carriers by weight, and to the next cheapest when these have no room', () => {
    const carriers = [
      member(1, { cost: toMicros(5_000n) }),
      member(2, { cost: toMicros(4_000n), weight: 3 }),
      member(3, { cost: toMicros(4_000n) }),
      member(4),
    ];
    assert.deepEqual(shares(carriers, 100, { by: 'cost' }), { 2: 75, 3: 25 });
    assert.deepEqual(shares(carriers, 10, { by: 'cost', standingOf: cheapFull }), { 1: 10 });
    assert.deepEqual(shares(carriers, 10, { by: 'cost', standingOf: (carrier) => ({ hasRoom: carrier === 4 }) }), {
      4: 10,
    });
  });
});

describe('a carrier for a new message', () => {
  const carriers = [member(1), member(2, { rank: 2 })];
  const rows: readonly (readonly [what: string, first: Partial<CarrierStanding>, verdicts: readonly string[]])[] = [
    ['is the one of the best rank', {}, ['chosen', 'rank']],
    ['is of the next rank while the better carrier is paused', { isOpen: false, isUp: false }, ['paused', 'chosen']],
    [
      'is of the next rank when the better carrier is unbound for long',
      { isUp: false, isBound: false },
      ['not-bound', 'chosen'],
    ],
    [
      'is not of the next rank while the better carrier is unbound for a moment',
      { isBound: false, hasRoom: false },
      ['not-bound', 'rank'],
    ],
    ['is not of the next rank while the better carrier has no room', { hasRoom: false }, ['no-room', 'rank']],
    ['is not of the next rank while parts wait for the better carrier', { isBehind: true }, ['behind', 'rank']],
  ];
  for (const [what, first, expected] of rows) {
    it(what, () => {
      const choice = chooseCarrier(
        { by: 'weight', carriers },
        {
          eligible: allEligible,
          standingOf: (carrier) => (carrier === 1 ? { ...well, ...first } : well),
          credits: undefined,
        },
      );
      assert.deepEqual(
        choice.verdicts.map(({ kind }) => kind),
        expected,
      );
    });
  }
});

it('the waits of better ranks add up; each is the shortest of its carriers, or endless if no carrier has a wait', () => {
  const carriers = [
    member(1, { waitMs: 10 }),
    member(2, { waitMs: 4 }),
    member(3, { rank: 2, waitMs: 3 }),
    member(4, { rank: 3 }),
    member(5, { rank: 4 }),
  ];
  assert.deepEqual(leaveOf({ by: 'weight', carriers }, allEligible, { carrier: 4, isUp: allUp }), {
    kind: 'after',
    waitMs: 7,
  });
  assert.deepEqual(leaveOf({ by: 'weight', carriers }, allEligible, { carrier: 5, isUp: allUp }), {
    kind: 'never',
    because: 'rank',
  });
  assert.deepEqual(leaveOf({ by: 'weight', carriers }, allEligible, { carrier: 4, isUp: (carrier) => carrier !== 2 }), {
    kind: 'after',
    waitMs: 13,
  });
});

function verdictsOf(
  route: { readonly by: RankOrder; readonly carriers: readonly RouteCarrier[] },
  standings: { readonly [carrier: number]: Partial<CarrierStanding> },
  eligible: Eligible = allEligible,
): readonly string[] {
  const standingOf = (carrier: number) => ({ ...well, ...standings[carrier] });
  return chooseCarrier(route, { eligible, standingOf, credits: undefined }).verdicts.map(({ kind }) => kind);
}

describe('by cost', () => {
  const carriers = [
    member(1, { cost: toMicros(5n) }),
    member(2, { cost: toMicros(3n) }),
    member(3, { cost: toMicros(3n) }),
    member(4),
    member(5, { rank: 2, cost: toMicros(1n) }),
  ];
  const route = { by: 'cost', carriers } as const;
  const later = { kind: 'after', waitMs: cheaperWaitMs } as const;
  const now = { kind: 'now' } as const;
  const ranked = { kind: 'never', because: 'rank' } as const;
  const ordered = { ...allEligible, order: [[4], [1], [2, 3], [5]] };
  const rows: readonly (readonly [
    what: string,
    eligible: Eligible,
    up: readonly number[],
    leaves: readonly Leave[],
  ])[] = [
    [
      'the costs in the route give the order; an unknown cost comes last',
      allEligible,
      [1, 2, 3, 4],
      [later, now, now, later, ranked],
    ],
    [
      'the order of the message precedes the costs in the route',
      ordered,
      [1, 2, 3, 4],
      [later, later, later, now, ranked],
    ],
    ['parts wait only for carriers that are up', ordered, [1, 2], [now, later, later, now, ranked]],
    [
      'parts do not wait for a carrier that has tried or refused them',
      { ...allEligible, tried: [2], refusedBy: [3] },
      [1, 2, 3],
      [now, { kind: 'never', because: 'tried' }, { kind: 'never', because: 'refused' }, later, ranked],
    ],
    [
      'parts do not wait for barred carriers, and lower ranks do not wait either',
      { ...allEligible, barred: [1, 2, 3, 4] },
      [1, 2, 3, 4],
      [
        { kind: 'never', because: 'margin' },
        { kind: 'never', because: 'margin' },
        { kind: 'never', because: 'margin' },
        { kind: 'never', because: 'margin' },
        now,
      ],
    ],
    [
      'the carrier that holds the message does not wait',
      { ...allEligible, holder: 4 },
      [1, 2, 3, 4],
      [
        { kind: 'never', because: 'held' },
        { kind: 'never', because: 'held' },
        { kind: 'never', because: 'held' },
        now,
        { kind: 'never', because: 'held' },
      ],
    ],
  ];
  for (const [what, eligible, up, leaves] of rows) {
    it(`a waiting part is left to the cheaper carrier for half a second: ${what}`, () => {
      assert.deepEqual(
        carriers.map(({ carrier }) => leaveOf(route, eligible, { carrier, isUp: (each) => up.includes(each) })),
        leaves,
      );
    });
  }

  it('a new message goes to the cheapest carrier with room, and to no dearer carrier while a message waits for a cheaper', () => {
    const full = { hasRoom: false };
    assert.deepEqual(verdictsOf(route, {}), ['next', 'chosen', 'next', 'next', 'rank']);
    assert.deepEqual(verdictsOf(route, { 2: full, 3: full }), ['chosen', 'no-room', 'no-room', 'next', 'rank']);
    assert.deepEqual(verdictsOf(route, { 2: { isBehind: true, ...full }, 3: full }), [
      'behind',
      'behind',
      'no-room',
      'behind',
      'rank',
    ]);
    assert.deepEqual(verdictsOf(route, {}, ordered), ['next', 'next', 'next', 'chosen', 'rank']);
    assert.deepEqual(verdictsOf(route, {}, { ...allEligible, barred: [1, 2, 3, 4] }), [
      'margin',
      'margin',
      'margin',
      'margin',
      'chosen',
    ]);
  });
});

it('the text of eligible carriers has the holder and the tried, refusing, barred and cheaper carriers, and is read back', () => {
  const eligible = { holder: 12, tried: [9, 10], refusedBy: [3], barred: [4, 17], order: [[9], [3, 12], [10]] };
  assert.equal(eligibleText({ ...eligible, tried: [10, 9], order: [[9], [12, 3], [10]] }), '=12!9!10~3%4%17<9<3&12<10');
  assert.deepEqual(parseEligible('=12!9!10~3%4%17<9<3&12<10'), eligible);
  assert.deepEqual(parseEligible('=12!9!10~3'), { ...eligible, barred: [], order: [] });
  assert.deepEqual(parseEligible(eligibleText(allEligible)), allEligible);
  const replaced = {
    ...eligible,
    order: [[9]],
    senders: new Map([
      [12, '=3!<4&@%~'],
      [3, '+41791234567'],
    ]),
  };
  assert.deepEqual(parseEligible(eligibleText(replaced)), replaced);
});
