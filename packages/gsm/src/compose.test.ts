import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { allLanguages, type Language, type National } from './alphabet.ts';
import { compose, countParts, partHeader, type Composed } from './compose.ts';
import { decodeText } from './decode-text.ts';
import { nationalOf, parseHeader } from './header.ts';
import { capacity, type Dcs } from './plan.ts';
import { encodeGsm } from './septets.ts';
import { findUnencodable } from './unencodable.ts';

/* Tests that texts are split into the right parts, and that refused texts are refused for the right reason. */

describe('parts', () => {
  const rows: readonly [what: string, text: string, dcs: Dcs, encoding: string, lengths: readonly number[]][] = [
    ['one septet', 'a', 'GSM', 'gsm7', [1]],
    ['160 septets', 'a'.repeat(160), 'SMS', 'gsm7', [160]],
    ['161 septets', 'a'.repeat(161), 'GSM', 'gsm7', [153, 8]],
    ['307 septets', 'a'.repeat(307), 'GSM', 'gsm7', [153, 153, 1]],
    ['an extension character on the edge', `${'a'.repeat(152)}€${'a'.repeat(10)}`, 'GSM', 'gsm7', [152, 12]],
    ['extension characters never fill 153', '€'.repeat(153), 'GSM', 'gsm7', [152, 152, 2]],
    ['70 units', 'я'.repeat(70), 'SMS', 'ucs2', [140]],
    ['71 units', 'я'.repeat(71), 'UCS', 'ucs2', [134, 8]],
    ['36 pairs never fill 67 units', '😀'.repeat(36), 'SMS', 'ucs2', [132, 12]],
    ['a pair on the edge', `${'я'.repeat(66)}😀яяя`, 'SMS', 'ucs2', [132, 10]],
    ['one character outside makes all of it UCS', `${'a'.repeat(160)}ç`, 'SMS', 'ucs2', [134, 134, 54]],
  ];
  for (const [what, text, dcs, encoding, lengths] of rows) {
    it(`${what} (${dcs})`, () => {
      const composed = composedOf(text, dcs);
      assert.equal(composed.encoding, encoding);
      assert.deepEqual(
        composed.parts.map((part) => part.length),
        lengths,
      );
      assert.deepEqual(composed.header, []);
    });
  }
});

describe('capacity', () => {
  const rows = [
    ['gsm7', 0, 160],
    ['gsm7', 5, 153],
    ['gsm7', 6, 152],
    ['gsm7', 11, 146],
    ['ucs2', 0, 70],
    ['ucs2', 5, 67],
  ] as const;
  for (const [encoding, elementOctets, fits] of rows) {
    it(`holds ${fits} for ${encoding} beside ${elementOctets} octets of elements`, () => {
      assert.equal(capacity(encoding, elementOctets), fits);
    });
  }
});

describe('refusals', () => {
  const rows: readonly [what: string, text: string, dcs: Dcs, refusal: object][] = [
    ['an empty text', '', 'SMS', { reason: 'empty', character: '', position: 0 }],
    ['a character outside', '😀ç', 'GSM', { reason: 'character', character: '😀', position: 0 }],
    ['U+0000', 'a\0', 'GSM', { reason: 'nul', character: '\0', position: 1 }],
    ['half a pair', 'я\ud83d', 'SMS', { reason: 'surrogate', character: '\ud83d', position: 1 }],
  ];
  for (const [what, text, dcs, refusal] of rows) {
    it(`${what} (${dcs})`, () => {
      assert.deepEqual(compose(text, dcs), { ok: false, ...refusal });
      assert.deepEqual(countParts(text, dcs), { ok: false, ...refusal });
    });
  }

  const limits: readonly [length: number, maxParts: number | undefined, numParts: number, most: number][] = [
    [1531, 10, 11, 10],
    [255 * 153 + 1, undefined, 256, 255],
    [262_144, 10, 1714, 10],
  ];
  for (const [length, maxParts, numParts, most] of limits) {
    it(`a text of ${length} septets with at most ${maxParts ?? 255} parts`, () => {
      const text = 'a'.repeat(length);
      const refusal = { ok: false, reason: 'parts', encoding: 'gsm7', numParts, maxParts: most };
      assert.deepEqual(compose(text, 'GSM', maxParts === undefined ? {} : { maxParts }), refusal);
      assert.deepEqual(countParts(text, 'GSM'), { ok: true, encoding: 'gsm7', numParts });
    });
  }

  it('a text may need exactly as many parts as are allowed', () => {
    assert.equal(composedOf('a'.repeat(1530), 'GSM', { maxParts: 10 }).numParts, 10);
    assert.equal(composedOf('a'.repeat(255 * 153), 'GSM').numParts, 255);
  });
});

