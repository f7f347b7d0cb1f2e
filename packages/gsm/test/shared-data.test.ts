/** Compares the package with results of other implementations. Their files are beside the checkout, or are missing. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  decodeGsm,
  decodeText,
  encodeGsm,
  allLanguages,
  packSeptets,
  shiftsOf,
  unpackSeptets,
  type National,
} from '../src/index.ts';

interface Vectors {
  readonly packed: readonly { packed: string; septets?: string; text?: string; septet_len?: number }[];
  readonly decode: readonly { hex: string; text: string }[];
}

type Cells = Readonly<Record<string, string>>;

interface Tables {
  readonly tables: Readonly<Record<string, { nli: number; lock?: Cells; ext?: Cells }>>;
}

const data = join(import.meta.dirname, '../../../../shared/data/gsm');

if (existsSync(data)) {
  const vectors: Vectors = JSON.parse(readFileSync(join(data, 'vectors.json'), 'utf8'));
  const { tables }: Tables = JSON.parse(readFileSync(join(data, 'gsm-national-tables.json'), 'utf8'));
  describe('vectors of other implementations', () => testVectors(vectors));
  describe('tables of other implementations', () => testTables(tables));
} else {
  it('without the shared data', (t) =>
    t.diagnostic('shared data absent: only the vectors in this repository are tested'));
}

function testVectors({ packed, decode }: Vectors): void {
  for (const row of packed) {
    it(`packed ${row.packed}`, () => {
      const encoded = encodeGsm(row.text ?? '');
      assert.ok(encoded.ok);
      const septets = row.septets === undefined ? encoded.septets : octetsOf(row.septets);
      if (row.septets !== undefined && row.text !== undefined) assert.equal(hexOf(encoded.septets), row.septets);
      if (row.septet_len !== undefined) assert.equal(septets.length, row.septet_len);
      assert.equal(hexOf(packSeptets(septets)), row.packed);
      const unpacked = unpackSeptets(octetsOf(row.packed), { count: septets.length });
      assert.equal(hexOf(unpacked), hexOf(septets));
      if (row.text !== undefined) assert.equal(decodeGsm(unpacked), row.text);
    });
  }

  for (const { hex, text } of decode) {
    it(`decoded ${hex}`, () => assert.equal(decodeGsm(octetsOf(hex)), text));
  }
}

function testTables(tables: Tables['tables']): void {
  it('have all languages of the package', () => {
    assert.deepEqual(
      allLanguages.map((language) => tables[language]?.nli),
      allLanguages.map((_, at) => at + 1),
    );
    assert.equal(Object.keys(tables).length, allLanguages.length + 1);
  });

  for (const language of [undefined, ...allLanguages]) {
    const table = tables[language ?? 'default'];
    it(`${language ?? 'default'}: every cell, encoded and decoded`, () => {
      const locking: National = language ? { locking: language } : {};
      const single: National = language ? { single: language } : {};
      // Spanish has no locking shift table, so the default alphabet is used instead.
      const cells = language === 'spanish' ? tables['default']?.lock : table?.lock;
      assertCells({ cells: cells ?? {}, national: locking, prefix: '' });
      assertCells({ cells: table?.ext ?? {}, national: single, prefix: '1b' });
    });
  }
}

interface CellRows {
  readonly cells: Cells;
  readonly national: National;
  readonly prefix: string;
}

function assertCells({ cells, national, prefix }: CellRows): void {
  const codeOf = new Map<string, string>();
  const main = prefix === '' ? undefined : new Set(charactersOf({}));
  for (let code = 0; code < 0x80; code++) {
    const hex = code.toString(16).padStart(2, '0');
    const cell = cells[hex];
    // An empty cell of a main table is a space. An empty cell of an extension table is the character of the main table.
    const fallback = prefix === '' || hex === '1b' ? ' ' : decodeGsm(octetsOf(hex));
    const character = cell === undefined ? fallback : String.fromCodePoint(Number.parseInt(cell.slice(2), 16));
    assert.equal(decodeGsm(octetsOf(prefix + hex), national), character, `code ${hex}`);
    if (cell !== undefined && !main?.has(character) && !codeOf.has(character)) codeOf.set(character, prefix + hex);
  }
  for (const [character, hex] of codeOf) {
    const encoded = encodeGsm(character, national);
    assert.equal(encoded.ok && hexOf(encoded.septets), hex);
    assert.equal(decodeText({ encoding: 'gsm7', data: octetsOf(hex), elements: shiftsOf(national) }), character);
  }
}

function charactersOf(national: National): string[] {
  return Array.from({ length: 0x80 }, (_, code) => decodeGsm(Uint8Array.of(code), national));
}

function octetsOf(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex');
}

function hexOf(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex');
}
