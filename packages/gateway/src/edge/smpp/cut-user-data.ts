import {
  buildHeader,
  concatenation,
  encodeGsm,
  encodeUcs2,
  fillBitsAfter,
  packSeptets,
  parseHeader,
} from '@morsel/gsm';
import type { InformationElement } from '@morsel/gsm';
import type { SmppDataCoding0 } from '@morsel/api/values/account.ts';
import type { InboundContent } from '../../core/message/inbound.ts';

/** What a message says, in the coding in which a client gets it. */
export interface CodedUserData {
  readonly dataCoding: number;
  /** One septet an octet where the client wants them packed: they are packed behind a header. */
  readonly octets: Uint8Array;
  readonly kind: 'septets' | 'packed' | 'octets' | 'ucs2';
  /** What stands before the text, as ports do; empty for nothing. */
  readonly header: Uint8Array;
}

/** data_coding (SMPP 3.4, section 5.2.19). */
const ownAlphabet = 0;
const binary = 4;
const ucs2 = 8;

const asciiMax = 0x7f;
const latin1Max = 0xff;

const nothing = new Uint8Array();

/** In what data_coding 0 means to the account if that has all of it, else in UCS-2: nothing is replaced. Octets stay octets. */
export function encodeInbound({ text, octets, header }: InboundContent, coding: SmppDataCoding0): CodedUserData {
  const before = header ?? nothing;
  if (text === null) return { dataCoding: binary, octets: octets ?? nothing, kind: 'octets', header: before };
  const own = encodeOwn(text, coding);
  if (own) return { dataCoding: ownAlphabet, ...own, header: before };
  return { dataCoding: ucs2, octets: encodeUcs2(text), kind: 'ucs2', header: before };
}

function encodeOwn(text: string, coding: SmppDataCoding0): Pick<CodedUserData, 'octets' | 'kind'> | undefined {
  if (coding === 'ascii' || coding === 'latin1') {
    const max = coding === 'ascii' ? asciiMax : latin1Max;
    for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > max) return undefined;
    return { octets: Buffer.from(text, 'latin1'), kind: 'octets' };
  }
  if (text === '') return { octets: nothing, kind: 'septets' };
  // Packed, an `@` at the end is the same bits as no character at all: it may be read as either.
  if (coding === 'gsm7-packed' && text.includes('@')) return undefined;
  const encoded = encodeGsm(text);
  return encoded.ok ? { octets: encoded.septets, kind: coding === 'gsm7' ? 'septets' : 'packed' } : undefined;
}

/** All of it in one piece, its header in front. */
export function wholeUserData({ octets, kind, header }: CodedUserData): Uint8Array {
  const written =
    kind === 'packed' ? packSeptets(octets, header.length === 0 ? 0 : fillBitsAfter(header.length)) : octets;
  return header.length === 0 ? written : joined(header, written);
}

/** User data of one message (3GPP TS 23.040, section 9.2.3.24), which is what receivers expect of a part. */
const partOctets = 140;
/** Beside a header that leaves less than that, a part has so much all the same: SMPP has room for more than a phone. */
const partMin = 40;
/** What short_message holds (SMPP 3.4, section 5.2.22). */
export const shortMessageMax = 254;
/** The total of a concatenation is one octet. */
const partsMax = 255;

/**
 * In parts that a user data header numbers, none of which ends inside a character. The header of each has what stood before
 * the text, too. Undefined if that leaves no room, or there would be more parts than can be numbered.
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

/** One that cannot be read was never told to be one: `readContent` builds what it keeps. */
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

function joined(header: Uint8Array, octets: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(header.length + octets.length);
  bytes.set(header);
  bytes.set(octets, header.length);
  return bytes;
}
