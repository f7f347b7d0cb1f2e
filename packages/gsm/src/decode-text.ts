/** From the user data of a received message to its text. */
import { nationalOf, type InformationElement } from './header.ts';
import { decodeGsm } from './septets.ts';
import { decodeUcs2 } from './ucs2.ts';
import type { Encoding } from './unencodable.ts';

/** The user data behind the header, and the elements of the header, which name the national tables of septets. */
export interface Received {
  readonly encoding: Encoding;
  /** Unpacked septets for `gsm7`, UTF-16 for `ucs2`. */
  readonly data: Uint8Array;
  readonly elements?: readonly InformationElement[];
  /** For the few senders that swap the octets of UTF-16. */
  readonly littleEndian?: boolean;
}

/**
 * The text that a phone shows. Never throws. Join the data of all parts before decoding where the parts share their
 * encoding and tables: some senders cut inside a character, which then is whole again.
 */
export function decodeText({ encoding, data, elements = [], littleEndian = false }: Received): string {
  return encoding === 'gsm7' ? decodeGsm(data, nationalOf(elements)) : decodeUcs2(data, { littleEndian });
}
