import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { National } from './alphabet.ts';
import { findUnencodable, listOutside, type Encoding, type Unencodable } from './unencodable.ts';

/* Tests that the first character that cannot be sent is found, with its position. */

describe('findUnencodable', () => {
  type Found = Pick<Unencodable, 'reason' | 'character' | 'position'> | undefined;
  const rows: readonly [what: string, text: string, encoding: Encoding, found: Found, national?: National][] = [
    ['all of the extension table', '\f^{}\\[~]|€', 'gsm7', undefined],
    ['a letter outside', 'abç', 'gsm7', { reason: 'character', character: 'ç', position: 2 }],
    ['a character beyond 16 bits', 'a😀b', 'gsm7', { reason: 'character', character: '😀', position: 1 }],
    ['U+0000', 'a\0', 'gsm7', { reason: 'nul', character: '\0', position: 1 }],
    ['half a pair', 'a\ud83d', 'gsm7', { reason: 'surrogate', character: '\ud83d', position: 1 }],
    ['a letter of the national table', 'ğ', 'gsm7', undefined, { single: 'turkish' }],
    ['a letter the national table took out', 'Ç', 'gsm7', undefined, { single: 'turkish' }],
    ['any whole character', 'ç😀\ufffe\u001b', 'ucs2', undefined],
    ['U+0000 behind pairs', '😀😀\0', 'ucs2', { reason: 'nul', character: '\0', position: 2 }],
    ['a second half alone', '😀\ude00', 'ucs2', { reason: 'surrogate', character: '\ude00', position: 1 }],
  ];
  for (const [what, text, encoding, found, national] of rows) {
    it(`${encoding}: ${what}`, () => {
      assert.deepEqual(findUnencodable(text, encoding, national), found && { ok: false, ...found });
    });
  }

  it('counts the position in code points', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '€', '😀', 'ç', '\0', '\ud83d|', '\ude00')), (pieces) => {
        const text = pieces.join('');
        for (const encoding of ['gsm7', 'ucs2'] as const) {
          const found = findUnencodable(text, encoding);
          const bad = encoding === 'gsm7' ? /[^a€|]/u : /[\0\p{Surrogate}]/u;
          const position = Array.from(text).findIndex((character) => bad.test(character));
          assert.equal(found?.position ?? -1, position);
          if (found) assert.equal(found.character, Array.from(text)[position]);
        }
      }),
    );
  });
});

describe('listOutside', () => {
  it('lists no character of a text in the GSM alphabet', () => {
    assert.deepEqual(listOutside('Hello €{}[]~|^\\ äöüÅΔ', 5), { count: 0, characters: [] });
  });

  it('lists the first characters with their positions, and counts all', () => {
    const characters = [
      { character: '😀', position: 1 },
      { character: 'ж', position: 3 },
    ];
    assert.deepEqual(listOutside('a😀bжcжç', 2), { count: 4, characters });
  });

  it('agrees with findUnencodable, and with the characters from which the text is made', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '€', '😀', 'ç', 'ж', '\u001b')), fc.nat(5), (pieces, max) => {
        const text = pieces.join('');
        const all = pieces.flatMap((character, position) => (/[a€]/.test(character) ? [] : [{ character, position }]));
        const found = listOutside(text, max);
        assert.deepEqual(found, { count: all.length, characters: all.slice(0, max) });
        assert.equal(findUnencodable(text, 'gsm7')?.position, all[0]?.position);
      }),
    );
  });
});
