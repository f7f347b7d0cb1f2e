import type { EncodableOf, Tlvs, Unnumbered } from '@morsel/smpp';
import { writeTlv } from '@morsel/smpp';
import type { Submitted } from './addresses.ts';
import { addressOf, between } from './addresses.ts';

/** The messages from phones that the simulator sends: what a test gives it, and what a magic receiver writes back. */

/** A deliver_sm that a phone caused. */
export interface InboundPdu extends Unnumbered<EncodableOf<'deliver_sm'>> {
  readonly source_addr: string;
  readonly destination_addr: string;
}

export interface Inbound {
  /** Default: the receiver of the newest message that came, so that the phone answers it. */
  readonly from?: string;
  /** Default: the sender of that message. */
  readonly to?: string;
  /** Sent in several deliver_sm where it is long, unless `data_coding` or `esm_class` is given. Or give `octets`. */
  readonly text?: string;
  readonly octets?: Uint8Array;
  readonly esm_class?: number;
  /** Default: 0 for text that reads the same in ASCII and GSM, else 8. */
  readonly data_coding?: number;
  readonly tlvs?: Tlvs;
  /** Whose sessions get it. Default: anyone's. */
  readonly systemId?: string;
}

const esmClassUdhi = 0x40;
/** Who writes to whom before any message came: the numbers of the example in the README. */
const firstFrom = '+41791234567';
const firstTo = '+41791112233';
const dataCodingLatin1 = 3;
const dataCodingBinary = 4;
const dataCodingUcs2 = 8;
/** No class, GSM (3GPP TS 23.038 section 4). */
const dataCodingClass = 0xf1;
/** Septets, and UTF-16 units, of a message without a header: 140 octets. */
const wholeSeptets = 160;
const wholeUnits = 70;
/** Septets of a part with the 6 octets of its header, one octet each (3GPP TS 23.040 section 9.2.3.24.1). */
const partSeptets = 153;
/** UTF-16 units of such a part. */
const partUnits = 67;
/** The number of parts is one octet. */
const partsMax = 255;
/** And with the 7 octets of a header with a 16-bit reference. */
const longPartSeptets = 152;

const short = 'Thank you, I have got your message.';
const long = `${'This is a long answer from a phone, sent in two parts that belong together. '.repeat(3)}The end.`;
const longer = `${'This is a longer answer from a phone, and every part of it is numbered. '.repeat(5)}The end.`;
const russian = 'Спасибо, получил 👍';
const french = 'Merci, reçu à la maison';

type Part = Pick<InboundPdu, 'esm_class' | 'data_coding' | 'short_message' | 'tlvs'>;

/** What a phone writes back, each given a number that tells one long message from another (smpp-in-the-wild, 13, 14, 20). */
const replies = {
  short: () => [{ short_message: latin1(short) }],
  long: (reference: number) => byHeader(long, reference),
  ucs2: () => [ucs2(utf16(russian))],
  /** Little-endian without a word of it. */
  ucs2_little: () => [ucs2(Buffer.from(russian, 'utf16le'))],
  ucs2_bom: () => [ucs2(Buffer.from(`\uFEFF${russian}`, 'utf16le'))],
  latin1: () => [{ data_coding: dataCodingLatin1, short_message: latin1(french) }],
  /** Seven bits a character, without gaps (3GPP TS 23.038 section 6.1.2.1). */
  packed: () => [{ short_message: packed(short) }],
  class: () => [{ data_coding: dataCodingClass, short_message: latin1(short) }],
  binary: () => [{ data_coding: dataCodingBinary, short_message: Uint8Array.of(0, 1, 0xfe, 0xff, 0x1b) }],
  /** Turkish, locking shift (3GPP TS 23.040 section 9.2.3.24.16): 0x07 and 0x0B are ı and ğ. */
  national: () => [{ esm_class: esmClassUdhi, short_message: Uint8Array.of(3, 0x25, 1, 1, 0x41, 0x07, 0x0b) }],
  /** Last part first, and a reference of 16 bits. */
  disordered: (reference: number) => byLongHeader(longer, reference).toReversed(),
  sar: (reference: number) => bySar(long, reference),
  payload: () => [{ short_message: new Uint8Array(0), tlvs: [writeTlv('message_payload', latin1(longer))] }],
  incomplete: (reference: number) => byHeader(long, reference).slice(0, 1),
  part_twice: (reference: number) =>
    byHeader(long, reference).flatMap((part, index) => (index === 0 ? [part, part] : [part])),
  /** As a receipt begins, and is none. */
  almost_receipt: () => [{ short_message: latin1('id: 12345 is my order, stat: waiting') }],
} as const satisfies Record<string, (reference: number) => readonly Part[]>;

export type InboundPlan = keyof typeof replies;

/** What a phone writes back, in one deliver_sm or several. */
export function replyPdus(message: Submitted, plan: InboundPlan, reference: number): InboundPdu[] {
  const addresses = between(message.destination, message.source);
  return replies[plan](reference).map((part) => ({ command: 'deliver_sm', ...addresses, ...part }));
}

