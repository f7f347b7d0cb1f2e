import { alphabetOf, escapeCode, noCode, type Alphabet, type National } from './alphabet.ts';
import { findOutside, type Unencodable } from './unencodable.ts';
import { stringOf } from './units.ts';

/*
 * Encodes text as septets and decodes septets to text (3GPP TS 23.038, section 6.2.1). The septets are unpacked: each
 * septet is in its own octet.
 */

const space = 0x20;
const replacement = 0xfffd;

/** A section of a text; `start` and `end` are positions in UTF-16 units. */
interface Section {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Encodes a text as septets, or returns the first character that the tables do not contain. An empty text gives no
 * septets.
 */
export function encodeGsm(
  text: string,
  national: National = {},
): { readonly ok: true; readonly septets: Uint8Array } | Unencodable {
  const alphabet = alphabetOf(national);
  const outside = findOutside(text, alphabet);
  return outside ?? { ok: true, septets: writeSeptets({ text, start: 0, end: text.length }, alphabet) };
}

/**
 * Decodes septets to the text that a phone shows. For an extension code without a character, returns the character of
 * the main table. Returns a space for an empty cell, a double escape and an escape at the end. Returns U+FFFD for an
 * octet above 0x7f, which is not a septet. Never throws.
 */
export function decodeGsm(septets: Uint8Array, national: National = {}): string {
  const { locking, single } = alphabetOf(national);
  const units = new Uint16Array(septets.length);
  let length = 0;
  for (let at = 0; at < septets.length; at++) {
    const septet = septets[at] ?? space;
    let unit = septet > 0x7f ? replacement : locking.units[septet];
    if (septet === escapeCode) {
      const code = septets[++at] ?? escapeCode;
      unit = code > 0x7f ? replacement : single.units[code] || locking.units[code];
    }
    units[length++] = unit || space;
  }
  return stringOf(units.subarray(0, length));
}

/** Returns how many septets a text needs; undefined if the tables do not contain all characters of the text. */
export function countSeptets(text: string, alphabet: Alphabet): number | undefined {
  const locking = alphabet.locking.codes;
  const single = alphabet.single.codes;
  let septets = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if ((locking[unit] ?? noCode) !== noCode) continue;
    if ((single[unit] ?? noCode) === noCode) return undefined;
    septets++;
  }
  return septets;
}

/**
 * Returns where each part of a text ends, in UTF-16 units. No part has more than `capacity` septets, and an escape and
 * its code are in the same part. Each part is filled before the next part begins, which gives the smallest number of
 * parts. The tables must contain all characters of the text.
 */
export function cutSeptets(text: string, alphabet: Alphabet, capacity: number): number[] {
  const locking = alphabet.locking.codes;
  const ends: number[] = [];
  let room = capacity;
  for (let at = 0; at < text.length; at++) {
    const cost = (locking[text.charCodeAt(at)] ?? noCode) === noCode ? 2 : 1;
    if (cost > room) {
      ends.push(at);
      room = capacity;
    }
    room -= cost;
  }
  ends.push(text.length);
  return ends;
}

/** Encodes a section of a text. The tables must contain all characters of the section. */
export function writeSeptets({ text, start, end }: Section, alphabet: Alphabet): Uint8Array {
  const locking = alphabet.locking.codes;
  const single = alphabet.single.codes;
  let extended = 0;
  for (let at = start; at < end; at++) {
    if ((locking[text.charCodeAt(at)] ?? noCode) === noCode) extended++;
  }
  const septets = new Uint8Array(end - start + extended);
  let length = 0;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    let code = locking[unit] ?? noCode;
    if (code === noCode) {
      septets[length++] = escapeCode;
      code = single[unit] ?? noCode;
    }
    septets[length++] = code;
  }
  return septets;
}
