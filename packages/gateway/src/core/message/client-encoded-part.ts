import { buildHeader, capacity, parseHeader } from '@morsel/gsm';
import type { Composed, InformationElement } from '@morsel/gsm';
import type { Rejection } from '../base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';

/** What the octets of a part are: text in one of the two alphabets that texts are sent in, or anything at all. */
export type PartEncoding = Composed['encoding'] | 'binary';

/**
 * A part that its client cut and encoded itself, or octets that are no text: it is sent as it came, and is a message of
 * its own (decisions, section 7).
 */
export interface ClientEncodedPart {
  readonly encoding: PartEncoding;
  /** Without a header: one septet an octet for `gsm7`, UTF-16BE for `ucs2`. */
  readonly octets: Uint8Array;
  /** What stands before them, the place in the message that it is a part of among it. */
  readonly header: readonly InformationElement[];
  /** That of the message it is a part of; from sar_ parameters it may be longer than the one in the header. */
  readonly reference: number | null;
}

/** Octets ready to be sent, however they were made: of a text, which is cut here, or by the client. */
export interface Composition extends Pick<Composed, 'numParts' | 'parts' | 'header'> {
  readonly encoding: PartEncoding;
  /** Absent where we cut the text. */
  readonly clientEncoded?: { readonly reference: number | null };
}

/** A client-encoded part as it is kept. */
export interface StoredPart {
  readonly octets: Uint8Array;
  /** As it stands before the octets, its length octet included; null for none. */
  readonly header: Uint8Array | null;
  readonly reference: number | null;
}

/** User data of one message (3GPP TS 23.040, section 9.2.3.24). */
const octetsMax = 140;

/** The octets of an element beside its data: its id and its length. */
const elementOverhead = 2;

/** Octets that a header takes with its length octet. Never more than what one message has room for is built. */
function lengthOf(header: readonly InformationElement[]): number {
  if (header.length === 0) return 0;
  let length = 1;
  for (const element of header)
    length += element.kind === 'opaque' ? elementOverhead + element.data.length : sizeOf(element);
  return length;
}

function sizeOf(element: Exclude<InformationElement, { kind: 'opaque' }>): number {
  return buildHeader([element]).length - 1;
}

/** A client-encoded part as one part of its own message; refused if one message has no room for it. */
export function composeClientEncoded({
  encoding,
  octets,
  header,
  reference,
}: ClientEncodedPart): Result<Composition, Rejection> {
  const headerLength = lengthOf(header);
  const room = roomBeside(encoding, headerLength);
  if (octets.length > room)
    return refused({ code: 'invalid_parameter', field: 'text', detail: tooLong(encoding, room) });
  if (octets.length === 0 && header.length === 0) return refused({ code: 'missing_parameter', field: 'text' });
  return ok({ encoding, numParts: 1, parts: [octets], header, clientEncoded: { reference } });
}

function roomBeside(encoding: PartEncoding, headerLength: number): number {
  if (headerLength > octetsMax) return -1;
  if (encoding === 'binary') return octetsMax - headerLength;
  const elements = Math.max(0, headerLength - 1);
  return encoding === 'gsm7' ? capacity('gsm7', elements) : capacity('ucs2', elements) * 2;
}

function tooLong(encoding: PartEncoding, room: number): string {
  const least = Math.max(0, room);
  const most =
    encoding === 'ucs2'
      ? `${least / 2} characters of UTF-16`
      : `${least} ${encoding === 'gsm7' ? 'septets' : 'octets'}`;
  return `one message has room for ${most} beside its header: cut it into shorter parts, or send text without a header`;
}

/** What is kept of it, beside its text. */
export function storeClientEncoded({ parts, header, clientEncoded }: Composition): StoredPart | undefined {
  const [octets] = parts;
  if (!clientEncoded || !octets) return undefined;
  return { octets, header: header.length === 0 ? null : buildHeader(header), reference: clientEncoded.reference };
}

/** What was kept of it, ready to be sent again. */
export function restoreClientEncoded({ octets, header, reference }: StoredPart, encoding: PartEncoding): Composition {
  const parsed = header && parseHeader(header);
  return {
    encoding,
    numParts: 1,
    parts: [octets],
    header: parsed?.ok ? parsed.elements : [],
    clientEncoded: { reference },
  };
}

/** Two client-encoded parts that say the same at the same place of a message have the same; the reference is of no account. */
export function clientEncodedContent({ parts, header }: Composition): string {
  const place = header.map((element) =>
    element.kind === 'concatenation'
      ? `${element.number}/${element.total}`
      : Buffer.from(buildHeader([element])).toString('hex'),
  );
  return `${place.join(' ')} ${Buffer.from(parts[0] ?? []).toString('hex')}`;
}
