import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatMicros, toMicros } from '@morsel/api/values/money.ts';
import { comparePrices, isOver, changeInPercent } from './price-diff.ts';

const pricesOf = (prices: { readonly [prefix: string]: bigint }) =>
  new Map(Object.entries(prices).map(([prefix, price]) => [prefix, toMicros(price)]));

it('a comparison counts new, higher, lower, removed and unchanged prices, and names all but the unchanged in order', () => {
  const before = pricesOf({ 41: 7_500n, 42: 1n, 43: 5n, 44: 6n });
  const compared = comparePrices(before, pricesOf({ 45: 1n, 41: 7_500n, 43: 6n, 44: 5n, 4: 0n }));
  const { differences, ...counts } = compared;
  assert.deepEqual(counts, { added: 2, up: 1, down: 1, removed: 1, unchanged: 1 });
  assert.deepEqual(
    differences.map(({ prefix, formerPrice, newPrice }) => [prefix, formerPrice, newPrice]),
    [
      ['4', undefined, 0n],
      ['42', 1n, undefined],
      ['43', 5n, 6n],
      ['44', 6n, 5n],
      ['45', undefined, 1n],
    ],
  );
});

const thresholds: readonly (readonly [before: bigint, after: bigint, percent: bigint, over: boolean, shown: string])[] =
  [
    [100n, 150n, 50_000_000n, false, '50'],
    [100n, 151n, 50_000_000n, true, '51'],
    [100n, 49n, 50_000_000n, true, '-51'],
    [3n, 4n, 33_333_333n, true, '33.333333'],
    [3n, 4n, 33_333_334n, false, '33.333333'],
    [10n ** 15n, 10n ** 15n + 1n, 0n, true, '0'],
  ];
for (const [before, after, percent, over, shown] of thresholds) {
  it(`from ${before} to ${after} is ${over ? '' : 'not '}more than ${percent} millionths of a per cent`, () => {
    const each = { prefix: '41', formerPrice: toMicros(before), newPrice: toMicros(after) };
    assert.equal(isOver(each, toMicros(percent)), over);
    const change = changeInPercent(each);
    assert.equal(change !== undefined && formatMicros(change), shown);
  });
}

it('a price that was free, is new or is removed has no per cent', () => {
  assert.equal(changeInPercent({ prefix: '', formerPrice: toMicros(0n), newPrice: toMicros(1n) }), undefined);
  assert.equal(isOver({ prefix: '', formerPrice: toMicros(0n), newPrice: toMicros(1n) }, toMicros(10n ** 12n)), true);
  assert.equal(isOver({ prefix: '', formerPrice: undefined, newPrice: toMicros(1n) }, toMicros(0n)), false);
});
