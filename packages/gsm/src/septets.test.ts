import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { alphabetOf, allLanguages, type National } from './alphabet.ts';
import { decodeGsm, encodeGsm } from './septets.ts';

/*
 * Tests of septets: encoding, decoding, counting and cutting, with all national tables.
 */

const choices: readonly National[] = [
  {},
  ...allLanguages.flatMap((language) => [
    { single: language },
    { locking: language },
    { locking: language, single: language },
  ]),
  { locking: 'turkish', single: 'spanish' },
];

describe('encodeGsm', () => {
  const rows: readonly [string, National, string][] = [
    ['', {}, ''],
    ['@£$', {}, '000102'],
    ['a b\r\n', {}, '6120620d0a'],
    ['\f', {}, '1b0a'],
    ['ığ', { single: 'turkish' }, '1b691b67'],
    ['á€', { single: 'spanish' }, '1b611b65'],
    ['\u0915A', { locking: 'hindi', single: 'hindi' }, '151b41'],
    ['*', { locking: 'hindi', single: 'hindi' }, '1b0b'],
  ];
  for (const [text, national, expected] of rows) {
    it(`${JSON.stringify(text)} with ${JSON.stringify(national)} is ${expected}`, () => {
      const encoded = encodeGsm(text, national);
      assert.equal(encoded.ok && Buffer.from(encoded.septets).toString('hex'), expected);
    });
  }

  it('names the first character outside the tables', () => {
    assert.deepEqual(encodeGsm('a€ç'), { ok: false, reason: 'character', character: 'ç', position: 2 });
  });
});

describe('decodeGsm', () => {
  const rows: readonly [string, National, string][] = [
    ['', {}, ''],
    ['001b6561', {}, '@€a'],
    ['611b', {}, 'a '],
    ['1b1b41', {}, ' A'],
    ['1b60', { locking: 'turkish' }, 'ç'],
    ['1b49', { locking: 'turkish', single: 'turkish' }, 'İ'],
    ['00', { locking: 'tamil' }, ' '],
    ['61801bff62', {}, 'a\ufffd\ufffdb'],
  ];
  for (const [octets, national, expected] of rows) {
    it(`${octets} with ${JSON.stringify(national)} is ${JSON.stringify(expected)}`, () => {
      assert.equal(decodeGsm(Buffer.from(octets, 'hex'), national), expected);
    });
  }

  it('never throws, and returns a character for every septet except the escape', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(...choices), (octets, national) => {
        const text = decodeGsm(octets, national);
        assert.ok(text.length <= octets.length && text.length >= octets.length / 2);
      }),
    );
  });
});

describe('encodeGsm and decodeGsm', () => {
  for (const national of choices) {
    it(`are inverse for any text with ${JSON.stringify(national)}`, () => {
      fc.assert(
        fc.property(fc.string({ unit: fc.constantFrom(...charactersOf(national)), maxLength: 400 }), (text) => {
          const encoded = encodeGsm(text, national);
          assert.ok(encoded.ok);
          assert.equal(decodeGsm(encoded.septets, national), text);
        }),
        { numRuns: 30 },
      );
    });
  }
});

function charactersOf(national: National): string[] {
  const { locking, single } = alphabetOf(national);
  const units = [...locking.units, ...single.units].filter((unit) => unit !== 0);
  return units.map((unit) => String.fromCharCode(unit));
}
