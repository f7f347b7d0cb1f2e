import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { formatMicros, isCurrency, parseMicros, showMicros, toMicros, typedAmount } from './money.ts';

const rows: readonly (readonly [string, bigint, string])[] = [
  ['0', 0n, '0'],
  ['0.0075', 7_500n, '0.0075'],
  ['-0.000001', -1n, '-0.000001'],
  ['007.10', 7_100_000n, '7.1'],
  ['999999999999.999999', 999_999_999_999_999_999n, '999999999999.999999'],
];
for (const [input, amount, text] of rows) {
  it(`${input} is ${amount} millionths`, () => {
    const parsed = parseMicros(input);
    assert.deepEqual(parsed, { ok: true, value: amount });
    assert.equal(formatMicros(toMicros(amount)), text);
  });
}

for (const input of ['', '.5', '1.', '1e3', '+1', '1,5', '0.0000001', '1234567890123', 'NaN', '١', '- 1', '1_000']) {
  it(`${JSON.stringify(input)} is no amount`, () => assert.equal(parseMicros(input).ok, false));
}

const typedRows: readonly (readonly [typed: string, text: string | undefined])[] = [
  ['1.000,50', '1000.5'],
  ['1,000.50', '1000.5'],
  ['-1.234.567,5', '-1234567.5'],
  ['1 000.50', '1000.5'],
  ['1’000.50', '1000.5'],
  ['1.000.000', '1000000'],
  ['0,5', '0.5'],
  ['0,075', '0.075'],
  ['1.000', '1'],
  ['1,000', undefined],
  ['1,00,000', undefined],
  ['1.00,000', undefined],
];
for (const [input, text] of typedRows) {
  it(`${input}, typed by a person, is ${text ?? 'refused'}`, () => {
    const read = parseMicros(typedAmount(input));
    assert.equal(read.ok ? formatMicros(read.value) : undefined, text);
  });
}

it('every amount is written and read back unchanged (M5)', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -999_999_999_999_999_999n, max: 999_999_999_999_999_999n }), (amount) => {
      const text = formatMicros(toMicros(amount));
      assert.deepEqual(parseMicros(text), { ok: true, value: amount });
      assert.doesNotThrow(() => JSON.parse(text));
    }),
  );
});

it('a currency is three capitals', () => {
  assert.deepEqual(['EUR', 'eur', 'EU', 'EURO', ''].map(isCurrency), [true, false, false, false, false]);
});

const shownRows: readonly (readonly [currency: string, amount: string, shown: string])[] = [
  ['JPY', '100', '100'],
  ['JPY', '0.75', '0.75'],
  ['EUR', '12.5', '12.50'],
  ['EUR', '0.0075', '0.0075'],
  ['KWD', '1.5', '1.500'],
  ['CLF', '1', '1.0000'],
  ['EUR', '123456789012.345678', '123456789012.345678'],
];

for (const [currency, amount, shown] of shownRows) {
  it(`${amount} ${currency} is shown as ${shown}`, () => {
    const micros = parseMicros(amount);
    assert.ok(micros.ok);
    assert.equal(showMicros(micros.value, currency), shown);
  });
}
