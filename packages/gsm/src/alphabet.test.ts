import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { alphabetOf, hasLockingTable, identifierOf, allLanguages, languageOf, noCode, type Table } from './alphabet.ts';

/**
 * For each table: the number of filled cells, and the start of the SHA-256 of its cells, as `code:unit` in hexadecimal
 * in the order of codes. The hash shows tables that an editor or a tool has changed. A language without a locking shift
 * table has an empty string.
 */
const tables = [
  ['default', '127 9bc35684f6817fdd', '10 1fc5b57275e08100'],
  ['turkish', '127 7319a245636cda99', '17 25df71af81a5bacf'],
  ['spanish', '', '19 d0b99d47bf512f0a'],
  ['portuguese', '127 56ac52cc97a332cb', '37 728272284c3a3f66'],
  ['bengali', '114 9056a9e47b1987d5', '82 60f5e07aff49c15d'],
  ['gujarati', '120 4faacb2b504d4190', '70 f6a66f734b1697fd'],
  ['hindi', '127 b8cfad044290a7b5', '88 d578c84bd2f3ef67'],
  ['kannada', '120 58f58986821033b4', '73 e18e6e4db8985ee9'],
  ['malayalam', '120 e268beb28d668384', '82 73651ec4b15f6a93'],
  ['oriya', '116 04b2a3136ea5ebea', '75 b3506c3d6bb63bf7'],
  ['punjabi', '110 3883768887f607ea', '76 181215361f14d46f'],
  ['tamil', '102 672aa9c702e178d1', '77 8ce9f3f8cb8080db'],
  ['telugu', '120 7fd715f7dda94437', '78 e5bc0502538fcfab'],
  ['urdu', '127 fee331f18ab8f426', '90 15bbe3d0126ef9c1'],
] as const;

describe('tables', () => {
  for (const [name, locking, single] of tables) {
    const alphabet = name === 'default' ? alphabetOf({}) : alphabetOf({ locking: name, single: name });
    it(`${name}: the cells are as in the standard`, () => {
      assert.equal(fingerprint(alphabet.single), single);
      if (locking !== '') assert.equal(fingerprint(alphabet.locking), locking);
      else assert.equal(alphabet.locking, alphabetOf({}).locking);
    });
    it(`${name}: every character has the lowest of its codes`, () => {
      for (const { units, codes } of [alphabet.locking, alphabet.single]) {
        for (const [code, unit] of units.entries()) {
          if (unit !== 0) assert.equal(codes[unit], units.indexOf(unit), `code ${code}`);
        }
        assert.equal(codes.filter((code) => code !== noCode).length, new Set(units.filter((unit) => unit !== 0)).size);
      }
    });
  }
});

describe('languages', () => {
  it('have the identifiers of the standard, and identifiers have their languages', () => {
    assert.deepEqual(
      allLanguages.map((language) => identifierOf(language)),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
    );
    assert.deepEqual(
      allLanguages.map((language) => languageOf(identifierOf(language))),
      allLanguages,
    );
    for (const reserved of [0, 14, 255]) assert.equal(languageOf(reserved), undefined);
  });

  it('have a locking shift table, except for Spanish', () => {
    assert.deepEqual(
      allLanguages.filter((language) => !hasLockingTable(language)),
      ['spanish'],
    );
  });
});

function fingerprint({ units }: Table): string {
  const cells: string[] = [];
  for (const [code, unit] of units.entries()) {
    if (unit !== 0) cells.push(`${hex(code, 2)}:${hex(unit, 4)}`);
  }
  return `${cells.length} ${createHash('sha256').update(cells.join(' ')).digest('hex').slice(0, 16)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
