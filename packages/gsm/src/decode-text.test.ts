import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeText } from './decode-text.ts';
import { parseHeader } from './header.ts';
import type { Encoding } from './unencodable.ts';

describe('decodeText', () => {
  const rows: readonly [what: string, header: string, encoding: Encoding, data: string, text: string][] = [
    ['septets of a part', '050003010201', 'gsm7', '4869', 'Hi'],
    ['a locking shift', '03250101', 'gsm7', '0b0c', 'Ğğ'],
    ['both shifts of a part', '0b0003010201240106250106', 'gsm7', '151b41', '\u0915A'],
    ['a reserved language shows the default alphabet', '032401c8', 'gsm7', '1b67', 'g'],
    ['Spanish has no locking shift table', '03250102', 'gsm7', '0b', 'Ø'],
    ['shifts say nothing about UTF-16', '03250101', 'ucs2', '0041d83dde00', 'A😀'],
  ];
  for (const [what, header, encoding, data, text] of rows) {
    it(what, () => {
      const parsed = parseHeader(Buffer.from(header, 'hex'));
      assert.ok(parsed.ok);
      assert.equal(decodeText({ encoding, data: Buffer.from(data, 'hex'), elements: parsed.elements }), text);
    });
  }

  it('needs no header, and reads little-endian text if the option is set', () => {
    assert.equal(decodeText({ encoding: 'gsm7', data: Uint8Array.of(0) }), '@');
    assert.equal(decodeText({ encoding: 'ucs2', data: Uint8Array.of(0x41, 0), littleEndian: true }), 'A');
  });
});
