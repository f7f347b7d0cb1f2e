import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toMicros } from '@morsel/api/values/money.ts';
import { differencesTable } from './price-preview.ts';

const micros = (amount: bigint | undefined) => (amount === undefined ? undefined : toMicros(amount));

const rows: readonly (readonly [before: bigint | undefined, after: bigint | undefined, shown: string])[] = [
  [7_500n, 8_000n, '+6.7 %'],
  [9_000n, 9_500n, '+5.6 %'],
  [8_000n, 7_500n, '-6.3 %'],
  [10_000n, 11_000n, '+10 %'],
  [3n, 2n, '-33.3 %'],
  [100_000n, 100_001n, '+0 %'],
  [0n, 5n, 'was free'],
  [undefined, 5n, 'new'],
  [5n, undefined, 'removed'],
];
for (const [before, after, shown] of rows) {
  it(`from ${before} to ${after} millionths is ${shown}`, () => {
    const table = differencesTable([{ prefix: '41', formerPrice: micros(before), newPrice: micros(after) }], false);
    assert.ok(table.endsWith(` ${shown}`), table);
  });
}
