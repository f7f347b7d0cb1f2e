/*
 * A client-encoded part: a part that a client cut or encoded itself. This file makes it, stores it, and restores it for
 * sending.
 */

import { buildHeader, capacity, parseHeader, type Composed, type InformationElement } from '@morsel/gsm';
import type { Rejection } from '../base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';

export type PartEncoding = Composed['encoding'] | 'binary';

/** A part, or binary octets, that the gateway sends unchanged and stores as a message of one part. */
export interface ClientEncodedPart {
  readonly encoding: PartEncoding;
  /** User data without the header: one septet in each octet for `gsm7`, UTF-16BE for `ucs2`. */
  readonly octets: Uint8Array;
  /** The user data header before the octets. It contains the number of the part in its long message. */
  readonly header: readonly InformationElement[];
  /** Reference number of the long message. From a sar_ parameter it may have 16 bits; the header has only 8. */
  readonly reference: number | null;
}

/** Parts that are ready to be sent: the parts of a text that the gateway cut, or one client-encoded part. */
export interface Composition extends Pick<Composed, 'numParts' | 'parts' | 'header'> {
  readonly encoding: PartEncoding;
  /** Only for a client-encoded part; absent if the gateway cut the text. */
  readonly clientEncoded?: { readonly reference: number | null };
}

/** What the store keeps of a client-encoded part. All members are null if the gateway cuts the text into parts. */
interface UserData {
  readonly octets: Uint8Array | null;
  /** The user data header with its length octet; null for no header. */
  readonly header: Uint8Array | null;
  readonly reference: number | null;
}

/** Most octets of user data in one short message (3GPP TS 23.040, section 9.2.3.24). */
const octetsMax = 140;

/** An information element has two octets before its data: its id and its length. */
const elementOverhead = 2;

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

/** Refuses a part if one short message has no room for it. */
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
  return `one short message has room for ${most} besides its header: send shorter parts, or send text without a header`;
}

const madeByTheGateway: UserData = { octets: null, header: null, reference: null };

export function userDataOf({ parts, header, clientEncoded }: Composition): UserData {
  const [octets] = parts;
  if (!clientEncoded || !octets) return madeByTheGateway;
  return { octets, header: header.length === 0 ? null : buildHeader(header), reference: clientEncoded.reference };
}

export function restoreClientEncoded(
  { header, reference }: Omit<UserData, 'octets'>,
  { octets, encoding }: { readonly octets: Uint8Array; readonly encoding: PartEncoding },
): Composition {
  const parsed = header && parseHeader(header);
  return {
    encoding,
    numParts: 1,
    parts: [octets],
    header: parsed?.ok ? parsed.elements : [],
    clientEncoded: { reference },
  };
}

/** A text that is equal for parts with the same content and number. The references of their messages may differ. */
export function clientEncodedContent({ parts, header }: Composition): string {
  const place = header.map((element) =>
    element.kind === 'concatenation'
      ? `${element.number}/${element.total}`
      : Buffer.from(buildHeader([element])).toString('hex'),
  );
  return `${place.join(' ')} ${Buffer.from(parts[0] ?? []).toString('hex')}`;
}

export function joined(...pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
