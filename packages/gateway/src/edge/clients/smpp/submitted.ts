import {
  concatenationOf,
  decodeGsm,
  decodeUcs2,
  encodeGsm,
  encodeUcs2,
  nationalOf,
  parseHeader,
  type Concatenation,
  type InformationElement,
} from '@morsel/gsm';
import type { InboundCoding } from '@morsel/api/values/routing.ts';
import { unpackText } from '../../../core/message/coding.ts';
import { composeClientEncoded, type ClientEncodedPart } from '../../../core/message/client-encoded-part.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';

/*
 * Decodes the user data that a client submitted over SMPP. The result is a text, which the gateway cuts like any other
 * text, or a client-encoded part.
 */

/** The octets may be a view of a larger buffer, so they are copied before they are stored. */
export interface Submitted {
  readonly dataCoding: number;
  readonly hasHeader: boolean;
  readonly octets: Uint8Array;
  readonly sar?: Sar | undefined;
  readonly ports?: { readonly destination: number; readonly source: number } | undefined;
  /** The coding that data_coding 0 means for this client. */
  readonly defaultCoding: InboundCoding;
}

interface Sar {
  /** Reference of 16 bits. */
  readonly reference: number;
  readonly total: number;
  readonly number: number;
}

export interface Content {
  readonly text: string;
  readonly dcs: 'GSM' | 'UCS' | 'SMS';
  readonly flash: boolean;
  readonly clientEncoded?: ClientEncodedPart;
}

/** Ambiguous data is refused, because the gateway guesses and replaces nothing. */
export function readSubmitted(data: Submitted): Result<Content, Rejection> {
  const scheme = schemeOf(data.dataCoding, data.defaultCoding);
  if (!scheme) return unknownCoding;
  const { coding, flash } = scheme;
  if (coding !== 'binary' && !data.hasHeader && !data.sar && !data.ports) return readPlain(coding, data.octets, flash);
  const header = readHeader(data);
  if (!header.ok) return header;
  const { elements, reference, length } = header.value;
  const octets = data.octets.subarray(length);
  if (coding !== 'binary' && elements.length === 0) return readPlain(coding, octets, flash);
  const clientEncoded = coding === 'binary' ? binary(octets) : encoded(coding, { octets, elements, length });
  if (!clientEncoded.ok) return clientEncoded;
  const { text, ...part } = clientEncoded.value;
  return ok({ text, dcs: 'SMS', flash, clientEncoded: { ...part, header: elements, reference } });
}

interface Scheme {
  readonly coding: InboundCoding;
  readonly flash: boolean;
}

type TextCoding = Exclude<InboundCoding, 'binary'>;

/**
 * The supported values below 0x10 (SMPP 3.4, section 5.2.19). Mobile networks do not carry the other codings, such as
 * JIS, Cyrillic and Hebrew.
 */
const smppCodings: { readonly [dataCoding: number]: InboundCoding } = {
  1: 'ascii',
  2: 'binary',
  3: 'latin1',
  4: 'binary',
  8: 'ucs2',
};
const smppCodingsMax = 0x0f;

/** Class 2 (SIM) and 3 (other equipment) are refused, because carriers would lose the class. */
const classMax = 1;

/** Alphabet and message class of a data_coding; undefined if it is not supported (3GPP TS 23.038, section 4). */
function schemeOf(dataCoding: number, defaultCoding: InboundCoding): Scheme | undefined {
  if (dataCoding === 0) return { coding: defaultCoding, flash: false };
  if (dataCoding <= smppCodingsMax) {
    const coding = smppCodings[dataCoding];
    return coding && { coding, flash: false };
  }
  const messageClass = dataCoding & 0x03;
  // Supported groups: the general group (0x1), uncompressed and with a class, and the group 0xF, whose bit 3 is
  // reserved.
  const isGeneral = dataCoding >> 4 === 0x1;
  if (!isGeneral && dataCoding >> 3 !== 0x1e) return undefined;
  const alphabets: readonly InboundCoding[] = [defaultCoding, 'binary', 'ucs2'];
  const coding = alphabets[(dataCoding >> 2) & 0x03];
  return coding && messageClass <= classMax ? { coding, flash: messageClass === 0 } : undefined;
}

const unknownCoding = invalid(
  'dcs',
  'data_coding must be 0 (its meaning is set for the account), 1 (ASCII), 3 (Latin-1), 8 (UTF-16), 2 or 4 (binary), or an alphabet with class 0 or 1 (0x10 to 0x19, 0xF0 to 0xF5)',
);