describe('national tables', () => {
  const hindi = '\u0915';
  const rows: readonly [what: string, text: string, languages: readonly Language[], National, lengths: number[]][] = [
    ['not used where the default alphabet does', 'Hello', ['turkish'], {}, [5]],
    ['the single shift where it does', 'ağ', ['spanish', 'turkish'], { single: 'turkish' }, [3]],
    ['155 septets in one part', `ğ${'a'.repeat(153)}`, ['turkish'], { single: 'turkish' }, [155]],
    ['the locking shift where it saves a part', 'ı'.repeat(80), ['turkish'], { locking: 'turkish' }, [80]],
    ['149 septets a part', 'ı'.repeat(156), ['turkish'], { locking: 'turkish' }, [149, 7]],
    ['146 septets a part', `A${hindi.repeat(151)}`, ['hindi'], { locking: 'hindi', single: 'hindi' }, [146, 7]],
    ['a shifted letter is never split', `a${'ğ'.repeat(80)}`, ['spanish', 'turkish'], { locking: 'turkish' }, [81]],
    ['an optional table that saves no part is not used', '€'.repeat(80), ['turkish'], {}, [160]],
  ];
  for (const [what, text, languages, national, lengths] of rows) {
    for (const dcs of ['GSM', 'SMS'] as const) {
      it(`${what} (${dcs})`, () => {
        const composed = composedOf(text, dcs, { languages });
        assert.equal(composed.encoding, 'gsm7');
        assert.deepEqual(nationalOf(composed.header), national);
        assert.deepEqual(
          composed.parts.map((part) => part.length),
          lengths,
        );
      });
    }
  }

  it('of several languages are not mixed: the refusal names the first character that the best language lacks', () => {
    assert.deepEqual(compose('ğá', 'GSM', { languages: ['spanish', 'turkish'] }), {
      ok: false,
      reason: 'character',
      character: 'á',
      position: 1,
    });
    assert.equal(composedOf('ğá', 'SMS', { languages: ['spanish', 'turkish'] }).encoding, 'ucs2');
  });
});

describe('partHeader', () => {
  const rows: readonly [what: string, text: string, number: number, header: string][] = [
    ['one part without tables needs none', 'a', 1, ''],
    ['one part with a table', 'ğ', 1, '03240101'],
    ['one of several with a table', 'ı'.repeat(156), 1, '080003cc0201250101'],
    ['one of several with two tables', `\u0915${'A'.repeat(151)}\u0915`.repeat(2), 3, '0b0003cc0503240106250106'],
  ];
  for (const [what, text, number, header] of rows) {
    it(what, () => {
      const composed = composedOf(text, 'SMS', { languages: ['turkish', 'hindi'] });
      assert.equal(Buffer.from(partHeader(composed, 0xcc, number)).toString('hex'), header);
    });
  }

  it('throws for a part that does not exist', () => {
    assert.throws(() => partHeader(composedOf('a'.repeat(161), 'GSM'), 0, 3), RangeError);
  });
});

