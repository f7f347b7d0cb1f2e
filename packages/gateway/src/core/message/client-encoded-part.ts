/*
 * A part that a client cut or encoded itself: its octets and user data header, how they are stored, and how they are
 * restored for sending.
 */

import { buildHeader, capacity, parseHeader } from '@morsel/gsm';
import type { Composed, InformationElement } from '@morsel/gsm';
import type { Rejection } from '../base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';

/** Encoding of the octets: text in one of the two alphabets, or binary. */
export type PartEncoding = Composed['encoding'] | 'binary';

/**
 * A part that its client cut and encoded itself, or binary octets. It is sent unchanged and is a message of its own.
 */
export interface ClientEncodedPart {
  readonly encoding: PartEncoding;
  /** Without a header: one septet an octet for `gsm7`, UTF-16BE for `ucs2`. */
  readonly octets: Uint8Array;
  /** The header before the octets. It includes the place of the part in its long message. */
  readonly header: readonly InformationElement[];
  /** Reference of the long message. From sar_ parameters it may be longer than the one in the header. */
  readonly reference: number | null;
}

/** Octets ready to be sent: of a text that the gateway cut, or of a client-encoded part. */
export interface Composition extends Pick<Composed, 'numParts' | 'parts' | 'header'> {
  readonly encoding: PartEncoding;
  /** Absent if the gateway cut the text. */
  readonly clientEncoded?: { readonly reference: number | null };
}

/** A client-encoded part in its stored form. */
export interface StoredPart {
  readonly octets: Uint8Array;
  /** The header with its length octet; null for none. */
  readonly header: Uint8Array | null;
  readonly reference: number | null;
}

/** User data of one message (3GPP TS 23.040, section 9.2.3.24). */
const octetsMax = 140;

/** Octets of an element beside its data: id and length. */
const elementOverhead = 2;

/** Octets of a header with its length octet. A header never exceeds the room of one message. */
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

/** Makes a client-encoded part; refused if one message has no room for it. */
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

/** The stored form, beside the text. */
export function storeClientEncoded({ parts, header, clientEncoded }: Composition): StoredPart | undefined {
  const [octets] = parts;
  if (!clientEncoded || !octets) return undefined;
  return { octets, header: header.length === 0 ? null : buildHeader(header), reference: clientEncoded.reference };
}

/** Restores the stored form for sending. */
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

/** A key that is equal for two parts with the same content at the same place of a message, whatever their reference. */
export function clientEncodedContent({ parts, header }: Composition): string {
  const place = header.map((element) =>
    element.kind === 'concatenation'
      ? `${element.number}/${element.total}`
      : Buffer.from(buildHeader([element])).toString('hex'),
  );
  return `${place.join(' ')} ${Buffer.from(parts[0] ?? []).toString('hex')}`;
}

/** Octets with their header before them. */
export function joined(header: Uint8Array, octets: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(header.length + octets.length);
  bytes.set(header);
  bytes.set(octets, header.length);
  return bytes;
}
