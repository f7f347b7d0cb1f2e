import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { readJson, toMicros } from './amount.ts';

describe('amounts', () => {
  it('keep every digit that the gateway writes, also where a JavaScript number cannot', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), (micros) => {
        const text = printed(micros);
        const read = readJson(`{"a":"1","totalCost":${text},"b":[2.50],"text":"3\\"4"}`);
        assert.equal(toMicros(read?.exact['totalCost'] ?? ''), micros);
        assert.deepEqual(read?.all, { a: '1', totalCost: Number(text), b: [2.5], text: '3"4' });
      }),
    );
  });

  it('are refused as millionths if they have more than 6 decimals', () => {
    assert.equal(toMicros('12.000001'), 12_000_001n);
    assert.throws(() => toMicros('0.0000001'), RangeError);
    assert.throws(() => toMicros('1e3'), RangeError);
  });
});

describe('members', () => {
  it('of any JSON object are read as JSON.parse reads them, also if strings contain numbers', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const text = JSON.stringify(object);
        assert.deepEqual(readJson(text)?.all, JSON.parse(text));
      }),
    );
  });

  it('of a value that is no object are absent, and never throw', () => {
    for (const text of ['', '[]', '1', 'null', '"x"', '{', '<html>', '{"a":1}x', '['.repeat(100_000)]) {
      assert.equal(readJson(text), undefined);
    }
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void readJson(text)));
  });
});

function printed(micros: bigint): string {
  const digits = (micros < 0n ? -micros : micros).toString().padStart(7, '0');
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
