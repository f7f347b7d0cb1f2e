import {
  buildHeader,
  capacity,
  compose,
  concatenation,
  encodeGsm,
  encodeUcs2,
  packSeptets,
  partHeader,
  shiftsOf,
  type National,
} from '@morsel/gsm';
import { dataCoding, esmClass, writeTlv, type EncodableOf, type Tlvs, type Unnumbered } from '@morsel/smpp';
import { type Submitted, addressOf, between } from './addresses.ts';

/*
 * Builds the inbound messages (mobile-originated, MO) that the simulator sends: messages that a test requests, and the
 * replies of magic receivers.
 */

/** An inbound message, or one part of it. */
export interface InboundPdu extends Unnumbered<EncodableOf<'deliver_sm'>> {
  readonly source_addr: string;
  readonly destination_addr: string;
}

/** An inbound message to send, with either `text` or `octets`. */
export interface Inbound {
  /** Default: the receiver of the newest submitted message, as if that phone replied. */
  readonly from?: string;
  /** Default: the sender of the newest submitted message. */
  readonly to?: string;
  /** The text of the message. A long text is split into several parts, unless `data_coding` or `esm_class` is set. */
  readonly text?: string;
  readonly octets?: Uint8Array;
  readonly esm_class?: number;
  /** Default: 0 if all characters of the text have the same codes in ASCII and GSM, otherwise 8. */
  readonly data_coding?: number;
  readonly tlvs?: Tlvs;
  /** The system_id of the client that gets the message. Default: any client. */
  readonly systemId?: string;
}

/** The default addresses before the first submitted message: the numbers of the example in the README. */
const firstFrom = '+41791234567';
const firstTo = '+41791112233';
/** A data_coding with a message class and the GSM alphabet (3GPP TS 23.038 section 4). */
const dataCodingClass = 0xf1;
/**
 * The length in octets of a concatenation element with an 8-bit and with a 16-bit reference (3GPP TS 23.040 section
 * 9.2.3.24.1).
 */
const concatenationOctets = 5;
const longConcatenationOctets = 6;

const short = 'Thank you, I have got your message.';
const long = `${'This is a long answer from a phone, sent in two parts that belong together. '.repeat(3)}The end.`;
const longer = `${'This is a longer answer from a phone, and every part of it is numbered. '.repeat(5)}The end.`;
const russian = 'Спасибо, получил 👍';
const french = 'Merci, reçu à la maison';
const turkish: National = { locking: 'turkish' };

type Part = Pick<InboundPdu, 'esm_class' | 'data_coding' | 'short_message' | 'tlvs'>;

/** The replies of magic receivers, split into parts. All parts of one long message have the same reference. */
const replies = {
  short: () => [{ short_message: septetsOf(short) }],
  long: (reference: number) => textParts(long, reference),
  ucs2: () => [ucs2(encodeUcs2(russian))],
  /** UCS-2 in the wrong byte order, without a byte order mark. */
  ucs2_little: () => [ucs2(Buffer.from(russian, 'utf16le'))],
  ucs2_bom: () => [ucs2(Buffer.from(`\uFEFF${russian}`, 'utf16le'))],
  latin1: () => [{ data_coding: dataCoding.latin1, short_message: Buffer.from(french, 'latin1') }],
  packed: () => [{ short_message: packSeptets(septetsOf(short)) }],
  class: () => [{ data_coding: dataCodingClass, short_message: septetsOf(short) }],
  binary: () => [{ data_coding: dataCoding.binary, short_message: Uint8Array.of(0, 1, 0xfe, 0xff, 0x1b) }],
  /** A text that needs the Turkish locking shift table (3GPP TS 23.040 section 9.2.3.24.16). */
  national: () => [withHeader(buildHeader(shiftsOf(turkish)), septetsOf('AıĞ', turkish))],
  /** The last part comes first, and the reference has 16 bits. */
  disordered: (reference: number) => longReferenceParts(longer, reference).toReversed(),
  sar: (reference: number) => sarParts(long, reference),
  payload: () => [{ short_message: new Uint8Array(0), tlvs: [writeTlv('message_payload', septetsOf(longer))] }],
  incomplete: (reference: number) => textParts(long, reference).slice(0, 1),
  part_twice: (reference: number) =>
    textParts(long, reference).flatMap((part, index) => (index === 0 ? [part, part] : [part])),
  /** A text that begins like a delivery receipt, but is an ordinary message. */
  almost_receipt: () => [{ short_message: septetsOf('id: 12345 is my order, stat: waiting') }],
} as const satisfies Record<string, (reference: number) => readonly Part[]>;

