import { answers } from './magic/magic-answers.ts';
import { receipts } from './magic/magic-receipts.ts';
import type { InboundPlan } from './inbound.ts';
import type { Behaviour, MagicBehaviour } from './plans.ts';

/*
 * The table of all magic receivers. Also defines the magic receivers that reply.
 */

/** Magic receivers that send a reply after the message is delivered. */
const replies: Readonly<Record<string, MagicBehaviour>> = {
  '9960': repliesWith('', 'short'),
  '9961': repliesWith(' in two parts (UDH)', 'long'),
  '9962': repliesWith(' in UCS-2', 'ucs2'),
  '9885': repliesWith(' with a text that begins like a receipt', 'almost_receipt'),
  '9886': repliesWith(' in binary', 'binary'),
  '9887': repliesWith(' in a national alphabet (UDH)', 'national'),
  '9888': repliesWith(' with a message class (data_coding 0xF1)', 'class'),
  '9889': repliesWith(' in Latin-1', 'latin1'),
  '9890': repliesWith(' in packed septets', 'packed'),
  '9891': repliesWith(' in little-endian UCS-2', 'ucs2_little'),
  '9892': repliesWith(' in UCS-2 with a byte order mark', 'ucs2_bom'),
  '9893': repliesWith(' in three parts, the last one first, with a 16-bit reference (UDH)', 'disordered'),
  '9894': repliesWith(' in two parts (sar_ TLVs)', 'sar'),
  '9895': repliesWith(' with a long text in message_payload', 'payload'),
  '9896': repliesWith(' in two parts, but the second part never comes', 'incomplete'),
  '9897': repliesWith(' in two parts, the first part twice', 'part_twice'),
};

/**
 * All magic receivers: numbers whose last four digits select a behaviour that real carriers sometimes show. Magic
 * receivers work with any country code. Messages to other numbers are accepted and get a DELIVRD receipt.
 */
export const magic: Readonly<Record<string, MagicBehaviour>> = { ...receipts, ...answers, ...replies };

/** The behaviour for receivers that are not magic. */
export const ordinary: Behaviour = { receipts: [{ state: 'DELIVERED' }] };

const suffixDigits = 4;

/** Returns the behaviour for a magic receiver; undefined for other receivers. */
export function magicOf(destination: string): MagicBehaviour | undefined {
  const suffix = destination.slice(-suffixDigits);
  return Object.hasOwn(magic, suffix) ? magic[suffix] : undefined;
}

function repliesWith(how: string, inbound: InboundPlan): MagicBehaviour {
  return { about: `delivered, and the receiver replies${how}`, receipts: [{ state: 'DELIVERED' }], inbound };
}
