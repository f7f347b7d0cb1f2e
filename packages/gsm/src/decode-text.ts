import { nationalOf, type InformationElement } from './header.ts';
import { decodeGsm } from './septets.ts';
import { decodeUcs2 } from './ucs2.ts';
import type { Encoding } from './unencodable.ts';

/*
 * Decodes the user data of a received message into text.
 */

/** The user data of a received message without its header, and the information elements of the header. */
export interface Received {
  readonly encoding: Encoding;
  /** The user data: unpacked septets for `gsm7`, UTF-16 for `ucs2`. */
  readonly data: Uint8Array;
  readonly elements?: readonly InformationElement[];
  /** True for the few senders that send UTF-16 in little-endian order. Default: false. */
  readonly littleEndian?: boolean;
}

/**
 * Returns the text that a phone would show; never throws. If all parts have the same encoding and national tables, join
 * their data before decoding, because some senders split characters between parts.
 */
export function decodeText({ encoding, data, elements = [], littleEndian = false }: Received): string {
  return encoding === 'gsm7' ? decodeGsm(data, nationalOf(elements)) : decodeUcs2(data, { littleEndian });
}
