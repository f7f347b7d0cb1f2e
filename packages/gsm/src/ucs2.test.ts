import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { cutUcs2, decodeUcs2, encodeUcs2 } from './ucs2.ts';

/*
 * Tests of UTF-16: encoding, lenient decoding and cutting.
 */

describe('encodeUcs2', () => {
  const rows = [
    ['Aя', '0041044f'],
    ['😀', 'd83dde00'],
  ] as const;
  for (const [text, expected] of rows) {
    it(`${JSON.stringify(text)} is ${expected}`, () => {
      assert.equal(Buffer.from(encodeUcs2(text)).toString('hex'), expected);
    });
  }
});

describe('decodeUcs2', () => {
  const rows: readonly [what: string, octets: string, text: string, littleEndian?: boolean][] = [
    ['big-endian', '0041044f', 'Aя'],
    ['little-endian, as told', '41004f04', 'Aя', true],
    ['an odd last octet is dropped', '004104', 'A'],
    ['a byte order mark is dropped', 'feff0041', 'A'],
    ['a swapped byte order mark swaps', 'fffe4100', 'A'],
    ['a byte order mark is believed more than the flag', 'feff0041', 'A', true],
    ['a lone surrogate stays', '0041d83d', 'A\ud83d'],
  ];
  for (const [what, octets, text, littleEndian = false] of rows) {
    it(what, () => {
      assert.equal(decodeUcs2(Buffer.from(octets, 'hex'), { littleEndian }), text);
    });
  }

  it('decodes any encoded text unchanged, if it does not begin with a byte order mark', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        fc.pre(!/^[\ufeff\ufffe]/.test(text));
        assert.equal(decodeUcs2(encodeUcs2(text)), text);
      }),
    );
  });
});

describe('cutUcs2', () => {
  const rows = [
    ['abcdefg', 3, [3, 6, 7]],
    ['ab😀cd', 3, [2, 5, 6]],
    ['a😀', 3, [3]],
    ['😀😀😀', 4, [4, 6]],
  ] as const;
  for (const [text, capacity, ends] of rows) {
    it(`${text} in parts of ${capacity}`, () => {
      assert.deepEqual(cutUcs2(text, capacity), ends);
    });
  }
});
