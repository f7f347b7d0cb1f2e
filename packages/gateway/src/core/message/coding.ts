/* Decodes octets to text, with guesses for carriers that break the standards. */

import { decodeGsm, decodeUcs2, fillBitsAfter, findUnencodable, unpackSeptets, type National } from '@morsel/gsm';
import type { InboundCoding } from '@morsel/api/values/routing.ts';

/** How a text is written in octets. */
export type TextCoding = Exclude<InboundCoding, 'gsm7-packed' | 'binary'>;

/**
 * Unpacks the septets that follow a header of `headerLength` octets. If the last septet is zero and fills the last
 * octet, it counts as padding and not as `@`. The number of septets is not transmitted, and one part in eight has such
 * padding.
 */
export function unpackText(octets: Uint8Array, headerLength: number): Uint8Array {
  const fillBits = headerLength === 0 ? 0 : fillBitsAfter(headerLength);
  const septets = unpackSeptets(octets, { fillBits });
  const isFull = (fillBits + septets.length * 7) % 8 === 0;
  return isFull && septets.at(-1) === 0 ? septets.subarray(0, -1) : septets;
}

/** Decodes the joined octets of consecutive parts. Never throws. */
export function decodeAs(coding: TextCoding, octets: Uint8Array, national: National): string {
  switch (coding) {
    case 'gsm7':
      return decodeGsm(octets, national);
    case 'ascii':
    case 'latin1':
      // Carriers also send Latin-1 as ASCII, so octets above 0x7F are read as Latin-1.
      return Array.from(octets, (octet) => String.fromCharCode(octet)).join('');
    case 'ucs2':
      return decodeUcs2(octets, { littleEndian: isLittleEndian(octets) });
    case 'ucs2-le':
      return decodeUcs2(octets, { littleEndian: true });
  }
}

/** The `dcs` that clients see: UCS for UTF-16; for other text GSM if the GSM alphabet has every character, else UCS. */
export function dcsOf(coding: TextCoding, text: string): 'GSM' | 'UCS' {
  if (coding === 'gsm7') return 'GSM';
  if (coding === 'ucs2' || coding === 'ucs2-le') return 'UCS';
  return text === '' || findUnencodable(text, 'gsm7') === undefined ? 'GSM' : 'UCS';
}

/** The byte order is guessed only from at least this many different UTF-16 units. */
const guessedMin = 3;
const surrogates = 0xd8;
const surrogatesEnd = 0xdf;

/**
 * Whether UTF-16 that should be big-endian is obviously little-endian. Read as little-endian, it has an ASCII
 * character, and all other characters are in one block of 256. Read as big-endian, it has no ASCII character. Real
 * big-endian text with three different characters hardly ever looks like this.
 */
function isLittleEndian(octets: Uint8Array): boolean {
  const units = new Set<number>();
  let page = 0;
  let ascii = 0;
  for (let at = 0; at + 1 < octets.length; at += 2) {
    const [first = 0, second = 0] = octets.subarray(at, at + 2);
    if (first === 0) return false;
    units.add(first * 0x100 + second);
    if (second === 0) ascii += isPrintable(first) ? 1 : 0;
    else if (second < surrogates || second > surrogatesEnd) {
      if (page !== 0 && page !== second) return false;
      page = second;
    }
  }
  return ascii > 0 && units.size >= guessedMin;
}

function isPrintable(code: number): boolean {
  return code === 0x0a || code === 0x0d || (code >= 0x20 && code < 0x7f);
}
