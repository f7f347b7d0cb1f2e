import { type Decoded, type Frame, decode, Framer, readReceipt } from '../../src/index.ts';
import { type Decode, codecTarget } from './fuzz-codec.ts';
import { type FramerLike, framerTarget } from './fuzz-framer.ts';
import { type ReadReceipt, receiptTarget } from './fuzz-receipt.ts';
import type { Target } from './target.ts';

/*
 * The targets of the fuzzer, and a planted bug for each, which shows that the fuzzer finds bugs.
 */

export const targets = ['framer', 'codec', 'receipt'] as const;
export type TargetName = (typeof targets)[number];

export function targetOf(name: TargetName, isPlanted: boolean): Target {
  switch (name) {
    case 'framer':
      return framerTarget(isPlanted ? openWrongFramer : () => new Framer());
    case 'codec':
      return codecTarget(isPlanted ? decodeWrongly : decode);
    case 'receipt':
      return receiptTarget(isPlanted ? readWrongly : readReceipt);
  }
}

const longest = 65_536;

/** Compares a length with `>=` instead of `>`, so that the longest PDU is refused. */
function openWrongFramer(): FramerLike {
  const framer = new Framer();
  return {
    get heldOctets() {
      return framer.heldOctets;
    },
    push: (chunk) => framer.push(chunk).map(refuseLongest),
  };
}

function refuseLongest(frame: Frame): Frame {
  if ('fault' in frame || frame.bytes.length !== longest) return frame;
  const kind = 'command_length';
  return { fault: { kind, command_status: 2, command_id: 0, sequence_number: 0, reason: `${kind} is too long` } };
}

/** Reads a TLV's length as a signed number. From 0x8000 on it is negative, so this TLV and all later ones are lost. */
const decodeWrongly: Decode = (bytes): Decoded => {
  const decoded = decode(bytes);
  if (!decoded.ok) return decoded;
  const { tlvs } = decoded.pdu;
  const at = tlvs.findIndex(({ value }) => value.length >= 0x8000);
  if (at === -1) return decoded;
  const lost = tlvs.slice(at).reduce((sum, { value }) => sum + 4 + value.length, 0);
  const oddities = [...decoded.oddities, `${lost} octets at the end are no TLV`];
  return { ok: true, pdu: { ...decoded.pdu, tlvs: tlvs.slice(0, at) }, oddities };
};

/** Takes the error from `stat` if a text begins with the keys err, stat and id in this order. */
const readWrongly: ReadReceipt = (pdu) => {
  const receipt = readReceipt(pdu);
  const text = Buffer.from(pdu.short_message).toString('latin1');
  const isRare = /^err:\S* stat:\S* id:/.test(text);
  return receipt && isRare ? { ...receipt, error: receipt.statText } : receipt;
};
