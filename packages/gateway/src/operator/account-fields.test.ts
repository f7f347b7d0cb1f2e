import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatMicros } from '@morsel/api/values/money.ts';
import { readAccountChange } from './account-fields.ts';

it('thresholds of a low balance are as large as an amount can be written, the highest first', () => {
  for (const [given, expected] of [
    ['50,10,50', ['50', '10']],
    ['699999999996.99999', ['699999999996.99999']],
    ['-999999999999,0', ['0', '-999999999999']],
    ['none', []],
    ['1000000000000', undefined],
    ['50,,10', undefined],
  ] as const) {
    const read = readAccountChange({ account: 'acme', lowBalance: given });
    assert.deepEqual(read.ok ? read.value.settings.lowBalance?.map(formatMicros) : undefined, expected, given);
  }
});
