import { nationalOf, type InformationElement } from './header.ts';
import { decodeGsm } from './septets.ts';
import { decodeUcs2 } from './ucs2.ts';
import type { Encoding } from './unencodable.ts';

/*
 * Turns the user data of a received message into text.
 */

/** The user data after the header, and the elements of the header, which may name national tables. */
export interface Received {
  readonly encoding: Encoding;
  /** Unpacked septets for `gsm7`, UTF-16 for `ucs2`. */
  readonly data: Uint8Array;
  readonly elements?: readonly InformationElement[];
  /** For the few senders that send UTF-16 in little-endian order. */
  readonly littleEndian?: boolean;
}

/**
 * The text that a phone shows. Never throws. If all parts have the same encoding and tables, join their data before
 * decoding: some senders cut in the middle of a character.
 */
export function decodeText({ encoding, data, elements = [], littleEndian = false }: Received): string {
  return encoding === 'gsm7' ? decodeGsm(data, nationalOf(elements)) : decodeUcs2(data, { littleEndian });
}
