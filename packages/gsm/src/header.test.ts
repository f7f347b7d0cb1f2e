import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import {
  buildHeader,
  concatenation,
  concatenationOf,
  nationalOf,
  parseHeader,
  shiftsOf,
  type HeaderFault,
  type InformationElement,
} from './header.ts';

/*
 * Tests of user data headers: reading, writing and the elements that a receiver must ignore.
 */

describe('parseHeader and buildHeader', () => {
  const rows: readonly [what: string, octets: string, elements: readonly InformationElement[]][] = [
    ['no element', '00', []],
    ['8-bit concatenation', '050003420302', [part(8, 0x42, 3, 2)]],
    ['16-bit concatenation', '06080412340201', [part(16, 0x1234, 2, 1)]],
    ['8-bit ports', '040402f0f1', [{ kind: 'ports', bits: 8, destination: 240, source: 241 }]],
    ['16-bit ports', '0605040b8423f0', [{ kind: 'ports', bits: 16, destination: 2948, source: 9200 }]],
    ['single shift', '03240101', [{ kind: 'single-shift', identifier: 1 }]],
    [
      'concatenation with both shifts',
      '0b000342030224010125010d',
      [part(8, 0x42, 3, 2), { kind: 'single-shift', identifier: 1 }, { kind: 'locking-shift', identifier: 13 }],
    ],
    ['an unknown element', '047002aabb', [opaque(0x70, 'aabb')]],
    ['part 0', '050003420300', [opaque(0, '420300', 'numbering')]],
    ['concatenation too short', '0400024203', [opaque(0, '4203', 'length')]],
    ['ports too long', '0705050b8423f001', [opaque(5, '0b8423f001', 'length')]],
  ];
  for (const [what, octets, elements] of rows) {
    it(what, () => {
      const length = octets.length / 2;
      assert.deepEqual(parseHeader(octetsOf(`${octets}6869`)), { ok: true, elements, length });
      assert.equal(Buffer.from(buildHeader(elements)).toString('hex'), octets);
    });
  }

  const faults: readonly [what: string, octets: string, fault: HeaderFault['fault'], length: number][] = [
    ['no octets', '', 'missing', 0],
    ['longer than the octets', '0500034203', 'truncated', 5],
    ['an element over the end', '05000442030261', 'element', 6],
    ['an element without length', '01006162', 'element', 2],
  ];
  for (const [what, octets, fault, length] of faults) {
    it(`refuses ${what}`, () => {
      assert.deepEqual(parseHeader(octetsOf(octets)), { ok: false, fault, length });
    });
  }

  it('do not throw for any octets, and rebuild the header that was parsed', () => {
    const known = fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 8, 0x24, 0x25);
    const octet = fc.oneof(known, fc.integer({ min: 0, max: 255 }));
    let headers = 0;
    fc.assert(
      fc.property(fc.array(octet, { maxLength: 24 }), (numbers) => {
        const octets = Uint8Array.from(numbers);
        const header = parseHeader(octets);
        assert.ok(header.length <= octets.length);
        if (!header.ok) return;
        headers++;
        assert.deepEqual(buildHeader(header.elements), octets.slice(0, header.length));
      }),
      { numRuns: 5000 },
    );
    assert.ok(headers > 50, `only ${headers} were headers`);
  });

  it('keep copies of the octets that were parsed', () => {
    const octets = octetsOf('03700155');
    const header = parseHeader(octets);
    octets.fill(0);
    assert.deepEqual(header.ok && header.elements, [opaque(0x70, '55')]);
  });

  it('throw for values that do not fit', () => {
    const rowsThatThrow: readonly (readonly InformationElement[])[] = [
      [opaque(1, '00'.repeat(254))],
      [part(8, 256, 2, 1)],
      [part(16, 65_536, 2, 1)],
      [part(8, -1, 2, 1)],
      [part(8, 1.5, 2, 1)],
      [{ kind: 'ports', bits: 16, destination: 1, source: 70_000 }],
    ];
    for (const elements of rowsThatThrow) assert.throws(() => buildHeader(elements), RangeError);
    assert.equal(buildHeader([opaque(1, '00'.repeat(253))]).length, 256);
  });
});

describe('concatenation', () => {
  it('accepts part numbers from 1 to a total of at most 255', () => {
    assert.deepEqual(concatenation({ bits: 8, reference: 255, total: 255, number: 255 }), part(8, 255, 255, 255));
    assert.deepEqual(concatenation({ bits: 16, reference: 65_535, total: 2, number: 1 }), part(16, 65_535, 2, 1));
  });

  const wrong: readonly (readonly [bits: 8 | 16, reference: number, total: number, number: number])[] = [
    [8, 0, 2, 0],
    [8, 0, 2, 3],
    [8, 0, 256, 1],
    [8, -1, 2, 1],
    [16, 65_536, 2, 1],
    [8, 0.5, 2, 1],
    [8, Number.NaN, 2, 1],
  ];
  for (const [bits, reference, total, number] of wrong) {
    it(`throws for part ${number} of ${total} with reference ${reference} of ${bits} bits`, () => {
      assert.throws(() => concatenation({ bits, reference, total, number }), RangeError);
    });
  }
});

describe('what a header means', () => {
  it('the last element of a kind counts', () => {
    const elements = [
      part(8, 1, 2, 1),
      ...shiftsOf({ single: 'hindi' }),
      part(16, 7, 3, 2),
      ...shiftsOf({ single: 'urdu' }),
    ];
    assert.deepEqual(concatenationOf(elements), part(16, 7, 3, 2));
    assert.deepEqual(nationalOf(elements), { single: 'urdu' });
  });

  it('reserved language identifiers are ignored', () => {
    for (const identifier of [0, 14, 255]) {
      assert.deepEqual(nationalOf([...shiftsOf({ locking: 'urdu' }), { kind: 'locking-shift', identifier }]), {
        locking: 'urdu',
      });
    }
  });
});

function part(bits: 8 | 16, reference: number, total: number, number: number): InformationElement {
  return { kind: 'concatenation', bits, reference, total, number };
}

function opaque(id: number, data: string, fault?: 'length' | 'numbering'): InformationElement {
  return { kind: 'opaque', id, data: new Uint8Array(octetsOf(data)), ...(fault && { fault }) };
}

function octetsOf(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex');
}
