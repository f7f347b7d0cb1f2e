/*
 * Packs eight septets into seven octets, least significant bit first (3GPP TS 23.038, section 6.1.2.1.1), and unpacks
 * them.
 */

/** Options of `unpackSeptets`. */
export interface Unpacking {
  /** The number of bits between a user data header and the first septet, from 0 to 6. `fillBitsAfter` calculates it. */
  readonly fillBits?: number;
  /** The number of septets. Default: as many as the octets can hold. */
  readonly count?: number;
}

/**
 * Packs septets after `fillBits` zero bits. Uses only the lower seven bits of each value. If `septets` is empty, the
 * result is empty, even with fill bits.
 */
export function packSeptets(septets: Uint8Array, fillBits = 0): Uint8Array {
  if (septets.length === 0) return new Uint8Array(0);
  const octets = new Uint8Array(Math.ceil((fillBits + septets.length * 7) / 8));
  let at = 0;
  let held = 0;
  let bits = fillBits;
  for (const septet of septets) {
    held |= (septet & 0x7f) << bits;
    bits += 7;
    if (bits < 8) continue;
    octets[at++] = held;
    held >>= 8;
    bits -= 8;
  }
  if (bits > 0) octets[at] = held;
  return octets;
}

/**
 * Unpacks septets into one octet each. Pass `count` if it is known: seven septets leave seven unused bits in seven
 * octets, which otherwise decode as an extra `@`. A `count` that is too large is reduced. Never throws.
 */
export function unpackSeptets(octets: Uint8Array, { fillBits = 0, count = Infinity }: Unpacking = {}): Uint8Array {
  const held = Math.floor((octets.length * 8 - fillBits) / 7);
  const septets = new Uint8Array(Math.max(0, Math.min(held, count)));
  for (let n = 0; n < septets.length; n++) {
    const bit = fillBits + n * 7;
    const octet = bit >> 3;
    const pair = (octets[octet] ?? 0) | ((octets[octet + 1] ?? 0) << 8);
    septets[n] = (pair >> (bit & 7)) & 0x7f;
  }
  return septets;
}

/**
 * Returns the number of bits from the end of a header to the next septet boundary (3GPP TS 23.040, section 9.2.3.24).
 */
export function fillBitsAfter(headerOctets: number): number {
  return (7 - ((headerOctets * 8) % 7)) % 7;
}
