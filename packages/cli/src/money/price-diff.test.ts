import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatMicros, toMicros } from '@morsel/api/values/money.ts';
import { comparePrices, changeInPercent, isOver } from '@morsel/api/admin/money/price-diff.ts';
import { differencesTable } from './price-diff.ts';

const pricesOf = (prices: { readonly [prefix: string]: bigint }) =>
  new Map(Object.entries(prices).map(([prefix, price]) => [prefix, toMicros(price)]));

it('a comparison counts new, higher, lower, removed and unchanged prices, and lists all but unchanged ones by prefix', () => {
  const before = pricesOf({ 41: 7_500n, 42: 1n, 43: 5n, 44: 6n });
  const compared = comparePrices(before, pricesOf({ 45: 1n, 41: 7_500n, 43: 6n, 44: 5n, 4: 0n }));
  const { differences, counts } = compared;
  assert.deepEqual(counts, { new: 2, up: 1, down: 1, removed: 1, unchanged: 1 });
  assert.deepEqual(
    differences.map((each) => [each.prefix, each.before, each.after]),
    [
      ['4', null, 0n],
      ['42', 1n, null],
      ['43', 5n, 6n],
      ['44', 6n, 5n],
      ['45', null, 1n],
    ],
  );
});

const thresholds: readonly (readonly [before: bigint, after: bigint, percent: bigint, over: boolean, shown: string])[] =
  [
    [100n, 150n, 50_000_000n, false, '50'],
    [100n, 49n, 50_000_000n, true, '-51'],
    [3n, 4n, 33_333_333n, true, '33.333333'],
    [10n ** 15n, 10n ** 15n + 1n, 0n, true, '0'],
  ];
for (const [before, after, percent, over, shown] of thresholds) {
  it(`from ${before} to ${after} is ${over ? '' : 'not '}more than ${percent} millionths of a per cent`, () => {
    const each = { prefix: '41', before: toMicros(before), after: toMicros(after) };
    assert.equal(isOver(each, toMicros(percent)), over);
    const change = changeInPercent(each);
    assert.equal(change !== undefined && formatMicros(change), shown);
  });
}

it('the change of a price that was 0, is new or is removed has no percentage', () => {
  assert.equal(changeInPercent({ prefix: '', before: toMicros(0n), after: toMicros(1n) }), undefined);
  assert.equal(isOver({ prefix: '', before: toMicros(0n), after: toMicros(1n) }, toMicros(10n ** 12n)), true);
  assert.equal(isOver({ prefix: '', before: null, after: toMicros(1n) }, toMicros(0n)), false);
});

const micros = (amount: bigint | null) => (amount === null ? null : toMicros(amount));

const shown: readonly (readonly [before: bigint | null, after: bigint | null, text: string])[] = [
  [7_500n, 8_000n, '+6.7 %'],
  [8_000n, 7_500n, '-6.3 %'],
  [10_000n, 11_000n, '+10 %'],
  [100_000n, 100_001n, '+0 %'],
  [0n, 5n, 'was free'],
  [null, 5n, 'new'],
  [5n, null, 'removed'],
];
for (const [before, after, text] of shown) {
  it(`from ${before} to ${after} millionths is ${text}`, () => {
    const table = differencesTable([{ prefix: '41', before: micros(before), after: micros(after) }], 1, {
      hasColour: false,
    });
    assert.ok(table.endsWith(` ${text}`), table);
  });
}
