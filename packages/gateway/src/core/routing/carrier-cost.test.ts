import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { compareCosts, isForNobody, eligibleByCost, unitCostOf, type CostTables } from './carrier-cost.ts';
import { eligibleText, allEligible } from './eligible.ts';
import { isBelowMargin } from '../money/margin.ts';
import { formatMarginMin, parseMarginMin, type MarginMode } from '@morsel/api/values/margin.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import type { PriceList } from '../money/price-list.ts';
import { priceTable } from '../money/price-table.ts';
import type { RankOrder } from '@morsel/api/values/routing.ts';
import type { Route, RouteCarrier } from './route.ts';

type Prices = Readonly<Record<string, bigint>>;

function pricesOf(prices: Prices) {
  return priceTable(Object.entries(prices).map(([prefix, price]) => ({ prefix, unitPrice: toMicros(price) })));
}

function listOf(id: number, currency: string, ...versions: readonly Prices[]): PriceList {
  const dated = versions.map((prices, index) => ({
    version: index + 1,
    effectiveAt: index * 1_000,
    prices: pricesOf(prices),
  }));
  return { id, name: `list-${id}`, currency, base: undefined, versions: dated };
}

function member(carrier: number, more: Partial<RouteCarrier> = {}): RouteCarrier {
  return { carrier, rank: 1, weight: 1, cost: null, waitMs: null, ...more };
}

/**
 * Carrier 1 is expensive except in one network, 2 becomes expensive after a second, 3 charges in dollars, 4 has no
 * costs.
 */
const tables: CostTables = {
  hasCosts: true,
  costLists: new Map([
    [1, listOf(11, 'EUR', { 41: 60n, 4179: 20n })],
    [2, listOf(12, 'EUR', { 41: 50n }, { 41: 90n })],
    [3, listOf(13, 'USD', { 41: 1n })],
  ]),
};

describe('the cost at a carrier', () => {
  const rows: readonly (readonly [
    what: string,
    of: { readonly carrier: number; readonly cost?: bigint },
    receiver: string,
    at: number,
    cost: readonly [amount: bigint, currency: string] | null,
  ])[] = [
    ['is that of the longest prefix in the carrier’s price list', { carrier: 1 }, '+41791234567', 0, [20n, 'EUR']],
    ['is another one for another number', { carrier: 1 }, '+41781234567', 0, [60n, 'EUR']],
    ['is that of the version in effect', { carrier: 2 }, '+41781234567', 999, [50n, 'EUR']],
    ['changes with a version, to the millisecond', { carrier: 2 }, '+41781234567', 1_000, [90n, 'EUR']],
    ['is in the currency of the price list', { carrier: 3 }, '+41781234567', 0, [1n, 'USD']],
    ['is unknown for a prefix that the price list does not have', { carrier: 1 }, '+491791234567', 0, null],
    ['is unknown without a price list', { carrier: 4 }, '+41781234567', 0, null],
    ['is the cost in the route, if the route has one', { carrier: 1, cost: 7n }, '+41781234567', 0, [7n, 'CHF']],
  ];
  for (const [what, { carrier, cost }, receiver, at, expected] of rows) {
    it(what, () => {
      const each = { carrier, cost: cost === undefined ? null : toMicros(cost) };
      const found = unitCostOf(each, tables, { receiver, currency: 'CHF', at });
      assert.deepEqual(found && [found.amount, found.currency], expected);
    });
  }
});

