import { commands, headerLength, type Tlv } from '@morsel/smpp';

/*
 * Damages PDUs in the ways that some carriers do. Our encoder writes only correct PDUs. Therefore a PDU to damage is
 * encoded with a mark, and damaged just before it is written to the socket.
 */

const nonsense = 'This is plain text and not an SMPP answer.\r\n';
const unknownRequest = 0x00000999;
const unknownResponse = 0x80000999;
const longId = '7'.repeat(100);
const mib = 1_048_576;

/** Each function takes a PDU and returns the octets to send instead. */
const wounds = {
  /** The PDU has only a header. */
  no_body: headerOf,
  no_nul: (pdu: Buffer) => withLength(pdu.at(-1) === 0 ? pdu.subarray(0, -1) : pdu),
  /** The PDU ends with an incomplete TLV: the second octet of the TLV's length is missing. */
  trailing: (pdu: Buffer) => withLength(Buffer.concat([pdu, Uint8Array.of(0x14, 0x03, 0x00)])),
  /** The message_id is longer than the 64 characters of the standard. */
  long_id: (pdu: Buffer) => withLength(Buffer.concat([pdu.subarray(0, headerLength), Buffer.from(`${longId}\0`)])),
  /** The PDU is sent twice with the same sequence number. */
  twice: (pdu: Buffer) => Buffer.concat([pdu, pdu]),
  /** Before the PDU, the simulator sends an answer to a request that was never sent. */
  stray_first: (pdu: Buffer) => Buffer.concat([withHeader(pdu, { sequence: 0x7ffffff0 }), pdu]),
  /** Before the PDU, the simulator sends a request and a response that no version of SMPP defines. */
  unknown_first: (pdu: Buffer) => {
    const bare = headerOf(pdu);
    return Buffer.concat([withHeader(bare, { id: unknownRequest }), withHeader(bare, { id: unknownResponse }), pdu]);
  },
  wrong_kind: (pdu: Buffer) => withHeader(pdu, { id: commands.cancel_sm_resp.id }),
  nack: (pdu: Buffer) => withHeader(headerOf(pdu), { id: commands.generic_nack.id }),
  nack_zero: (pdu: Buffer) => withHeader(headerOf(pdu), { id: commands.generic_nack.id, sequence: 0 }),
  /** The command_length is shorter than a header (`short_length`) or longer than any PDU (`long_length`). */
  short_length: (pdu: Buffer) => withHeader(pdu, { length: 8 }),
  long_length: (pdu: Buffer) => withHeader(pdu, { length: mib }),
  nonsense: () => Buffer.from(nonsense),
} as const satisfies Record<string, (pdu: Buffer) => Buffer>;

export type Wound = keyof typeof wounds;

const names: readonly Wound[] = Object.keys(wounds).filter((name): name is Wound => name in wounds);

/** The tag of the mark. The standard reserves this tag, so no carrier uses it. */
const markTag = 0x3ffd;
const markOctets = 5;
/** The first four octets of the mark: its tag, and its length of 1. */
const markHead = markTag * 0x10000 + 1;

/**
 * Returns the mark of a PDU to damage. The mark is the last TLV of the PDU; its value selects the damage. The mark is
 * removed before the PDU is sent.
 */
export function markOf(wound: Wound): Tlv {
  return { tag: markTag, value: Uint8Array.of(names.indexOf(wound)) };
}

/** Whether the PDU between `at` and `end` has a mark. */
export function isMarked(bytes: Buffer, at: number, end: number): boolean {
  return end - at >= headerLength + markOctets && bytes.readUInt32BE(end - markOctets) === markHead;
}

/** Returns the octets to send instead of a marked PDU. */
export function wounded(pdu: Buffer): Buffer {
  const at = pdu.length - markOctets;
  const name = names[pdu[pdu.length - 1] ?? names.length];
  return name === undefined ? pdu : wounds[name](withLength(pdu.subarray(0, at)));
}

function headerOf(pdu: Buffer): Buffer {
  return withLength(pdu.subarray(0, headerLength));
}

/** Returns a copy of the PDU with the correct command_length. */
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
