import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { fillBitsAfter, packSeptets, unpackSeptets } from './packing.ts';

/*
 * Tests that packing and unpacking septets are inverse, with and without fill bits.
 */

const septets = fc.uint8Array({ max: 0x7f, maxLength: 200 });
const fill = fc.integer({ min: 0, max: 6 });

describe('packing', () => {
  const rows: readonly [septets: string, fillBits: number, packed: string][] = [
    ['', 0, ''],
    ['68656c6c6f68656c6c6f', 0, 'e8329bfd4697d9ec37'],
    ['31323334353637', 0, '31d98c56b3dd00'],
    ['6869', 1, 'd069'],
  ];
  for (const [unpacked, fillBits, packed] of rows) {
    it(`${unpacked} after ${fillBits} fill bits is packed as ${packed}`, () => {
      const count = unpacked.length / 2;
      assert.equal(hexOf(packSeptets(octetsOf(unpacked), fillBits)), packed);
      assert.equal(hexOf(unpackSeptets(octetsOf(packed), { fillBits, count })), unpacked);
    });
  }

  it('is undone by unpacking, with any number of fill bits', () => {
    fc.assert(
      fc.property(septets, fill, (unpacked, fillBits) => {
        const packed = packSeptets(unpacked, fillBits);
        assert.deepEqual(unpackSeptets(packed, { fillBits, count: unpacked.length }), unpacked);
        if (unpacked.length > 0) assert.equal(packed.length, Math.ceil((unpacked.length * 7 + fillBits) / 8));
      }),
    );
  });

  it('unpacks all septets of the octets without a count, and no more with a too large count', () => {
    const packed = octetsOf('31d98c56b3dd00');
    assert.equal(hexOf(unpackSeptets(packed)), '3132333435363700');
    assert.equal(hexOf(unpackSeptets(packed, { count: 100 })), '3132333435363700');
    assert.equal(hexOf(unpackSeptets(packed, { count: -1 })), '');
    assert.equal(hexOf(unpackSeptets(new Uint8Array(0), { fillBits: 6 })), '');
  });

  it('fills the bits up to the next septet boundary after a header', () => {
    for (let octets = 0; octets <= 140; octets++) {
      const bits = fillBitsAfter(octets);
      assert.ok(bits >= 0 && bits <= 6 && (octets * 8 + bits) % 7 === 0);
    }
    assert.deepEqual([6, 7, 9, 12].map(fillBitsAfter), [1, 0, 5, 2]);
  });
});

function octetsOf(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex');
}

function hexOf(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex');
}
