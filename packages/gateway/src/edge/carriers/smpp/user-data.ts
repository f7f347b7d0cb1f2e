/* Reads the user data of a deliver_sm or data_sm: which part of a message it is, its header, and the coding of its text. */

import { buildHeader, concatenationOf, nationalOf, parseHeader, shiftsOf, type InformationElement } from '@morsel/gsm';
import { readTlv, type PduOf } from '@morsel/smpp';
import type { InboundCoding } from '@morsel/api/values/routing.ts';
import { unpackText } from '../../../core/message/coding.ts';
import type { Concatenation, PartContent, Ports } from '../../../core/message/inbound.ts';

type Pdu = PduOf<'deliver_sm' | 'data_sm'>;

/** The coding that a carrier means by a data_coding, where this differs from the standards. */
type CodingTable = { readonly [dataCoding: number]: InboundCoding };

interface ReadUserData extends PartContent {
  readonly concatenation: Concatenation | null;
}

/** esm_class bit 6: the user data begin with a header (SMPP 3.4, section 5.2.12). */
const udhi = 0x40;
const portMax = 0xffff;

/** Never throws. Keeps no view of the PDU, whose buffer is used again. */
export function readUserData(pdu: Pdu, codings: CodingTable): ReadUserData {
  const octets = octetsIn(pdu);
  const { elements, length } = splitHeader(pdu.esm_class, octets);
  const content = readText(octets.subarray(length), codingOf(pdu.data_coding, codings), length);
  return { ...content, header: headerOf(elements, pdu), concatenation: readConcatenation(elements, pdu) };
}

export function octetsIn(pdu: Pdu): Uint8Array {
  if (pdu.command === 'deliver_sm' && pdu.short_message.length > 0) return pdu.short_message;
  return readTlv(pdu, 'message_payload') ?? new Uint8Array();
}

/**
 * Splits off the user data header. If the header claims to be longer than the data, the carrier set the esm_class bit
 * wrongly, and there is no header. If the header is broken inside, it is skipped by its length (3GPP TS 23.040,
 * 9.2.3.24).
 */
function splitHeader(
  esmClass: number,
  octets: Uint8Array,
): { readonly elements: readonly InformationElement[]; readonly length: number } {
  if ((esmClass & udhi) === 0) return { elements: [], length: 0 };
  const header = parseHeader(octets);
  if (header.ok) return header;
  return { elements: [], length: header.fault === 'element' ? header.length : 0 };
}

/** Null for a message of one part. The header takes precedence over sar_ parameters; impossible numbers are ignored. */
function readConcatenation(elements: readonly InformationElement[], pdu: Pdu): Concatenation | null {
  const inHeader = concatenationOf(elements);
  if (inHeader) {
    const { bits, reference, total, number } = inHeader;
    return total === 1 ? null : { kind: `${bits}-bit`, reference, total, number };
  }
  const reference = readTlv(pdu, 'sar_msg_ref_num');
  const total = readTlv(pdu, 'sar_total_segments');
  const number = readTlv(pdu, 'sar_segment_seqnum');
  if (reference === undefined || total === undefined || number === undefined) return null;
  const isPart = total >= 2 && total <= 0xff && number >= 1 && number <= total && reference <= 0xffff;
  return isPart ? { kind: 'apart', reference, total, number } : null;
}

/**
 * The header without concatenation, and only with the language tables that count: a header full of others has no room for
 * ports. The ports of TLVs count only if the header has nothing but language tables.
 */
function headerOf(elements: readonly InformationElement[], pdu: Pdu): Uint8Array | null {
  const others = elements.filter(
    ({ kind }) => kind !== 'concatenation' && kind !== 'locking-shift' && kind !== 'single-shift',
  );
  const ports = others.length > 0 ? undefined : portsOf(pdu);
  if (ports) others.push({ kind: 'ports', bits: 16, ...ports });
  const kept = [...shiftsOf(nationalOf(elements)), ...others];
  return kept.length > 0 ? buildHeader(kept) : null;
}

/** Undefined unless the PDU has valid source and destination ports. */
function portsOf(pdu: Pdu): Ports | undefined {
  const destination = readTlv(pdu, 'destination_port');
  const source = readTlv(pdu, 'source_port');
  if (destination === undefined || source === undefined || destination > portMax || source > portMax) return undefined;
  return { destination, source };
}

function readText(octets: Uint8Array, coding: InboundCoding, headerLength: number): Omit<PartContent, 'header'> {
  switch (coding) {
    case 'gsm7-packed':
      return { coding: 'gsm7', octets: unpackText(octets, headerLength) };
    case 'ucs2':
    case 'ucs2-le':
      return inOrder(octets, coding);
    default:
      return { coding, octets: Uint8Array.from(octets) };
  }
}

/**
 * A part may begin with a byte order mark. The mark sets the byte order of this part and does not belong to the text.
 */
function inOrder(octets: Uint8Array, coding: 'ucs2' | 'ucs2-le'): Omit<PartContent, 'header'> {
  const [first, second] = octets;
  const marked = first === 0xff && second === 0xfe ? 'ucs2-le' : first === 0xfe && second === 0xff ? 'ucs2' : undefined;
  return { coding: marked ?? coding, octets: Uint8Array.from(marked ? octets.subarray(2) : octets) };
}

/** The carrier's table takes precedence over the standards. */
export function codingOf(dataCoding: number, table: CodingTable): InboundCoding {
  return table[dataCoding] ?? standardCoding(dataCoding);
}

/**
 * SMPP defines the values up to 0x0F (SMPP 3.4, section 5.2.19). Higher values are those of 3GPP TS 23.038, section 4.
 */
const smppCodings: CodingTable = { 0: 'gsm7', 1: 'ascii', 3: 'latin1', 8: 'ucs2' };
const smppCodingsMax = 0x0f;

function standardCoding(dataCoding: number): InboundCoding {
  // Codings such as JIS, Cyrillic, Hebrew and pictograms count as binary, so no octet is lost.
  if (dataCoding <= smppCodingsMax) return smppCodings[dataCoding] ?? 'binary';
  // The upper four bits are the coding group.
  const group = dataCoding >> 4;
  if (group < 0x8) return generalCoding(dataCoding);
  if (group === 0xe) return 'ucs2';
  if (group === 0xf) return (dataCoding & 0x04) === 0 ? 'gsm7' : 'binary';
  // Message waiting indications use the default alphabet. The standard also reads reserved groups as the default
  // alphabet.
  return 'gsm7';
}

function generalCoding(dataCoding: number): InboundCoding {
  const isCompressed = (dataCoding & 0x20) !== 0;
  if (isCompressed) return 'binary';
  const alphabet = (dataCoding >> 2) & 0x03;
  return alphabet === 1 ? 'binary' : alphabet === 2 ? 'ucs2' : 'gsm7';
}