/** Decodes a text without a user data header. It may have any length: the gateway cuts it into parts, as over HTTP. */
function readPlain(coding: TextCoding, octets: Uint8Array, flash: boolean): Result<Content, Rejection> {
  const text = textOf(coding, octets);
  return text.ok ? ok({ text: text.value, dcs: dcsOf[coding], flash }) : text;
}

/** ASCII and Latin-1 are sent as septets if the GSM alphabet has every character, else as UTF-16. */
const dcsOf = {
  gsm7: 'GSM',
  'gsm7-packed': 'GSM',
  ascii: 'SMS',
  latin1: 'SMS',
  ucs2: 'UCS',
  'ucs2-le': 'UCS',
} as const satisfies Record<TextCoding, Content['dcs']>;

function textOf(coding: TextCoding, octets: Uint8Array): Result<string, Rejection> {
  switch (coding) {
    case 'gsm7': {
      const stray = strayOctet(octets, notGsm);
      return stray ?? ok(decodeGsm(octets));
    }
    case 'gsm7-packed':
      return ok(decodeGsm(unpackText(octets, 0)));
    case 'ascii':
      return strayOctet(octets, notAscii) ?? ok(latin1(octets));
    case 'latin1':
      return ok(latin1(octets));
    case 'ucs2':
    case 'ucs2-le':
      return isWhole(octets) ? ok(decodeUcs2(octets, { littleEndian: coding === 'ucs2-le' })) : halfUnit;
  }
}

function latin1(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('latin1');
}

const septetMax = 0x7f;
const notGsm =
  'the GSM alphabet has no octets above 0x7F: send Latin-1 with data_coding 3 or UTF-16 with data_coding 8, or ask the operator to set another meaning of data_coding 0';
const notAscii = 'ASCII has no octets above 0x7F: send Latin-1 with data_coding 3, or UTF-16 with data_coding 8';

function strayOctet(octets: Uint8Array, detail: string): Result<never, Rejection> | undefined {
  for (let position = 0; position < octets.length; position++) {
    const octet = octets[position] ?? 0;
    if (octet <= septetMax) continue;
    return refused({ code: 'text_not_encodable', detail, character: String.fromCharCode(octet), position });
  }
  return undefined;
}

function isWhole(octets: Uint8Array): boolean {
  return octets.length % 2 === 0;
}

const halfUnit = invalid(
  'dcs',
  'UTF-16 must have an even number of octets: cut between characters, or send another data_coding',
);

interface Header {
  /** The user data header that the carrier gets. */
  readonly elements: readonly InformationElement[];
  /** The full reference number of the long message; null if this is a whole message. */
  readonly reference: number | null;
  readonly length: number;
}

const noHeader: Header = { elements: [], reference: null, length: 0 };

/** Joins the header and the optional parameters. Values in both must agree, because only one can be sent. */
function readHeader({ hasHeader, octets, sar, ports }: Submitted): Result<Header, Rejection> {
  const parsed = hasHeader ? parseHeader(octets) : undefined;
  if (parsed && !parsed.ok) return brokenHeader;
  const { elements, length } = parsed ?? noHeader;
  // A phone ignores an element with impossible values (3GPP TS 23.040, 9.2.3.24.1), and would then show the part
  // wrongly.
  if (elements.some((element) => element.kind === 'opaque' && element.fault !== undefined)) return senselessHeader;
  const places = elements.filter(({ kind }) => kind === 'concatenation');
  const others = elements.filter(({ kind }) => kind !== 'concatenation');
  if (places.length > 1) return twoPlaces;
  const headerPorts = others.find(({ kind }) => kind === 'ports');
  if (ports && headerPorts && !isSamePorts(headerPorts, ports)) return otherPorts;
  const all = ports && !headerPorts ? [portsElement(ports), ...others] : others;
  if (sar && (sar.number < 1 || sar.number > sar.total)) return senselessSar;
  const place = concatenationOf(places) ?? (sar && placeOf(sar));
  if (sar && place && !isSamePlace(place, sar)) return otherPlace;
  // A message with one part needs no concatenation.
  if (!place || place.total === 1) return ok({ elements: all, reference: null, length });
  return ok({ elements: [place, ...all], reference: sar?.reference ?? place.reference, length });
}