describe('any text', () => {
  const pieces = fc.constantFrom('a', 'Ω', '€', '\f', 'ğ', 'ı', 'ş', 'á', 'ã', '\u0915', 'я', '😀', 'क़', 'e\u0301');
  const mixed = fc.string({ unit: fc.oneof(pieces, fc.constant('b')), minLength: 1, maxLength: 500 });
  const texts = fc.oneof(
    mixed,
    textOf(['a', '€']),
    textOf(['ğ', 'a', '{']),
    textOf(['\u0915', 'A', '1']),
    textOf(['я', '😀']),
    fc.string({ unit: 'binary', maxLength: 200 }),
  );
  const dcs = fc.constantFrom<Dcs>('GSM', 'UCS', 'SMS');
  const languages = fc.subarray([...allLanguages]);

  it('has equal parts when it is counted and composed, and is decoded unchanged', () => {
    fc.assert(
      fc.property(texts, dcs, languages, (text, asked, allowed) => {
        const options = { languages: allowed };
        const composed = compose(text, asked, options);
        const counted = countParts(text, asked, options);
        if (!composed.ok) {
          assert.deepEqual(counted, composed);
          assert.ok(text === '' || asked === 'GSM' || findUnencodable(text, 'ucs2'));
          return;
        }
        const { encoding, numParts, parts, header } = composed;
        assert.deepEqual(counted, { ok: true, encoding, numParts });
        assert.equal(parts.length, numParts);
        assertWithinCapacity(composed);
        assert.equal(numParts, fewestParts(text, composed));

        // Decodes the text in both ways: each part alone, and the joined data of all parts.
        const eachPart = parts.map((data, at) => {
          const read = parseHeader(partHeader(composed, 7, at + 1));
          return { encoding, data, elements: read.ok ? read.elements : [] };
        });
        for (const { data } of eachPart) assert.ok(data.length > 0);
        const data = Uint8Array.from(parts.flatMap((part) => [...part]));
        if (encoding === 'gsm7') assert.equal(eachPart.map((part) => decodeText(part)).join(''), text);
        if (!/^[\ufeff\ufffe]/.test(text)) assert.equal(decodeText({ encoding, data, elements: header }), text);
        if (encoding === 'ucs2')
          for (const part of parts) assert.notEqual((part.at(-2) ?? 0) & 0xfc, 0xd8, 'half a pair');
      }),
      { numRuns: 300 },
    );
  });

  it('is GSM by default if and only if every character fits', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const asked = compose(text, 'GSM');
        const free = compose(text, 'SMS');
        if (asked.ok) assert.deepEqual(free, asked);
        else assert.deepEqual(free, compose(text, 'UCS'));
      }),
    );
  });
});

function textOf(units: readonly string[]): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...units), minLength: 1, maxLength: 500 });
}

function composedOf(text: string, dcs: Dcs, options = {}): Composed {
  const composed = compose(text, dcs, options);
  assert.ok(composed.ok, 'refused');
  return composed;
}

function assertWithinCapacity(composed: Composed): void {
  for (const [at, part] of composed.parts.entries()) {
    const header = partHeader(composed, 255, at + 1).length;
    const bits = header * 8 + part.length * (composed.encoding === 'gsm7' ? 7 : 8);
    assert.ok(bits <= 1120, `part ${at + 1} has ${bits} bits`);
  }
}

/** The smallest number of parts, found by trying every cut with the cost of each code point. */
function fewestParts(text: string, { encoding, header }: Composed): number {
  const national = nationalOf(header);
  const costs = Array.from(text, (character) => {
    if (encoding === 'ucs2') return character.length;
    const encoded = encodeGsm(character, national);
    return encoded.ok ? encoded.septets.length : Infinity;
  });
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  if (total <= capacity(encoding, header.length * 3)) return 1;
  const room = capacity(encoding, header.length * 3 + 5);
  const fewest = [0];
  for (let end = 1; end <= costs.length; end++) {
    let best = Infinity;
    let held = 0;
    for (let start = end - 1; start >= 0; start--) {
      held += costs[start] ?? 0;
      if (held > room) break;
      best = Math.min(best, (fewest[start] ?? 0) + 1);
    }
    fewest.push(best);
  }
  return fewest.at(-1) ?? 0;
}
