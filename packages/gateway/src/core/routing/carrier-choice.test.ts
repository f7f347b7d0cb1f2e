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

/** How many messages each carrier gets, such as `1:150 2:90`. */
function shares(
  carriers: readonly RouteCarrier[],
  messages: number,
  more: { by?: RankOrder; standingOf?: (carrier: number, message: number) => Partial<CarrierStanding> } = {},
): string {
  let credits: ReadonlyMap<number, number> | undefined;
  const counts: { [carrier: string]: number } = {};
  for (let message = 0; message < messages; message++) {
    const standingOf = (carrier: number) => ({ ...well, ...more.standingOf?.(carrier, message) });
    const choice = chooseCarrier({ by: more.by ?? 'weight', carriers }, { eligible: allEligible, standingOf, credits });
    credits = creditsAfter(choice, credits);
    const name = String(choice.chosen?.carrier ?? 'nobody');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return Object.entries(counts)
    .map(([carrier, count]) => `${carrier}:${count}`)
    .join(' ');
}

function firstFull(carrier: number, message: number): Partial<CarrierStanding> {
  return carrier === 1 && message < 100 ? { hasRoom: false } : {};
}

function cheapFull(carrier: number): Partial<CarrierStanding> {
  return carrier === 2 || carrier === 3 ? { hasRoom: false } : {};
}

describe('the shares of equal ranks', () => {
  it('follow their weights, exactly', () => {
    const weighted = [member(1, { weight: 5 }), member(2, { weight: 3 }), member(3, { weight: 2 })];
    assert.equal(shares(weighted, 300), '1:150 2:90 3:60');
  });

  it('are kept by carriers with room: a carrier without room delays no other, and gets no burst afterwards', () => {
    const three = [member(1), member(2), member(3)];
    assert.equal(shares(three, 100, { standingOf: firstFull }), '2:50 3:50');
    assert.equal(shares(three, 400, { standingOf: firstFull }), '1:100 2:150 3:150');
  });

  it('by cost go to the cheapest carriers by weight, and to the next cheapest when these have no room', () => {
    const by = 'cost';
    const cheap = member(2, { cost: toMicros(4_000n), weight: 3 });
    const carriers = [member(1, { cost: toMicros(5_000n) }), cheap, member(3, { cost: toMicros(4_000n) }), member(4)];
    assert.equal(shares(carriers, 100, { by }), '2:75 3:25');
    assert.equal(shares(carriers, 10, { by, standingOf: cheapFull }), '1:10');
    assert.equal(shares(carriers, 10, { by, standingOf: (carrier) => ({ hasRoom: carrier === 4 }) }), '4:10');
  });
});

/** The verdict of each carrier, in order. */
function verdictsOf(
  route: { readonly by: RankOrder; readonly carriers: readonly RouteCarrier[] },
  standings: { readonly [carrier: number]: Partial<CarrierStanding> },
  eligible: Eligible = allEligible,
): string {
  const standingOf = (carrier: number) => ({ ...well, ...standings[carrier] });
  const { verdicts } = chooseCarrier(route, { eligible, standingOf, credits: undefined });
  return verdicts.map(({ kind }) => kind).join(' ');
}

describe('a carrier for a new message', () => {
  const carriers = [member(1), member(2, { rank: 2 })];
  const rows: readonly (readonly [what: string, first: Partial<CarrierStanding>, verdicts: string])[] = [
    ['is the one of the best rank', {}, 'chosen rank'],
    ['is of the next rank while the better carrier is paused', { isOpen: false, isUp: false }, 'paused chosen'],
    ['is of the next rank if the better one is unbound for long', { isUp: false, isBound: false }, 'not-bound chosen'],
    ['is not if the better one is unbound for a moment', { isBound: false, hasRoom: false }, 'not-bound rank'],
    ['is not of the next rank while the better carrier has no room', { hasRoom: false }, 'no-room rank'],
    ['is not of the next rank while parts wait for the better carrier', { isBehind: true }, 'behind rank'],
  ];
  for (const [what, first, expected] of rows)
    it(what, () => assert.equal(verdictsOf({ by: 'weight', carriers }, { 1: first }), expected));
});

/** Whether a part may go to each carrier now, or how long or why it stays; `later` is the wait for a cheaper one. */
function leavesOf(
  route: Parameters<typeof leaveOf>[0],
  eligible: Eligible,
  isUp: (carrier: number) => boolean,
): string {
  const leaves = route.carriers.map(({ carrier }) => leaveOf(route, eligible, { carrier, isUp }));
  return leaves.map(leaveText).join(' ');
}

function leaveText(leave: Leave): string {
  if (leave.kind === 'now') return 'now';
  if (leave.kind === 'never') return leave.because;
  return leave.waitMs === cheaperWaitMs ? 'later' : String(leave.waitMs);
}

it('the waits of better ranks add up; each is the shortest of its carriers, or endless if no carrier has a wait', () => {
  const first = [member(1, { waitMs: 10 }), member(2, { waitMs: 4 })];
  const carriers = [...first, member(3, { rank: 2, waitMs: 3 }), member(4, { rank: 3 }), member(5, { rank: 4 })];
  const route = { by: 'weight', carriers } as const;
  assert.equal(
    leavesOf(route, allEligible, () => true),
    'now now 4 7 rank',
  );
  assert.equal(
    leavesOf(route, allEligible, (carrier) => carrier !== 2),
    'now now 10 13 rank',
  );
});

describe('by cost', () => {
  const costs = [5n, 3n, 3n].map((cost, at) => member(at + 1, { cost: toMicros(cost) }));
  const carriers = [...costs, member(4), member(5, { rank: 2, cost: toMicros(1n) })];
  const route = { by: 'cost', carriers } as const;
  const ordered = { ...allEligible, order: [[4], [1], [2, 3], [5]] };
  const tried = { ...allEligible, tried: [2], refusedBy: [3] };
  const barred = { ...allEligible, barred: [1, 2, 3, 4] };
  const rows: readonly (readonly [what: string, eligible: Eligible, up: string, leaves: string])[] = [
    ['the costs in the route give the order; an unknown cost is last', allEligible, '1234', 'later now now later rank'],
    ['the order of the message precedes the costs in the route', ordered, '1234', 'later later later now rank'],
    ['parts wait only for carriers that are up', ordered, '12', 'now later later now rank'],
    ['parts do not wait for a carrier that has tried or refused them', tried, '123', 'now tried refused later rank'],
    ['parts do not wait for barred carriers, nor do lower ranks', barred, '1234', 'margin margin margin margin now'],
    ['the carrier of the message does not wait', { ...allEligible, holder: 4 }, '1234', 'held held held now held'],
  ];
  for (const [what, eligible, up, leaves] of rows) {
    it(`a waiting part is left to the cheaper carrier for half a second: ${what}`, () => {
      assert.equal(
        leavesOf(route, eligible, (carrier) => up.includes(String(carrier))),
        leaves,
      );
    });
  }

  it('a new message goes to the cheapest carrier with room, and to no dearer carrier while a message waits for a cheaper', () => {
    const full = { hasRoom: false };
    assert.equal(verdictsOf(route, {}), 'next chosen next next rank');
    assert.equal(verdictsOf(route, { 2: full, 3: full }), 'chosen no-room no-room next rank');
    assert.equal(verdictsOf(route, { 2: { isBehind: true, ...full }, 3: full }), 'behind behind no-room behind rank');
    assert.equal(verdictsOf(route, {}, ordered), 'next next next chosen rank');
    assert.equal(verdictsOf(route, {}, barred), 'margin margin margin margin chosen');
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