const brokenHeader = invalid(
  'esm_class',
  'esm_class announces a user data header, but the text does not begin with a valid header: clear bit 6 of esm_class, or write the header as in 3GPP TS 23.040, 9.2.3.24',
);
const senselessHeader = invalid(
  'esm_class',
  'the user data header has an invalid element: a part number must be 1 to the total, the total 1 to 255, and concatenation, ports and national tables must have the lengths of 3GPP TS 23.040, 9.2.3.24',
);
const twoPlaces = invalid('esm_class', 'the user data header has two concatenation elements: send only one');
const senselessSar = invalidValue(
  'sar_segment_seqnum must be 1 to sar_total_segments, at most 255: omit all three sar_ parameters if the message has one part',
);
const otherPlace = invalidValue(
  'the sar_ parameters and the user data header name different parts: send only one of the two',
);
const otherPorts = invalidValue(
  'destination_port and source_port differ from the ports in the user data header: send only one of the two',
);

function portsElement({ destination, source }: { destination: number; source: number }): InformationElement {
  return { kind: 'ports', bits: 16, destination, source };
}

function isSamePorts(element: InformationElement, { destination, source }: NonNullable<Submitted['ports']>): boolean {
  return element.kind === 'ports' && element.destination === destination && element.source === source;
}

/**
 * Makes a concatenation element from the sar_ parameters. The element has an 8-bit reference, because clients leave
 * room only for that. The low octet of the sar_ reference is the same for all parts of a message.
 */
function placeOf({ reference, total, number }: Sar): Concatenation {
  return { kind: 'concatenation', bits: 8, reference: reference & 0xff, total, number };
}

/** Whether header and sar_ parameters name the same part. An 8-bit reference is the low octet of a 16-bit reference. */
function isSamePlace({ bits, reference, total, number }: Concatenation, sar: Sar): boolean {
  return total === sar.total && number === sar.number && reference === sar.reference % 2 ** bits;
}

type Encoded = Pick<ClientEncodedPart, 'encoding' | 'octets'> & { readonly text: string };

function binary(octets: Uint8Array): Result<Encoded, Rejection> {
  return ok({ encoding: 'binary', octets: Uint8Array.from(octets), text: '' });
}

interface Text {
  readonly octets: Uint8Array;
  readonly elements: readonly InformationElement[];
  readonly length: number;
}

/** Encodes a part of a text as the gateway sends it, and decodes its readable text. */
function encoded(coding: TextCoding, { octets, elements, length }: Text): Result<Encoded, Rejection> {
  switch (coding) {
    case 'gsm7':
      return strayOctet(octets, notGsm) ?? septets(Uint8Array.from(octets), elements);
    case 'gsm7-packed':
      return septets(unpackText(octets, length), elements);
    case 'ascii':
    case 'latin1': {
      const text = textOf(coding, octets);
      return text.ok ? ok(recoded(text.value, elements)) : text;
    }
    case 'ucs2':
    case 'ucs2-le': {
      if (!isWhole(octets)) return halfUnit;
      // A byte order mark sets the byte order and does not belong to the text. A part may begin or end inside a
      // surrogate pair.
      const units = decodeUcs2(octets, { littleEndian: coding === 'ucs2-le' });
      const position = units.indexOf('\0');
      if (position !== -1) return refused({ code: 'text_not_encodable', detail: nul, character: '\0', position });
      return ok({ encoding: 'ucs2', octets: encodeUcs2(units), text: units.toWellFormed() });
    }
  }
}

const nul = 'the text contains the character U+0000, which phones cannot show: remove it';

function septets(octets: Uint8Array, elements: readonly InformationElement[]): Result<Encoded, Rejection> {
  return ok({ encoding: 'gsm7', octets, text: decodeGsm(octets, nationalOf(elements)) });
}

/** Encodes a text as septets if the GSM alphabet has every character and the part has room, else as UTF-16. */
function recoded(text: string, header: readonly InformationElement[]): Encoded {
  const encodedText = encodeGsm(text);
  if (encodedText.ok) {
    const part = { encoding: 'gsm7', octets: encodedText.septets } as const;
    if (composeClientEncoded({ ...part, header, reference: null }).ok) return { ...part, text };
  }
  return { encoding: 'ucs2', octets: encodeUcs2(text), text };
}

function invalid(field: string, detail: string): Result<never, Rejection> {
  return refused({ code: 'invalid_parameter', field, detail });
}

function invalidValue(detail: string): Result<never, Rejection> {
  return refused({ code: 'invalid_option', fault: 'value', detail });
}
