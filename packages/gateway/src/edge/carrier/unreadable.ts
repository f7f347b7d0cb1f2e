import type { Fault } from '@morsel/smpp';
import type { Delivery } from '../../flow/message/receive.ts';

/** Octets that are stored: a whole deliver_sm without TLVs. A carrier's 200,000 unmatched receipts take 100 MB. */
const keptOctetsMax = 512;

/** Copies the octets, which are views of the read buffer. */
export function keptOctets(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes.subarray(0, keptOctetsMax));
}

/** Stored for the operator, and acknowledged: otherwise the carrier would send the PDU again and again. */
export function unreadableDelivery(bytes: Uint8Array): Delivery {
  const nothing = { id: '', state: null, errorCode: null, sender: '', receiver: '' };
  return { kind: 'receipt', ...nothing, octets: keptOctets(bytes) };
}

/** Quotes no octet of the PDU. */
export function unreadableWords({ reason }: Fault): string {
  return `the carrier sent an unreadable PDU (${reason}): see receipt unmatched --why unreadable`;
}
