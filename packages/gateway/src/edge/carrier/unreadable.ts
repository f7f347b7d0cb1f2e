import type { Fault } from '@morsel/smpp';
import type { Delivery } from '../../flow/message/receive.ts';

/**
 * What is kept of a PDU that nobody could make sense of: more than all of a deliver_sm but its TLVs, and 100 MB for the
 * 200,000 unmatched receipts that a carrier may have.
 */
export const keptOctetsMax = 512;

/** The octets that are kept: copies, as those of a PDU are views of what was read. */
export function keptOctets(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes.subarray(0, keptOctetsMax));
}

/**
 * A deliver_sm or data_sm whose body cannot be read: kept as a receipt that says nothing, for a person to look at, so that the
 * carrier need not send it for ever (smpp-in-the-wild, 4 and 24).
 */
export function unreadableDelivery(bytes: Uint8Array): Delivery {
  const nothing = { id: '', state: null, errorCode: null, sender: '', receiver: '' };
  return { kind: 'receipt', ...nothing, octets: keptOctets(bytes) };
}

/** For `carrier show`; of the PDU it says only what was wrong with it. */
export function unreadableWords({ reason }: Fault): string {
  return `what it sent could not be read (${reason}): it is kept, see receipt unmatched --why unreadable`;
}
