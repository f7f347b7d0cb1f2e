import type { Decoded, Frame } from '../../src/index.ts';
import { decode, Framer, readReceipt } from '../../src/index.ts';
import type { Decode } from './fuzz-codec.ts';
import { codecTarget } from './fuzz-codec.ts';
import type { FramerLike } from './fuzz-framer.ts';
import { framerTarget } from './fuzz-framer.ts';
import type { ReadReceipt } from './fuzz-receipt.ts';
import { receiptTarget } from './fuzz-receipt.ts';
import type { Target } from './target.ts';

/** What there is to fuzz; and each of it a little wrong, so that the fuzz can be seen to look. */

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

/** `>=` for `>` where a length is compared with the longest: the longest PDU of all is refused. */
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

/** The length of a TLV read as a signed number: from 0x8000 it is below 0, and the TLV and all behind it are lost. */
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

/** Where a text begins with err, stat and id in this order, the error is taken from the stat. */
const readWrongly: ReadReceipt = (pdu) => {
  const receipt = readReceipt(pdu);
  const text = Buffer.from(pdu.short_message).toString('latin1');
  const isRare = /^err:\S* stat:\S* id:/.test(text);
  return receipt && isRare ? { ...receipt, error: receipt.statText } : receipt;
};
