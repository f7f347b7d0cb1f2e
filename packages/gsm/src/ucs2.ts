import { stringOf } from './units.ts';

/*
 * Turns text into UTF-16 octets and back. 3GPP TS 23.038 calls this UCS2 (section 6.2.3); phones read surrogate pairs.
 */

const byteOrderMark = 0xfeff;
const swappedMark = 0xfffe;

/** Encodes a text, or a section of it in UTF-16 units. Big-endian, without a byte order mark. */
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
 * Decodes UTF-16. Big-endian by default, but a byte order mark wins and is removed. An odd last octet is ignored. A
 * lone surrogate stays, because its other half may be in the next part. Never throws.
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
 * Where each part of a text ends, in UTF-16 units. No part has more than `capacity`, and no surrogate pair is split.
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
