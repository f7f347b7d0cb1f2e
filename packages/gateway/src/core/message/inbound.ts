import { buildHeader, nationalOf, parseHeader, type InformationElement, type National } from '@morsel/gsm';
import { joined } from './client-encoded-part.ts';
import { dcsOf, decodeAs, type TextCoding } from './coding.ts';
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
  /** Whether the reference came in the user data header, with 8 or 16 bits, or apart from the user data. */
  readonly kind: '8-bit' | '16-bit' | 'apart';
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

/** The content of a part, as a carrier's kind reads it. */
export interface PartContent {
  readonly coding: TextCoding | 'binary';
  /** The user data without header; septets are unpacked. */
  readonly octets: Uint8Array;
  /** The user data header, with its length octet and without concatenation; null if no element is left. */
  readonly header: Uint8Array | null;
}

/** An inbound message, or one part of it, in words that every kind of carrier translates into. */
export interface Inbound extends PartContent {
  readonly sender: string;
  readonly receiver: string;
  /** The carrier's own code of the coding, which operators see; null if it has none. */
  readonly code: number | null;
  /** Null for a message of one part. */
  readonly concatenation: Concatenation | null;
  /** Set if it has the form of an unmarked receipt, but the carrier's setting does not read it as one. */
  readonly looksLikeReceipt?: true;
}

type NumberedPart = PartContent & { readonly number: number };

export interface InboundContent {
  readonly dcs: 'GSM' | 'UCS' | 'BIN';
  readonly text: string | null;
  readonly octets: Uint8Array | null;
  /** The header of the first part, without concatenation and language elements; null if no element is left. */
  readonly header: Uint8Array | null;
}

/**
 * Decodes the content of a message from its parts, given in order. Consecutive parts are joined before they are
 * decoded, because some phones cut inside a character. One binary part makes the whole message binary. Never throws.
 */
export function readContent(parts: readonly NumberedPart[]): InboundContent {
  const pieces = parts.map(readPiece);
  const header = headerOf(pieces[0]);
  const readable: TextPiece[] = [];
  for (const piece of pieces) if (isText(piece)) readable.push(piece);
  if (readable.length < pieces.length) {
    return { dcs: 'BIN', text: null, octets: joined(...pieces.map((piece) => piece.data)), header };
  }
  const runs = runsOf(readable);
  const texts = runs.map(([first, ...rest]) => {
    const text = decodeAs(first.coding, joined(...[first, ...rest].map((piece) => piece.data)), first.national);
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
  readonly coding: PartContent['coding'];
  readonly data: Uint8Array;
  readonly elements: readonly InformationElement[];
  readonly national: National;
}

type TextPiece = Piece & { readonly coding: TextCoding };

function isText(piece: Piece): piece is TextPiece {
  return piece.coding !== 'binary';
}

function readPiece({ number, coding, octets, header }: NumberedPart): Piece {
  const read = header && parseHeader(header);
  const elements = read?.ok ? read.elements : [];
  return { number, coding, data: octets, elements, national: nationalOf(elements) };
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

function headerOf(first: Piece | undefined): Uint8Array | null {
  const elements = (first?.elements ?? []).filter(({ kind }) => kind !== 'locking-shift' && kind !== 'single-shift');
  return elements.length > 0 ? buildHeader(elements) : null;
}
