import {
  buildHeader,
  concatenationOf,
  nationalOf,
  parseHeader,
  type InformationElement,
  type National,
} from '@morsel/gsm';
import { dcsOf, decodeAs, unpackText } from './coding.ts';
import type { InboundCoding } from '@morsel/api/values/routing.ts';
import { minuteMs } from '@morsel/api/values/time.ts';

/** How long to wait after the first part of an inbound message. Then it is delivered as incomplete (O3). */
export const inboundWaitMs = 30 * minuteMs;

/**
 * An identical part with the same reference within this time is a redelivery: carriers repeat unanswered parts within
 * minutes.
 */
export const repeatedWithinMs = 10 * minuteMs;

/** Says which part of which long message a part is. Parts of the same message differ only in `number`. */
export interface Concatenation {
  /** Whether the reference came in the user data header, with 8 or 16 bits, or in the sar_ parameters. */
  readonly kind: 'udh8' | 'udh16' | 'sar';
  readonly reference: number;
  /** 2 to 255. */
  readonly total: number;
  /** 1 to `total`. */
  readonly number: number;
}

/** Application ports (3GPP TS 23.040, 9.2.3.24.4). */
export interface Ports {
  readonly destination: number;
  readonly source: number;
}

export interface UserData {
  readonly esmClass: number;
  readonly octets: Uint8Array;
}

export interface PartContent extends UserData {
  readonly number: number;
  readonly coding: InboundCoding;
  /** Application ports from the optional parameters; ports in the user data header take precedence. */
  readonly ports: Ports | null;
}

export interface InboundContent {
  readonly dcs: 'GSM' | 'UCS' | 'BIN';
  readonly text: string | null;
  readonly octets: Uint8Array | null;
  /** The header of the first part, without concatenation and language elements; null if no element is left. */
  readonly header: Uint8Array | null;
}

/** esm_class bit 6: the user data begin with a header (SMPP 3.4, section 5.2.12). */
const udhi = 0x40;

export interface Sar {
  readonly reference: number | undefined;
  readonly total: number | undefined;
  readonly number: number | undefined;
}

/** Null for a message of one part. The header takes precedence over sar_ parameters; impossible numbers are ignored. */
export function readConcatenation(data: UserData, sar?: Sar): Concatenation | null {
  const inHeader = concatenationOf(splitHeader(data).elements);
  if (inHeader) {
    const { bits, reference, total, number } = inHeader;
    return total === 1 ? null : { kind: bits === 8 ? 'udh8' : 'udh16', reference, total, number };
  }
  const { reference, total, number } = sar ?? {};
  if (reference === undefined || total === undefined || number === undefined) return null;
  const isPart = total >= 2 && total <= 0xff && number >= 1 && number <= total && reference <= 0xffff;
  return isPart ? { kind: 'sar', reference, total, number } : null;
}

/**
 * Decodes the content of a message from its parts, given in order. Consecutive parts are joined before they are
 * decoded, because some phones cut inside a character. One binary part makes the whole message binary. Never throws.
 */
export function readContent(parts: readonly PartContent[]): InboundContent {
  const pieces = parts.map(readPiece);
  const header = headerOf(pieces[0], parts[0]?.ports ?? null);
  const readable: TextPiece[] = [];
  for (const piece of pieces) if (isText(piece)) readable.push(piece);
  if (readable.length < pieces.length) {
    return { dcs: 'BIN', text: null, octets: join(pieces.map((piece) => piece.data)), header };
  }
  const runs = runsOf(readable);
  const texts = runs.map(([first, ...rest]) => {
    const text = decodeAs(first.coding, join([first, ...rest].map((piece) => piece.data)), first.national);
    return { text, dcs: dcsOf(first.coding, text) };
  });
  return {
    dcs: texts.every(({ dcs }) => dcs === 'GSM') ? 'GSM' : 'UCS',
    text: texts.map(({ text }) => text).join(''),
    octets: null,
    header,
  };
}

export function portsOf(header: Uint8Array | null): Ports | null {
  const read = header && parseHeader(header);
  const ports = read?.ok ? read.elements.findLast((element) => element.kind === 'ports') : undefined;
  return ports ? { destination: ports.destination, source: ports.source } : null;
}

interface Piece {
  readonly number: number;
  readonly coding: InboundCoding;
  readonly data: Uint8Array;
  readonly elements: readonly InformationElement[];
  readonly national: National;
}

type TextPiece = Piece & { readonly coding: Exclude<InboundCoding, 'binary'> };

function isText(piece: Piece): piece is TextPiece {
  return piece.coding !== 'binary';
}

function readPiece(part: PartContent): Piece {
  const { elements, length } = splitHeader(part);
  const rest = part.octets.subarray(length);
  const piece = { number: part.number, elements, national: nationalOf(elements) };
  switch (part.coding) {
    case 'gsm7-packed':
      return { ...piece, coding: part.coding, data: unpackText(rest, length) };
    case 'ucs2':
    case 'ucs2-le':
      return { ...piece, ...inOrder(rest, part.coding) };
    default:
      return { ...piece, coding: part.coding, data: rest };
  }
}

/**
 * Splits off the user data header. If the header claims to be longer than the data, the carrier set the esm_class bit
 * wrongly, and there is no header. If the header is broken inside, it is skipped by its length (3GPP TS 23.040,
 * 9.2.3.24).
 */
function splitHeader({ esmClass, octets }: UserData): { elements: readonly InformationElement[]; length: number } {
  if ((esmClass & udhi) === 0) return { elements: [], length: 0 };
  const header = parseHeader(octets);
  if (header.ok) return header;
  return { elements: [], length: header.fault === 'element' ? header.length : 0 };
}

/**
 * A part may begin with a byte order mark. The mark sets the byte order of this part and does not belong to the text.
 */
function inOrder(octets: Uint8Array, coding: 'ucs2' | 'ucs2-le'): Pick<Piece, 'coding' | 'data'> {
  const [first, second] = octets;
  if (first === 0xff && second === 0xfe) return { coding: 'ucs2-le', data: octets.subarray(2) };
  if (first === 0xfe && second === 0xff) return { coding: 'ucs2', data: octets.subarray(2) };
  return { coding, data: octets };
}

/** Groups consecutive parts that have the same coding and the same national language tables. */
function runsOf(pieces: readonly TextPiece[]): [TextPiece, ...TextPiece[]][] {
  const runs: [TextPiece, ...TextPiece[]][] = [];
  for (const piece of pieces) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (run && before && follows(before, piece)) run.push(piece);
    else runs.push([piece]);
  }
  return runs;
}

function follows(before: TextPiece, piece: TextPiece): boolean {
  return (
    piece.number === before.number + 1 &&
    piece.coding === before.coding &&
    piece.national.locking === before.national.locking &&
    piece.national.single === before.national.single
  );
}

function headerOf(first: Piece | undefined, ports: Ports | null): Uint8Array | null {
  const elements: InformationElement[] = (first?.elements ?? []).filter(
    ({ kind }) => kind !== 'concatenation' && kind !== 'locking-shift' && kind !== 'single-shift',
  );
  if (elements.length > 0) return buildHeader(elements);
  return ports ? buildHeader([{ kind: 'ports', bits: 16, ...ports }]) : null;
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
