import { answers } from './magic-answers.ts';
import { receipts } from './magic-receipts.ts';
import type { InboundPlan } from '../delivery/inbound.ts';
import type { Behaviour } from './plans.ts';

/** Receivers that are delivered and write back (smpp-in-the-wild, 13, 14 and 20). */
const replies: Readonly<Record<string, Behaviour>> = {
  '9960': writesBack('', 'short'),
  '9961': writesBack(' in two parts (UDH)', 'long'),
  '9962': writesBack(' in UCS-2', 'ucs2'),
  '9885': writesBack(' what begins as a receipt does', 'almost_receipt'),
  '9886': writesBack(' binary', 'binary'),
  '9887': writesBack(' with a national table (UDH)', 'national'),
  '9888': writesBack(' with a message class (data_coding 0xF1)', 'class'),
  '9889': writesBack(' in Latin-1', 'latin1'),
  '9890': writesBack(' in packed septets', 'packed'),
  '9891': writesBack(' in little-endian UCS-2', 'ucs2_little'),
  '9892': writesBack(' in UCS-2 with a byte order mark', 'ucs2_bom'),
  '9893': writesBack(' in three parts, the last first, with a 16-bit reference (UDH)', 'disordered'),
  '9894': writesBack(' in two parts (sar_ TLVs)', 'sar'),
  '9895': writesBack(' a long text in message_payload', 'payload'),
  '9896': writesBack(' in two parts, of which the second never comes', 'incomplete'),
  '9897': writesBack(' in two parts, the first of them twice', 'part_twice'),
};

/**
 * The receivers that make the simulator behave as carriers sometimes do, by the last four digits of their number, so that
 * they work behind any country code. Every other number is accepted and gets a DELIVRD receipt.
 */
export const magic: Readonly<Record<string, Behaviour>> = { ...receipts, ...answers, ...replies };

/** What happens to every number that is not in the table. */
export const ordinary: Behaviour = { about: 'accepted and delivered', receipts: [{ state: 'DELIVERED' }] };

const suffixDigits = 4;

/** The behaviour that a receiver asks for, if it is in the table. */
export function magicOf(destination: string): Behaviour | undefined {
  const suffix = destination.slice(-suffixDigits);
  return Object.hasOwn(magic, suffix) ? magic[suffix] : undefined;
}

function writesBack(how: string, inbound: InboundPlan): Behaviour {
  return { about: `delivered, and the receiver writes back${how}`, receipts: [{ state: 'DELIVERED' }], inbound };
}
