/*
 * Decodes octets to text by their data_coding. It uses the tables of the standards, the differences of a carrier, and
 * guesses for carriers that break the standards.
 */

import { decodeGsm, decodeUcs2, fillBitsAfter, findUnencodable, unpackSeptets, type National } from '@morsel/gsm';
import type { InboundCoding } from '@morsel/api/values/routing.ts';

/** The coding that a carrier means by a data_coding, where this differs from the standards. */
export type CodingTable = { readonly [dataCoding: number]: InboundCoding };

/** The carrier's table takes precedence over the standards. */
export function codingOf(dataCoding: number, table: CodingTable): InboundCoding {
  return table[dataCoding] ?? standardCoding(dataCoding);
}

/**
 * SMPP defines the values up to 0x0F (SMPP 3.4, section 5.2.19). Higher values are those of 3GPP TS 23.038, section 4.
 */
const smppCodings: CodingTable = { 0: 'gsm7', 1: 'ascii', 3: 'latin1', 8: 'ucs2' };
const smppCodingsMax = 0x0f;

function standardCoding(dataCoding: number): InboundCoding {
  // Codings such as JIS, Cyrillic, Hebrew and pictograms count as binary, so no octet is lost.
  if (dataCoding <= smppCodingsMax) return smppCodings[dataCoding] ?? 'binary';
  // The upper four bits are the coding group.
  const group = dataCoding >> 4;
  if (group < 0x8) return generalCoding(dataCoding);
  if (group === 0xe) return 'ucs2';
  if (group === 0xf) return (dataCoding & 0x04) === 0 ? 'gsm7' : 'binary';
  // Message waiting indications use the default alphabet. The standard also reads reserved groups as the default
  // alphabet.
  return 'gsm7';
}

function generalCoding(dataCoding: number): InboundCoding {
  const isCompressed = (dataCoding & 0x20) !== 0;
  if (isCompressed) return 'binary';
  const alphabet = (dataCoding >> 2) & 0x03;
  return alphabet === 1 ? 'binary' : alphabet === 2 ? 'ucs2' : 'gsm7';
}

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

/** Decodes the joined octets of consecutive parts; packed septets must be unpacked before. Never throws. */
export function decodeAs(coding: Exclude<InboundCoding, 'binary'>, octets: Uint8Array, national: National): string {
  switch (coding) {
    case 'gsm7':
    case 'gsm7-packed':
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
export function dcsOf(coding: Exclude<InboundCoding, 'binary'>, text: string): 'GSM' | 'UCS' {
  if (coding === 'gsm7' || coding === 'gsm7-packed') return 'GSM';
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