type Newest = Pick<Submitted, 'source' | 'destination'> | undefined;

/**
 * What a phone sends, in one deliver_sm or several. Throws RangeError for a text that its data_coding cannot say, or of more
 * than 255 parts.
 */
export function inboundPdus(
  inbound: Inbound,
  { newest, reference }: { readonly newest: Newest; readonly reference: number },
): InboundPdu[] {
  const source = inbound.from === undefined ? newest?.destination : addressOf(inbound.from);
  const destination = inbound.to === undefined ? newest?.source : addressOf(inbound.to);
  const addresses = between(source ?? addressOf(firstFrom), destination ?? addressOf(firstTo));
  return partsOf(inbound, reference).map((part) => ({ command: 'deliver_sm', ...addresses, ...part }));
}

function partsOf({ text = '', octets, esm_class, data_coding, tlvs }: Inbound, reference: number): Part[] {
  if (octets === undefined && esm_class === undefined && data_coding === undefined) {
    return textParts(text, reference).map((part) => ({ ...part, ...(tlvs && { tlvs }) }));
  }
  const coding = data_coding ?? (octets !== undefined || isPlain(text) ? 0 : dataCodingUcs2);
  const short_message = octets ?? toOctets(text, coding);
  return [{ esm_class: esm_class ?? 0, data_coding: coding, short_message, ...(tlvs && { tlvs }) }];
}

function textParts(text: string, reference: number): Part[] {
  if (isPlain(text)) return text.length <= wholeSeptets ? [{ short_message: latin1(text) }] : byHeader(text, reference);
  if (text.length <= wholeUnits) return [ucs2(utf16(text))];
  return headed(cutUnits(text).map(utf16), reference).map((part) => ({ ...part, data_coding: dataCodingUcs2 }));
}

function byHeader(text: string, reference: number): Part[] {
  return headed(cut(text, partSeptets), reference);
}

function headed(pieces: readonly Uint8Array[], reference: number): Part[] {
  if (pieces.length > partsMax)
    throw new RangeError(`the text takes ${pieces.length} parts, and ${partsMax} is the most`);
  return pieces.map((piece, index, { length }) => ({
    esm_class: esmClassUdhi,
    short_message: Buffer.concat([Uint8Array.of(5, 0, 3, reference & 0xff, length, index + 1), piece]),
  }));
}

function byLongHeader(text: string, reference: number): Part[] {
  return cut(text, longPartSeptets).map((piece, index, { length }) => {
    const header = Uint8Array.of(6, 8, 4, (reference >> 8) & 0xff, reference & 0xff, length, index + 1);
    return { esm_class: esmClassUdhi, short_message: Buffer.concat([header, piece]) };
  });
}

function bySar(text: string, reference: number): Part[] {
  return cut(text, partSeptets).map((short_message, index, { length }) => ({
    short_message,
    tlvs: [
      writeTlv('sar_msg_ref_num', reference & 0xffff),
      writeTlv('sar_total_segments', length),
      writeTlv('sar_segment_seqnum', index + 1),
    ],
  }));
}

function cut(text: string, septets: number): Buffer[] {
  const octets = latin1(text);
  const count = Math.ceil(octets.length / septets);
  return Array.from({ length: count }, (_, index) => octets.subarray(index * septets, (index + 1) * septets));
}

/** Pieces of UTF-16 units; no surrogate pair is cut in two. */
function cutUnits(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + partUnits;
    if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
    pieces.push(text.slice(start, end));
  }
  return pieces;
}

function ucs2(short_message: Uint8Array): Part {
  return { data_coding: dataCodingUcs2, short_message };
}

function packed(text: string): Uint8Array {
  const octets = Buffer.alloc(Math.ceil((text.length * 7) / 8));
  for (let bit = 0; bit < text.length * 7; bit++) {
    const isSet = (text.charCodeAt(Math.floor(bit / 7)) >> (bit % 7)) & 1;
    octets[bit >> 3] = (octets[bit >> 3] ?? 0) | (isSet << (bit & 7));
  }
  return octets;
}

function toOctets(text: string, data_coding: number): Uint8Array {
  if (data_coding === dataCodingUcs2) return utf16(text);
  if (isPlain(text) || (data_coding === dataCodingLatin1 && isLatin1(text))) return latin1(text);
  throw new RangeError('the text is not plain: give data_coding 8, or its octets');
}

/** Characters that have the same code in ASCII and in the GSM default alphabet (3GPP TS 23.038 section 6.2.1). */
function isPlain(text: string): boolean {
  return /^[\n\r !"#%&'()*+,\-./0-9:;<=>?A-Za-z]*$/.test(text);
}

function isLatin1(text: string): boolean {
  return latin1(text).toString('latin1') === text;
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

function utf16(text: string): Uint8Array {
  return Buffer.from(text, 'utf16le').swap16();
}
