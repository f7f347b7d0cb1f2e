import { commands, headerLength } from '@morsel/smpp';
import type { Tlv } from '@morsel/smpp';

/** What carriers do to a PDU that no encoder of ours would write (smpp-in-the-wild, 1 to 5). */

const nonsense = 'These are no octets of SMPP, and an answer they are not.\r\n';
const unknownRequest = 0x00000999;
const unknownResponse = 0x80000999;
const longId = '7'.repeat(100);
const mib = 1_048_576;

/** A PDU comes in, and what is sent in its place comes out. */
const wounds = {
  /** The header alone. */
  no_body: headerOf,
  no_nul: (pdu: Buffer) => withLength(pdu.at(-1) === 0 ? pdu.subarray(0, -1) : pdu),
  /** Octets behind the fields that are no TLV: one more would be needed for its length. */
  trailing: (pdu: Buffer) => withLength(Buffer.concat([pdu, Uint8Array.of(0x14, 0x03, 0x00)])),
  /** A message_id longer than the standard's 64 characters. */
  long_id: (pdu: Buffer) => withLength(Buffer.concat([pdu.subarray(0, headerLength), Buffer.from(`${longId}\0`)])),
  /** Under the same sequence number. */
  twice: (pdu: Buffer) => Buffer.concat([pdu, pdu]),
  /** Before it an answer to a request that was never made. */
  stray_first: (pdu: Buffer) => Buffer.concat([withHeader(pdu, { sequence: 0x7ffffff0 }), pdu]),
  /** Before it a request and a response that are in no standard. */
  unknown_first: (pdu: Buffer) => {
    const bare = headerOf(pdu);
    return Buffer.concat([withHeader(bare, { id: unknownRequest }), withHeader(bare, { id: unknownResponse }), pdu]);
  },
  wrong_kind: (pdu: Buffer) => withHeader(pdu, { id: commands.cancel_sm_resp.id }),
  nack: (pdu: Buffer) => withHeader(headerOf(pdu), { id: commands.generic_nack.id }),
  nack_zero: (pdu: Buffer) => withHeader(headerOf(pdu), { id: commands.generic_nack.id, sequence: 0 }),
  /** command_length is less than a header's, and more than any PDU's. */
  short_length: (pdu: Buffer) => withHeader(pdu, { length: 8 }),
  long_length: (pdu: Buffer) => withHeader(pdu, { length: mib }),
  nonsense: () => Buffer.from(nonsense),
} as const satisfies Record<string, (pdu: Buffer) => Buffer>;

export type Wound = keyof typeof wounds;

const names: readonly Wound[] = Object.keys(wounds).filter((name): name is Wound => name in wounds);

/** Of the tags that the standard reserves: no carrier gives it a meaning. */
const markTag = 0x3ffd;
const markOctets = 5;
/** Its tag, and its length of one octet. */
const markHead = markTag * 0x10000 + 1;

/** For a PDU that is to leave wounded: its last TLV, which says how, and which never leaves. */
export function markOf(wound: Wound): Tlv {
  return { tag: markTag, value: Uint8Array.of(names.indexOf(wound)) };
}

/** Is there a mark at the end of the PDU from `at` to `end`? */
export function isMarked(bytes: Buffer, at: number, end: number): boolean {
  return end - at >= headerLength + markOctets && bytes.readUInt32BE(end - markOctets) === markHead;
}

/** What is sent in place of a marked PDU. */
export function wounded(pdu: Buffer): Buffer {
  const at = pdu.length - markOctets;
  const name = names[pdu[pdu.length - 1] ?? names.length];
  return name === undefined ? pdu : wounds[name](withLength(pdu.subarray(0, at)));
}

function headerOf(pdu: Buffer): Buffer {
  return withLength(pdu.subarray(0, headerLength));
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
