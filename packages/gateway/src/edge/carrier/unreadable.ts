import type { Fault } from '@morsel/smpp';
import type { Delivery } from '../../flow/message/receive.ts';

/**
 * Octets that are stored of an unreadable PDU. They hold a whole deliver_sm without its TLVs, and take 100 MB for the 200,000
 * unmatched receipts that a carrier may have.
 */
const keptOctetsMax = 512;

/** The octets to store. They are copied, because a PDU's octets are views of the read buffer. */
export function keptOctets(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes.subarray(0, keptOctetsMax));
}

/**
 * A deliver_sm or data_sm whose body cannot be read, as an empty receipt. It is stored for the operator to examine and then
 * acknowledged, so that the carrier does not send it again without limit.
 */
export function unreadableDelivery(bytes: Uint8Array): Delivery {
  const nothing = { id: '', state: null, errorCode: null, sender: '', receiver: '' };
  return { kind: 'receipt', ...nothing, octets: keptOctets(bytes) };
}

/** The sentence for `carrier show`. It says only what is wrong with the PDU, and quotes nothing of it. */
export function unreadableWords({ reason }: Fault): string {
  return `it sent an unreadable PDU (${reason}): see receipt unmatched --why unreadable`;
}
