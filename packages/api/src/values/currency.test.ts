import assert from 'node:assert/strict';
import { it } from 'node:test';
import { showMicros } from './currency.ts';
import { parseMicros } from './money.ts';

const rows: readonly (readonly [currency: string, amount: string, shown: string])[] = [
  ['JPY', '100', '100'],
  ['JPY', '-3', '-3'],
  ['JPY', '0.75', '0.75'],
  ['EUR', '100', '100.00'],
  ['EUR', '12.5', '12.50'],
  ['EUR', '-0.5', '-0.50'],
  ['EUR', '0.0075', '0.0075'],
  ['EUR', '0.000001', '0.000001'],
  ['KWD', '1.5', '1.500'],
  ['KWD', '0', '0.000'],
  ['KWD', '-0.012345', '-0.012345'],
  ['CLF', '1', '1.0000'],
  ['XXX', '1', '1.00'],
  ['EUR', '123456789012.345678', '123456789012.345678'],
];

for (const [currency, amount, shown] of rows) {
  it(`${amount} ${currency} is shown as ${shown}`, () => {
    const micros = parseMicros(amount);
    assert.ok(micros.ok);
    assert.equal(showMicros(micros.value, currency), shown);
  });
}
