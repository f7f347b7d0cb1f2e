import type { Fault } from '@morsel/smpp';
import type { Delivery } from '../../flow/message/receive.ts';

/**
 * The number of octets that are stored of an unreadable PDU. A whole deliver_sm without TLVs fits into this number of octets. The
 * 200,000 unmatched receipts that a carrier may have take at most 100 MB.
 */
const keptOctetsMax = 512;

/** The octets to store. Copies the octets, because the octets of a PDU are views of the read buffer. */
export function keptOctets(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes.subarray(0, keptOctetsMax));
}

/**
 * Makes an empty receipt from a deliver_sm or data_sm whose body cannot be read. The gateway stores the empty receipt for the
 * operator and acknowledges the PDU. Without an acknowledgement the carrier would send the PDU again and again.
 */
export function unreadableDelivery(bytes: Uint8Array): Delivery {
  const nothing = { id: '', state: null, errorCode: null, sender: '', receiver: '' };
  return { kind: 'receipt', ...nothing, octets: keptOctets(bytes) };
}

/**
 * The sentence that `carrier show` prints after an unreadable PDU. The sentence says what is wrong with the PDU, but quotes no
 * octet of the PDU.
 */
export function unreadableWords({ reason }: Fault): string {
  return `the carrier sent an unreadable PDU (${reason}): see receipt unmatched --why unreadable`;
}
