import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { toDecimal, toMicros } from './amount.ts';
import { Fields } from './fields.ts';

describe('amounts', () => {
  const rows = [
    ['0.0075', '0.0075'],
    ['99.9925', '99.9925'],
    ['9007199254740993.000001', '9007199254740993.000001'],
    ['-1.50', '-1.5'],
    ['7.5e-06', '0.0000075'],
    ['1.25E+1', '12.5'],
    ['12e2', '1200'],
    ['-0', '0'],
    ['-0.0', '0'],
    ['1e999999', undefined],
    ['01', undefined],
    ['1.', undefined],
    ['.5', undefined],
    ['NaN', undefined],
    ['', undefined],
  ] as const;
  for (const [source, decimal] of rows) {
    it(`are read to the digit: ${source || 'nothing'}`, () => assert.equal(toDecimal(source), decimal));
  }

  it('keep every digit that the service prints, where a number cannot', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), (micros) => {
        const text = printed(micros);
        const fields = Fields.ofJson(`{"a":"1","totalCost":${text},"b":[2.50]}`);
        const amount = fields?.amount('totalCost');
        assert.equal(toMicros(amount?.exact ?? ''), micros);
        assert.equal(amount?.number, Number(text));
      }),
    );
  });

  it('are the same number however a program in between writes it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const decimal = toDecimal(JSON.stringify(number));
        assert.equal(Number(decimal), number === 0 ? 0 : number);
        assert.match(decimal ?? '', /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/);
      }),
    );
  });

  it('are refused as millionths where they have more decimals', () => {
    assert.equal(toMicros('12.000001'), 12_000_001n);
    assert.throws(() => toMicros('0.0000001'), RangeError);
    assert.throws(() => toMicros('1e3'), RangeError);
  });
});

describe('fields', () => {
  it('of any JSON object are read as JSON.parse reads them, numbers in strings or not', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.maxSafeNat(), fc.double(), fc.boolean())),
        (object) => {
          const fields = Fields.ofJson(JSON.stringify(object));
          assert.ok(fields);
          for (const [name, value] of Object.entries(object)) {
            if (typeof value === 'string') assert.equal(fields.text(name), value);
            if (typeof value === 'number' && Number.isFinite(value))
              assert.equal(fields.amount(name).number, value + 0);
            if (typeof value === 'boolean') assert.equal(fields.flag(name), value);
          }
        },
      ),
    );
  });

  it('of a value that is no object are absent, and never throw', () => {
    for (const text of ['', '[]', '1', 'null', '"x"', '{', '<html>', '{"a":1}x', '['.repeat(100_000)]) {
      assert.equal(Fields.ofJson(text), undefined);
    }
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void [Fields.ofJson(text), Fields.ofForm(text)]));
  });

  it("are only an object's own: inherited names are no fields", () => {
    const fields = Fields.ofJson('{"__proto__":{"text":"x"}}');
    for (const name of ['text', 'toString', 'constructor']) assert.equal(fields?.optionalText(name), undefined);
    assert.throws(() => fields?.text('toString'), { field: 'toString' });
  });

  it('of another form count as absent if they are optional, and are named in the error if they are not', () => {
    const fields = Fields.ofJson('{"text":1,"count":1.5,"amount":"much","flag":"yes","list":{}}');
    assert.ok(fields);
    assert.deepEqual(
      [fields.optionalText('text'), fields.optionalCount('count'), fields.optionalAmount('amount')],
      [undefined, undefined, undefined],
    );
    assert.deepEqual([fields.optionalFlag('flag'), fields.optionalList('list')], [undefined, undefined]);
    assert.throws(() => fields.count('count'), { name: 'FieldError', field: 'count' });
  });

  it('of a form are the same as those of JSON', () => {
    const fields = Fields.ofForm('numParts=2&complete=true&threshold=10.500000&text=a+b%C3%BC');
    assert.deepEqual(
      [fields.count('numParts'), fields.flag('complete'), fields.amount('threshold').exact, fields.text('text')],
      [2, true, '10.5', 'a bü'],
    );
  });
});

function printed(micros: bigint): string {
  const digits = (micros < 0n ? -micros : micros).toString().padStart(7, '0');
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
