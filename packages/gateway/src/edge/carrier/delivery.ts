import { readReceipt, readTlv } from '@morsel/smpp';
import type { PduOf, Receipt } from '@morsel/smpp';
import { isEnd } from '../../core/receipt.ts';
import type { CarrierState } from '../../core/receipt.ts';
import type { Delivery } from '../../flow/receive.ts';

/** Types of number (SMPP 3.4, 5.2.5) that are not international numbers whatever their length. */
const tonNetworkSpecific = 3;
const tonAlphanumeric = 5;
const tonAbbreviated = 6;
const tonInternational = 1;

const shortCodeMax = 8;

/** `err:000` and its kin say that there was no error. */
const noError = /^0*$/;

/** What a deliver_sm or data_sm of a carrier is. A receipt is never taken for a message, nor the reverse (O4). */
export function readDelivery(pdu: PduOf<'deliver_sm' | 'data_sm'>): Delivery {
  const source = readAddress(pdu.source_addr, pdu.source_addr_ton);
  const destination = readAddress(pdu.destination_addr, pdu.dest_addr_ton);
  const receipt = readReceipt(pdu);
  if (receipt) {
    // A receipt goes from the phone back to the sender.
    return {
      kind: 'receipt',
      id: receipt.id ?? '',
      state: stateOf(receipt),
      errorCode: noError.test(receipt.error ?? '') ? null : (receipt.error ?? null),
      sender: destination,
      receiver: source,
    };
  }
  const octets = pdu.command === 'deliver_sm' && pdu.short_message.length > 0 ? pdu.short_message : payloadOf(pdu);
  return {
    kind: 'inbound',
    sender: source,
    receiver: destination,
    dataCoding: pdu.data_coding,
    esmClass: pdu.esm_class,
    // The PDU's octets are views of what was read; the command outlives the read.
    octets: Uint8Array.from(octets),
  };
}

/** An intermediate notification may name any state: only a final receipt ends a part (SMPP 3.4, 5.2.12). */
function stateOf(receipt: Receipt): CarrierState | null {
  if (receipt.state === undefined) return null;
  return receipt.final || !isEnd(receipt.state) ? receipt.state : 'ENROUTE';
}

function payloadOf(pdu: PduOf<'deliver_sm' | 'data_sm'>): Uint8Array {
  return readTlv(pdu, 'message_payload') ?? new Uint8Array();
}

/** A carrier's address in the form in which we keep ours: `+` and digits, a short code, or a name. */
export function readAddress(address: string, ton: number): string {
  const digits = address.replace(/^\+|^00(?=\d{7})/, '');
  if (ton === tonAlphanumeric || !/^\d+$/.test(digits)) return address;
  if (ton === tonNetworkSpecific || ton === tonAbbreviated) return digits;
  return ton === tonInternational || digits.length > shortCodeMax ? `+${digits}` : digits;
}