describe('the eligible carriers of a new message', () => {
  const all = [member(1), member(2), member(3), member(4)];
  const rows: readonly (readonly [
    what: string,
    message: {
      readonly by: RankOrder;
      readonly carriers?: readonly RouteCarrier[];
      readonly min?: string;
      readonly below?: MarginMode;
      readonly price?: bigint;
      readonly receiver?: string;
      readonly at?: number;
    },
    eligible: string,
  ])[] = [
    ['are all, without an order, on a route by weight', { by: 'weight' }, ''],
    ['have the order of the costs for the receiver', { by: 'cost' }, '<2<1<3&4'],
    ['have another order for another receiver', { by: 'cost', receiver: '+41791234567' }, '<1<2<3&4'],
    ['have another order at another time', { by: 'cost', at: 1_000 }, '<1<2<3&4'],
    ['have no order if it equals that of the route', { by: 'cost', carriers: [member(2), member(4, { rank: 2 })] }, ''],
    [
      'have no order if the route has all costs',
      { by: 'cost', carriers: [member(3, { cost: toMicros(2n) }), member(4, { cost: toMicros(1n) })] },
      '',
    ],
    [
      'are ordered within their ranks',
      { by: 'cost', carriers: [member(1), member(2), member(4, { rank: 2 })] },
      '<2<1<4',
    ],
    ['are all while low margins are allowed', { by: 'weight', min: '50', price: 60n }, ''],
    ['are all if a low margin only opens an alarm', { by: 'weight', min: '0.00005', below: 'alert', price: 60n }, ''],
    [
      'are without those that leave too small a margin',
      { by: 'weight', min: '0.00001', below: 'refuse', price: 60n },
      '%1',
    ],
    [
      'are without those that leave too small a percentage of the price',
      { by: 'weight', min: '20%', below: 'refuse', price: 60n },
      '%1%2',
    ],
    ['are all without a minimum margin', { by: 'weight', below: 'refuse', price: 1n }, ''],
    [
      'are without those of too small a margin, and ordered',
      { by: 'cost', min: '0.00001', below: 'refuse', price: 60n },
      '%1<2<1<3&4',
    ],
  ];
  for (const [what, { by, carriers = all, min, below = 'allow', price = 100n, receiver, at = 0 }, eligible] of rows) {
    it(what, () => {
      const read = min === undefined ? undefined : parseMarginMin(min);
      const account = { currency: 'EUR', marginMin: read?.ok ? read.value : null, belowMargin: below };
      const message = { account, receiver: receiver ?? '+41781234567', unitPrice: toMicros(price), at };
      const route = { id: 1, prefix: '41', sender: null, account: null, encoding: null, by, carriers };
      assert.equal(eligibleText(eligibleByCost(route, tables, message)), eligible);
    });
  }

  it('are none if all carriers of the route are barred; an unknown cost bars no carrier', () => {
    const account = {
      currency: 'EUR',
      marginMin: { isPercent: false, leastLeft: toMicros(0n) },
      belowMargin: 'refuse' as const,
    };
    const message = { account, receiver: '+41781234567', unitPrice: toMicros(40n), at: 0 };
    const route: Route = { id: 1, prefix: '', sender: null, account: null, encoding: null, by: 'weight', carriers: [] };
    const isRefused = (...carriers: RouteCarrier[]) => {
      const made = { ...route, carriers };
      return isForNobody(made, eligibleByCost(made, tables, message));
    };
    assert.deepEqual(
      [isRefused(member(1)), isRefused(member(1), member(2)), isRefused(member(1), member(4)), isRefused(member(3))],
      [true, true, false, false],
    );
    assert.ok(!isForNobody(route, allEligible));
  });
});

describe('a margin', () => {
  const rows: readonly (readonly [min: string, price: bigint, cost: bigint, isBelow: boolean])[] = [
    ['0', 10n, 10n, false],
    ['0', 10n, 11n, true],
    ['0.000002', 10n, 8n, false],
    ['0.000002', 10n, 9n, true],
    ['-0.000002', 10n, 12n, false],
    ['-0.000002', 10n, 13n, true],
    ['15%', 100n, 85n, false],
    ['15%', 100n, 86n, true],
    ['33.333333%', 3n, 2n, false],
    ['33.333334%', 3n, 2n, true],
    ['0%', 0n, 0n, false],
    ['0%', 0n, 1n, true],
  ];
  for (const [text, price, cost, isBelow] of rows) {
    it(`of ${text} is ${isBelow ? 'not ' : ''}left at the price ${price} and the cost ${cost}`, () => {
      const min = parseMarginMin(text);
      assert.ok(min.ok);
      assert.equal(isBelowMargin(min.value, toMicros(price), toMicros(cost)), isBelow);
      assert.equal(formatMarginMin(min.value), text);
    });
  }

  for (const text of ['', '%', '5 %%', 'five', '0.1234567', '1e3'])
    it(`cannot be ${JSON.stringify(text)}`, () => assert.ok(!parseMarginMin(text).ok));
});

/** An unknown amount. */
function shown(cost: bigint | null): bigint {
  return cost ?? 2n ** 62n;
}

it('costs are compared as amounts, and an unknown cost is above every known cost', () => {
  const cost = fc.option(fc.bigInt({ min: 0n, max: 2n ** 60n }).map(toMicros));
  fc.assert(
    fc.property(cost, cost, (a, b) => {
      assert.equal(Math.sign(compareCosts(a, b)), shown(a) < shown(b) ? -1 : Number(shown(a) > shown(b)));
    }),
  );
});
