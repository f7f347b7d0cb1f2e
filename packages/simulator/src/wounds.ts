import { COMMANDS, HEADER_LENGTH } from '@morsel/smpp';
import type { Tlv } from '@morsel/smpp';

/** What carriers do to a PDU that no encoder of ours would write (smpp-in-the-wild, 1 to 5). */

const NONSENSE = 'These are no octets of SMPP, and an answer they are not.\r\n';
const UNKNOWN_REQUEST = 0x00000999;
const UNKNOWN_RESPONSE = 0x80000999;
const LONG_ID = '7'.repeat(100);
const MIB = 1_048_576;

/** A PDU comes in, and what is sent in its place comes out. */
const WOUNDS = {
  /** The header alone. */
  no_body: headerOf,
  no_nul: (pdu: Buffer) => withLength(pdu.at(-1) === 0 ? pdu.subarray(0, -1) : pdu),
  /** Octets behind the fields that are no TLV: one more would be needed for its length. */
  trailing: (pdu: Buffer) => withLength(Buffer.concat([pdu, Uint8Array.of(0x14, 0x03, 0x00)])),
  /** A message_id longer than the standard's 64 characters. */
  long_id: (pdu: Buffer) => withLength(Buffer.concat([pdu.subarray(0, HEADER_LENGTH), Buffer.from(`${LONG_ID}\0`)])),
  /** Under the same sequence number. */
  twice: (pdu: Buffer) => Buffer.concat([pdu, pdu]),
  /** Before it an answer to a request that was never made. */
  stray_first: (pdu: Buffer) => Buffer.concat([withHeader(pdu, { sequence: 0x7ffffff0 }), pdu]),
  /** Before it a request and a response that are in no standard. */
  unknown_first: (pdu: Buffer) => {
    const bare = headerOf(pdu);
    return Buffer.concat([withHeader(bare, { id: UNKNOWN_REQUEST }), withHeader(bare, { id: UNKNOWN_RESPONSE }), pdu]);
  },
  wrong_kind: (pdu: Buffer) => withHeader(pdu, { id: COMMANDS.cancel_sm_resp.id }),
  nack: (pdu: Buffer) => withHeader(headerOf(pdu), { id: COMMANDS.generic_nack.id }),
  nack_zero: (pdu: Buffer) => withHeader(headerOf(pdu), { id: COMMANDS.generic_nack.id, sequence: 0 }),
  /** command_length is less than a header's, and more than any PDU's. */
  short_length: (pdu: Buffer) => withHeader(pdu, { length: 8 }),
  long_length: (pdu: Buffer) => withHeader(pdu, { length: MIB }),
  nonsense: () => Buffer.from(NONSENSE),
} as const satisfies Record<string, (pdu: Buffer) => Buffer>;

export type Wound = keyof typeof WOUNDS;

const NAMES: readonly Wound[] = Object.keys(WOUNDS).filter((name): name is Wound => name in WOUNDS);

/** Of the tags that the standard reserves: no carrier gives it a meaning. */
const MARK_TAG = 0x3ffd;
const MARK_OCTETS = 5;
/** Its tag, and its length of one octet. */
const MARK_HEAD = MARK_TAG * 0x10000 + 1;

/** For a PDU that is to leave wounded: its last TLV, which says how, and which never leaves. */
export function markOf(wound: Wound): Tlv {
  return { tag: MARK_TAG, value: Uint8Array.of(NAMES.indexOf(wound)) };
}

/** Is there a mark at the end of the PDU from `at` to `end`? */
export function isMarked(bytes: Buffer, at: number, end: number): boolean {
  return end - at >= HEADER_LENGTH + MARK_OCTETS && bytes.readUInt32BE(end - MARK_OCTETS) === MARK_HEAD;
}

/** What is sent in place of a marked PDU. */
export function wounded(pdu: Buffer): Buffer {
  const at = pdu.length - MARK_OCTETS;
  const name = NAMES[pdu[pdu.length - 1] ?? NAMES.length];
  return name === undefined ? pdu : WOUNDS[name](withLength(pdu.subarray(0, at)));
}

function headerOf(pdu: Buffer): Buffer {
  return withLength(pdu.subarray(0, HEADER_LENGTH));
}

/** A copy whose command_length is right. */
function withLength(pdu: Buffer): Buffer {
  return withHeader(pdu, { length: pdu.length });
}

function withHeader(
  pdu: Buffer,
  { length, id, sequence }: { readonly length?: number; readonly id?: number; readonly sequence?: number },
): Buffer {
  const copy = Buffer.from(pdu);
  if (length !== undefined) copy.writeUInt32BE(length, 0);
  if (id !== undefined) copy.writeUInt32BE(id, 4);
  if (sequence !== undefined) copy.writeUInt32BE(sequence, 12);
  return copy;
}
