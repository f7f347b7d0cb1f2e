import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { findKeyword, keywordMax, keywordOf, keywordsIn, parseKeyword } from './keyword.ts';

describe('the first word of a text', () => {
  const rows: { readonly [keyword: string]: string } = {
    taxi: 'TAXI|Taxi, please|  taxi\r\nto the station|"Taxi!"|🚕 taxi|👩‍🚒️ taxi|\u200ftaxi|ta\u00adxi|taxi-zh|ＴＡＸＩ',
    '4you': '4you now',
    '123': '１２３',
    '3': '٣ شكرا',
    strasse: 'Straße',
    ete: 'Été',
    lodz: 'ŁÓDŹ',
    iptal: 'İPTAL|ıptal',
    ταξισ: 'ΤΑΞΊΣ',
    й: 'й',
    مسابقة: 'مسابقة ٥',
    हिन्दी: 'हिन्दी में',
    抽奖: '抽奖',
  };
  for (const [keyword, texts] of Object.entries(rows)) {
    it(`is ${keyword} of ${texts}`, () => {
      for (const text of texts.split('|')) assert.equal(keywordOf(text), keyword, text);
    });
  }

  it('is none of a text without a word, or with a first word that is too long', () => {
    assert.equal(keywordOf('a'.repeat(keywordMax)), 'a'.repeat(keywordMax));
    for (const text of ['a'.repeat(keywordMax + 1), '!'.repeat(300), '', null]) assert.equal(keywordOf(text), null);
  });

  it('is never cut: the beginning of a longer first word is no keyword', () => {
    assert.equal(
      findKeyword('taximeter', (word) => word === 'taxi'),
      null,
    );
    assert.equal(
      findKeyword(`${'x'.repeat(400)} taxi`, (word) => word === 'taxi'),
      null,
    );
  });
});

describe('a keyword in a script without spaces', () => {
  const rows: readonly (readonly [text: string, known: readonly string[], keyword: string | null])[] = [
    ['抽奖我要参加', ['抽奖'], '抽奖'],
    ['抽奖我要参加', ['抽', '抽奖', '抽奖我'], '抽奖我'],
    ['抽奖123', ['抽奖'], '抽奖'],
    ['taxi東京', ['taxi'], 'taxi'],
    ['我要抽奖', ['抽奖'], null],
    ['แท็กซี่สุขุมวิท', ['แท็กซี่'], 'แท็กซี่'],
    ['サッカー大会', ['サッカー'], 'サッカー'],
    ['サッカー大会', ['サッカ'], null],
    ['택시불러', ['택시'], null],
  ];
  for (const [text, known, keyword] of rows) {
    it(`is the longest that ${text} begins with, of ${known.join(', ')}: ${keyword ?? 'none'}`, () => {
      const folded = known.map((each) => keywordOf(each));
      assert.equal(
        findKeyword(text, (word) => folded.includes(word)),
        keyword && keywordOf(keyword),
      );
    });
  }
});

it('keywords are found anywhere in a text, each with the rest of the text', () => {
  const known = new Set(['win', '抽奖']);
  const rows: readonly (readonly [text: string, found: readonly (readonly [keyword: string, rest: string])[]])[] = [
    ['STOP Win', [['win', 'STOP']]],
    ['win stop', [['win', 'stop']]],
    ['stop, #WIN, please', [['win', 'stop, # , please']]],
    ['退订抽奖', [['抽奖', '退订']]],
    ['抽奖退订', [['抽奖', '退订']]],
    ['winner', []],
  ];
  for (const [text, found] of rows) {
    const all = keywordsIn(text, (word) => known.has(word)).map(({ keyword, rest }) => [keyword, rest.trim()]);
    assert.deepEqual(all, found, text);
  }
});

describe('a keyword that an operator gives', () => {
  it('is accepted in upper and lower case, with marks around it', () => {
    for (const given of ['TAXI', '#taxi', ' taxi ', 'Taxi!', 'ta\u200bxi'])
      assert.deepEqual(parseKeyword(given), { ok: true, value: 'taxi' }, given);
  });

  it('is one word, and not too long', () => {
    const rows = [
      ['taxi please', /one word/],
      ['taxi-zh', /one word/],
      ["l'eau", /one word/],
      ['', /1 to 32/],
      ['#', /1 to 32/],
      ['x'.repeat(33), /1 to 32/],
      ['x'.repeat(1000), /1 to 32/],
    ] as const;
    for (const [given, says] of rows) {
      const read = parseKeyword(given);
      assert.ok(!read.ok, given);
      assert.match(read.error, says);
    }
  });

  const anything = fc.string({ unit: 'grapheme', maxLength: 40 });
  const scripts = [
    '抽',
    'が',
    'カ',
    '\u3099',
    'ー',
    'แ',
    '็',
    'ก',
    'a',
    'É',
    'Σ',
    'ß',
    '1',
    '٣',
    '\u200d',
    '한',
    '\u1100',
  ];
  const mixed = fc.string({ unit: fc.constantFrom(...scripts), maxLength: 12 });

  it('is found at the beginning of a text, whatever its characters are, and folding it twice changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(anything, mixed), anything, (given, rest) => {
        const read = parseKeyword(given);
        if (!read.ok) return;
        assert.equal(keywordOf(given), read.value);
        assert.deepEqual(parseKeyword(read.value), read);
        const isKnown = (word: string) => word === read.value;
        assert.equal(findKeyword(`#${given.trim()} ${rest}`, isKnown), read.value);
        const [found] = keywordsIn(`STOP ${given.trim()}`, isKnown);
        assert.deepEqual([found?.keyword, found?.rest.trim().slice(0, 4)], [read.value, 'STOP']);
      }),
      { numRuns: 4_000 },
    );
  });
});
