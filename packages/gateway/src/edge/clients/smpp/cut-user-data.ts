import { dataCoding } from '@morsel/smpp';
import {
  buildHeader,
  concatenation,
  encodeGsm,
  encodeUcs2,
  fillBitsAfter,
  packSeptets,
  parseHeader,
  type InformationElement,
} from '@morsel/gsm';
import type { DefaultCoding } from '@morsel/api/values/account.ts';
import { joined } from '../../../core/message/client-encoded-part.ts';
import type { InboundContent } from '../../../core/message/inbound.ts';

/* Encodes an inbound message for a client, and cuts it if it is too long for one deliver_sm. */

export interface CodedUserData {
  readonly dataCoding: number;
  /** GSM septets are not packed yet and have one octet each, because packing depends on the header's length. */
  readonly octets: Uint8Array;
  readonly kind: 'septets' | 'packed' | 'octets' | 'ucs2';
  /** User data header before the text, for example with ports; empty if there is none. */
  readonly header: Uint8Array;
}

/** data_coding 0 means the default alphabet of the SMSC (SMPP 3.4, section 5.2.19). */
const ownAlphabet = 0;

const asciiMax = 0x7f;
const latin1Max = 0xff;

const nothing = new Uint8Array();

/** Uses data_coding 0 if the account's alphabet for it has all characters, otherwise UCS-2. Binary is unchanged. */
export function encodeInbound({ text, octets, header }: InboundContent, coding: DefaultCoding): CodedUserData {
  const before = header ?? nothing;
  if (text === null) {
    return { dataCoding: dataCoding.binary, octets: octets ?? nothing, kind: 'octets', header: before };
  }
  const own = encodeOwn(text, coding);
  if (own) return { dataCoding: ownAlphabet, ...own, header: before };
  return { dataCoding: dataCoding.ucs2, octets: encodeUcs2(text), kind: 'ucs2', header: before };
}

function encodeOwn(text: string, coding: DefaultCoding): Pick<CodedUserData, 'octets' | 'kind'> | undefined {
  if (coding === 'ascii' || coding === 'latin1') {
    const max = coding === 'ascii' ? asciiMax : latin1Max;
    for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > max) return undefined;
    return { octets: Buffer.from(text, 'latin1'), kind: 'octets' };
  }
  if (text === '') return { octets: nothing, kind: 'septets' };
  // When septets are packed, an `@` at the end looks like padding, so text with an `@` is sent as UCS-2.
  if (coding === 'gsm7-packed' && text.includes('@')) return undefined;
  const encoded = encodeGsm(text);
  return encoded.ok ? { octets: encoded.septets, kind: coding === 'gsm7' ? 'septets' : 'packed' } : undefined;
}

/** User data of a message that is not cut. */
export function wholeUserData({ octets, kind, header }: CodedUserData): Uint8Array {
  const written =
    kind === 'packed' ? packSeptets(octets, header.length === 0 ? 0 : fillBitsAfter(header.length)) : octets;
  return header.length === 0 ? written : joined(header, written);
}

/** The most octets of a part, which clients expect (3GPP TS 23.040, section 9.2.3.24). */
const partOctets = 140;
/** The fewest octets of content. A part with a long header may exceed a phone's 140 octets, because SMPP allows 254. */
const partMin = 40;
/** The most octets of short_message (SMPP 3.4, section 5.2.22). */
export const shortMessageMax = 254;
/** The most parts: a concatenation element has one octet for their number. */
const partsMax = 255;

/**
 * Cuts user data into parts with a concatenation element. No part ends inside a character, and each repeats the other
 * header elements. Returns undefined if the header leaves no room, or if more than 255 parts are needed.
 */
export function cutUserData(data: CodedUserData, reference: number): readonly Uint8Array[] | undefined {
  const others = elementsOf(data.header);
  const headerOctets = data.header.length === 0 ? 6 : data.header.length + 5;
  const room = Math.min(Math.max(partOctets - headerOctets, partMin), shortMessageMax - headerOctets);
  if (room < partMin) return undefined;
  const isSeptets = data.kind === 'septets' || data.kind === 'packed';
  const capacity = isSeptets ? Math.floor((room * 8) / 7) : room - (room % 2);
  const pieces = cut(data, capacity);
  if (pieces.length > partsMax) return undefined;
  const total = pieces.length;
  return pieces.map((piece, index) => {
    const header = buildHeader([concatenation({ bits: 8, reference, total, number: index + 1 }), ...others]);
    return joined(header, data.kind === 'packed' ? packSeptets(piece, fillBitsAfter(header.length)) : piece);
  });
}

/** The header is always valid, because `readContent` built it. */
function elementsOf(header: Uint8Array): readonly InformationElement[] {
  const read = parseHeader(header);
  return read.ok ? read.elements : [];
}

const escape = 0x1b;

function cut({ octets, kind }: CodedUserData, capacity: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let start = 0;
  while (octets.length - start > capacity) {
    let end = start + capacity;
    if (kind === 'ucs2') end -= isHighSurrogate(octets[end - 2]) ? 2 : 0;
    else if (kind !== 'octets') end -= octets[end - 1] === escape ? 1 : 0;
    pieces.push(octets.subarray(start, end));
    start = end;
  }
  pieces.push(octets.subarray(start));
  return pieces;
}

function isHighSurrogate(upper = 0): boolean {
  return upper >= 0xd8 && upper <= 0xdb;
}
