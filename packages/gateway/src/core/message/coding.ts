import { decodeGsm, decodeUcs2, fillBitsAfter, findUnencodable, unpackSeptets } from '@morsel/gsm';
import type { National } from '@morsel/gsm';
import type { InboundCoding } from '../routing/carrier-profile.ts';

/** How a carrier means its data_coding values, where it differs from the standards (smpp-in-the-wild, 13). */
export type CodingTable = { readonly [dataCoding: number]: InboundCoding };

/** How the octets of a data_coding are read: as the carrier's table says, or else the standards. */
export function codingOf(dataCoding: number, table: CodingTable): InboundCoding {
  return table[dataCoding] ?? standardCoding(dataCoding);
}

/** The lowest values are SMPP's own (SMPP 3.4, section 5.2.19), the others those of 3GPP TS 23.038, section 4. */
const smppCodings: CodingTable = { 0: 'gsm7', 1: 'ascii', 3: 'latin1', 8: 'ucs2' };
const smppCodingsMax = 0x0f;

function standardCoding(dataCoding: number): InboundCoding {
  // JIS, Cyrillic, Hebrew, pictograms and the like are read as binary, so that nothing of them is lost.
  if (dataCoding <= smppCodingsMax) return smppCodings[dataCoding] ?? 'binary';
  // The upper four bits are the coding group.
  const group = dataCoding >> 4;
  if (group < 0x8) return generalCoding(dataCoding);
  if (group === 0xe) return 'ucs2';
  if (group === 0xf) return (dataCoding & 0x04) === 0 ? 'gsm7' : 'binary';
  // Message waiting indications, and reserved groups, which are to be taken for the default alphabet.
  return 'gsm7';
}

/** The general data coding groups, with and without a message class or automatic deletion. */
function generalCoding(dataCoding: number): InboundCoding {
  const isCompressed = (dataCoding & 0x20) !== 0;
  if (isCompressed) return 'binary';
  const alphabet = (dataCoding >> 2) & 0x03;
  return alphabet === 1 ? 'binary' : alphabet === 2 ? 'ucs2' : 'gsm7';
}

/**
 * The septets that are packed into octets behind a header of so many, without that. Where a last one of zeros would just fit, it is
 * what was left over, and no `@`: nobody says how many there are, and one part in eight has so much left.
 */
export function unpackText(octets: Uint8Array, headerLength: number): Uint8Array {
  const fillBits = headerLength === 0 ? 0 : fillBitsAfter(headerLength);
  const septets = unpackSeptets(octets, { fillBits });
  const isFull = (fillBits + septets.length * 7) % 8 === 0;
  return isFull && septets.at(-1) === 0 ? septets.subarray(0, -1) : septets;
}

/** Text of octets that belong together, packed septets unpacked before. Binary has none. Never throws. */
export function decodeAs(coding: Exclude<InboundCoding, 'binary'>, octets: Uint8Array, national: National): string {
  switch (coding) {
    case 'gsm7':
    case 'gsm7-packed':
      return decodeGsm(octets, national);
    case 'ascii':
    case 'latin1':
      // What is called ASCII and has high octets is Latin-1 in truth: ASCII has no others.
      return Array.from(octets, (octet) => String.fromCharCode(octet)).join('');
    case 'ucs2':
      return decodeUcs2(octets, { littleEndian: isLittleEndian(octets) });
    case 'ucs2-le':
      return decodeUcs2(octets, { littleEndian: true });
  }
}

/** The word for an encoding that clients know: what came in UTF-16 is UCS, other text is GSM if the alphabet has it. */
export function dcsOf(coding: Exclude<InboundCoding, 'binary'>, text: string): 'GSM' | 'UCS' {
  if (coding === 'gsm7' || coding === 'gsm7-packed') return 'GSM';
  if (coding === 'ucs2' || coding === 'ucs2-le') return 'UCS';
  return text === '' || findUnencodable(text, 'gsm7') === undefined ? 'GSM' : 'UCS';
}

/** Units below which too little is there to guess from. */
const guessedMin = 3;
const surrogates = 0xd8;
const surrogatesEnd = 0xdf;

/**
 * Whether UTF-16 that should be big-endian is obviously not (smpp-in-the-wild, 13): read the other way it has an ASCII
 * character and all its others in one page, and read as it should be it has no ASCII at all. Three different units by
 * chance all ending in the same octet or in 0 do not occur in a text.
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
