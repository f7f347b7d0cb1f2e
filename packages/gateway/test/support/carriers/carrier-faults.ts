import { writeTlv, type PduOf } from '@morsel/smpp';
import type { Behaviour, ReceiptPlan } from '@morsel/simulator';

/*
 * Faults of carriers that only tests need, by the last four digits of the receiver, beside the endings of the simulator:
 * an answer that no encoder writes, and rare forms of receipts and ids.
 */

const delivered: readonly ReceiptPlan[] = [{ state: 'DELIVERED' }];
const zerosDigits = 20;
const none = new Uint8Array();

const faults: Readonly<Record<string, Behaviour>> = {
  // The answer is no SMPP.
  '9948': { answer: { octets: () => Buffer.from('This is no SMPP answer.\r\n') }, receipts: [] },
  // The receipt has TLVs only; text only; comes as data_sm; has text only and esm_class 0; has its addresses not swapped.
  '9918': rewritten((receipt) => ({ ...receipt, short_message: none })),
  '9919': rewritten((receipt) => ({ ...receipt, tlvs: [] })),
  '9920': rewritten(({ short_message = none, tlvs = [], ...receipt }) => ({
    ...receipt,
    command: 'data_sm',
    tlvs: [...tlvs, writeTlv('message_payload', Uint8Array.from(short_message))],
  })),
  '9921': rewritten((receipt) => ({ ...receipt, tlvs: [], esm_class: 0 })),
  '9922': rewritten((receipt) => ({
    ...receipt,
    source_addr_ton: receipt.dest_addr_ton ?? 0,
    source_addr: receipt.destination_addr ?? '',
    dest_addr_ton: receipt.source_addr_ton ?? 0,
    destination_addr: receipt.source_addr ?? '',
  })),
  // The id has leading zeros in the answer, and none in the receipt.
  '9923': { answer: { spell: (id) => String(id).padStart(zerosDigits, '0') }, receipts: delivered },
};

/** Returns the fault that the simulator shows for a message; for its option `behaviourOf`. */
export function faultOf({ destination_addr }: PduOf<'submit_sm' | 'data_sm'>): Behaviour | undefined {
  return faults[destination_addr.slice(-4)];
}

function rewritten(rewrite: NonNullable<ReceiptPlan['rewrite']>): Behaviour {
  return { receipts: [{ state: 'DELIVERED', rewrite }] };
}
