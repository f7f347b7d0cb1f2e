import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { readJson, writeJson } from './exact-json.ts';

describe('writeJson', () => {
  const rows: readonly (readonly [Parameters<typeof writeJson>[0], string])[] = [
    [1n, '0.000001'],
    [999_999_999_999_999_999n, '999999999999.999999'],
    [{ balance: 7_500n, name: 'a"b' }, '{"balance":0.0075,"name":"a\\"b"}'],
    [{ a: undefined, b: [] }, '{"b":[]}'],
    [undefined, 'null'],
    ['\ud800', '"\\ud800"'],
  ];
  for (const [value, text] of rows) it(`writes ${text}`, () => assert.equal(writeJson(value), text));

  it('writes the same as JSON.stringify, without money', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // writeJson and JSON.stringify both write -0 as 0.
        assert.equal(writeJson(value as Parameters<typeof writeJson>[0]), JSON.stringify(value));
      }),
    );
  });
});

describe('readJson', () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ['123456789012.123456', '123456789012.123456'],
    ['{"a":0.10,"b":[1e3,-0]}', { a: '0.10', b: ['1e3', '-0'] }],
    ['"1"', '1'],
    ['[true,null]', [true, null]],
  ];
  for (const [text, value] of rows) it(`reads ${text}`, () => assert.deepEqual(readJson(text), value));

  it('keeps the digits of every amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (amount) => {
        const text = writeJson({ amount });
        const read = readJson(text);
        assert.ok(typeof read === 'object' && read !== null && 'amount' in read && typeof read.amount === 'string');
        assert.equal(`{"amount":${read.amount}}`, text);
      }),
    );
  });
});
