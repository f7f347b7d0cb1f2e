import type { Fault } from '@morsel/smpp';
import type { Delivery } from '../../../flow/routing/carrier-link.ts';

/** The most octets stored of a PDU: a deliver_sm without TLVs. A carrier's 200,000 unmatched receipts take 100 MB. */
const keptOctetsMax = 512;

/** Copies the octets, because they are a view of the socket's read buffer. */
export function keptOctets(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes.subarray(0, keptOctetsMax));
}

/** An unreadable PDU is stored for the operator and acknowledged, or the carrier would send it again and again. */
export function unreadableDelivery(bytes: Uint8Array): Delivery {
  const nothing = { carrierIds: [], state: null, isMarked: true, reason: null, code: null, sender: '', receiver: '' };
  return { kind: 'receipt', ...nothing, octets: keptOctets(bytes) };
}

/** The text never quotes the octets of the PDU. */
export function unreadableWords({ reason }: Fault): string {
  return `the carrier sent an unreadable PDU (${reason}): see receipt unmatched --why unreadable`;
}