export type InboundPlan = keyof typeof replies;

/** Builds the reply to a message as one or several deliver_sm. */
export function replyPdus(message: Submitted, plan: InboundPlan, reference: number): InboundPdu[] {
  const addresses = between(message.destination, message.source);
  return replies[plan](reference).map((part) => ({ command: 'deliver_sm', ...addresses, ...part }));
}

type Newest = Pick<Submitted, 'source' | 'destination'> | undefined;

/**
 * Builds an inbound message as one or several deliver_sm. Throws RangeError if the text needs more than 255 parts or
 * cannot be encoded with `data_coding`.
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
  const isText = octets === undefined && esm_class === undefined && data_coding === undefined;
  if (isText && text !== '') return textParts(text, reference).map((part) => ({ ...part, ...(tlvs && { tlvs }) }));
  const coding = data_coding ?? (octets !== undefined || isPlain(text) ? 0 : dataCoding.ucs2);
  const short_message = octets ?? octetsOf(text, coding);
  return [{ esm_class: esm_class ?? 0, data_coding: coding, short_message, ...(tlvs && { tlvs }) }];
}

function textParts(text: string, reference: number): Part[] {
  const composed = compose(text, isPlain(text) ? 'GSM' : 'UCS');
  if (!composed.ok) {
    throw new RangeError(
      composed.reason === 'parts'
        ? `text needs ${composed.numParts} parts; the maximum is ${composed.maxParts}`
        : `text has a character at position ${composed.position} that cannot be sent; remove it`,
    );
  }
  const coding = composed.encoding === 'ucs2' ? { data_coding: dataCoding.ucs2 } : {};
  return composed.parts.map((part, index) => ({
    ...withHeader(partHeader(composed, reference & 0xff, index + 1), part),
    ...coding,
  }));
}

function withHeader(header: Uint8Array, part: Uint8Array): Part {
  if (header.length === 0) return { short_message: part };
  return { esm_class: esmClass.userDataHeader, short_message: Buffer.concat([header, part]) };
}

function longReferenceParts(text: string, reference: number): Part[] {
  return cut(text, capacity('gsm7', longConcatenationOctets)).map((piece, index, { length: total }) => {
    const element = concatenation({ bits: 16, reference: reference & 0xffff, total, number: index + 1 });
    return withHeader(buildHeader([element]), piece);
  });
}

function sarParts(text: string, reference: number): Part[] {
  return cut(text, capacity('gsm7', concatenationOctets)).map((short_message, index, { length: total }) => ({
    short_message,
    tlvs: [
      writeTlv('sar_msg_ref_num', reference & 0xffff),
      writeTlv('sar_total_segments', total),
      writeTlv('sar_segment_seqnum', index + 1),
    ],
  }));
}

function cut(text: string, septets: number): Uint8Array[] {
  const all = septetsOf(text);
  const count = Math.ceil(all.length / septets);
  return Array.from({ length: count }, (_, index) => all.subarray(index * septets, (index + 1) * septets));
}

function ucs2(short_message: Uint8Array): Part {
  return { data_coding: dataCoding.ucs2, short_message };
}

function octetsOf(text: string, data_coding: number): Uint8Array {
  if (data_coding === dataCoding.ucs2) return encodeUcs2(text);
  if (isPlain(text) || (data_coding === dataCoding.latin1 && isLatin1(text))) return Buffer.from(text, 'latin1');
  throw new RangeError(
    'text has characters with different codes in ASCII and GSM; set data_coding to 8 or pass octets',
  );
}

function septetsOf(text: string, national?: National): Uint8Array {
  const encoded = encodeGsm(text, national);
  if (!encoded.ok)
    throw new RangeError(`text has a character at position ${encoded.position} that is not in the GSM alphabet`);
  return encoded.septets;
}

/**
 * Whether all characters have the same code in ASCII and in the GSM default alphabet (3GPP TS 23.038 section 6.2.1).
 */
function isPlain(text: string): boolean {
  return /^[\n\r !"#%&'()*+,\-./0-9:;<=>?A-Za-z]*$/.test(text);
}

function isLatin1(text: string): boolean {
  return Buffer.from(text, 'latin1').toString('latin1') === text;
}
