import { stringOf } from './units.ts';

/*
 * Encodes text as UTF-16 and decodes UTF-16 to text. 3GPP TS 23.038 calls this encoding UCS2 (section 6.2.3), but
 * phones also read surrogate pairs.
 */

const byteOrderMark = 0xfeff;
const swappedMark = 0xfffe;

/**
 * Encodes a section of a text as big-endian UTF-16 without a byte order mark. `start` and `end` are positions in UTF-16
 * units.
 */
export function encodeUcs2(text: string, start = 0, end = text.length): Uint8Array {
  const octets = new Uint8Array((end - start) * 2);
  let at = 0;
  for (let unit = start; unit < end; unit++) {
    const code = text.charCodeAt(unit);
    octets[at++] = code >> 8;
    octets[at++] = code;
  }
  return octets;
}

/**
 * Decodes UTF-16, by default big-endian. If the octets begin with a byte order mark, it decides the order and is
 * removed. An odd last octet is ignored. A lone surrogate remains in the text, because the other half of the pair may
 * be in the next part. Never throws.
 */
export function decodeUcs2(octets: Uint8Array, { littleEndian = false } = {}): string {
  const units = new Uint16Array(octets.length >> 1);
  const high = littleEndian ? 1 : 0;
  for (let at = 0; at < units.length; at++) {
    units[at] = ((octets[at * 2 + high] ?? 0) << 8) | (octets[at * 2 + 1 - high] ?? 0);
  }
  if (units[0] === swappedMark) return decodeUcs2(octets, { littleEndian: !littleEndian });
  return stringOf(units[0] === byteOrderMark ? units.subarray(1) : units);
}

/**
 * Returns where each part of a text ends, in UTF-16 units. No part has more than `capacity` units, and both halves of a
 * surrogate pair are in the same part.
 */
export function cutUcs2(text: string, capacity: number): number[] {
  const ends: number[] = [];
  let end = 0;
  while (text.length - end > capacity) {
    end += capacity;
    if (isHighSurrogate(text.charCodeAt(end - 1))) end--;
    ends.push(end);
  }
  ends.push(text.length);
  return ends;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
