import { readReceipt, readTlv, type PduOf, type Receipt } from '@morsel/smpp';
import type { Delivery } from '../../../flow/routing/carrier-link.ts';

/* Examines which fields of a carrier's receipts hold the message id, the state and the error code. */

/** The form of one receipt. */
// A type, because an interface does not fit `ReceiptDialect`.
// oxlint-disable-next-line typescript/consistent-type-definitions
export type SmppDialect = {
  /** Where the receipt has the id of the message; `differ` means in TLV and text, but in different forms. */
  readonly idIn: 'tlv' | 'text' | 'both' | 'differ' | 'none';
  readonly stateIn: 'tlv' | 'text' | 'both' | 'none';
  /** How a PDU is marked as a receipt; `tlv` or `text` only if its esm_class does not mark it. */
  readonly markedBy: 'esm_class' | 'tlv' | 'text';
  readonly dates: '10' | '12' | '14' | 'other' | 'none';
  readonly error: 'three digits' | 'four digits' | 'digits' | 'hexadecimal' | 'network_error_code' | 'other' | 'none';
  readonly command: 'deliver_sm' | 'data_sm';
};

/** So many receipts of each carrier are examined after a start. They are few, because each is parsed twice. */
const firstMax = 20;

/** Later, one of so many receipts is examined, to notice when a carrier changes the form of its receipts. */
const laterEvery = 1_000;

export class DialectLooks {
  readonly #seen = new Map<number, number>();

  /** Adds the form of the receipt to the delivery if this receipt is to be examined. */
  add(carrier: number, pdu: PduOf<'deliver_sm' | 'data_sm'>, delivery: Delivery): Delivery {
    if (delivery.kind !== 'receipt') return delivery;
    const seen = (this.#seen.get(carrier) ?? 0) + 1;
    this.#seen.set(carrier, seen);
    if (seen > firstMax && seen % laterEvery !== 0) return delivery;
    const dialect = dialectOf(pdu);
    return dialect ? { ...delivery, dialect } : delivery;
  }
}

/** Returns undefined if the PDU is not a receipt. */
export function dialectOf(pdu: PduOf<'deliver_sm' | 'data_sm'>): SmppDialect | undefined {
  const receipt = readReceipt(pdu);
  if (!receipt) return undefined;
  return {
    idIn: idInOf(pdu, receipt),
    stateIn: stateInOf(pdu, receipt),
    markedBy: receipt.evidence,
    dates: datesOf(receipt),
    error: errorOf(pdu, receipt),
    command: pdu.command,
  };
}

type Pdu = PduOf<'deliver_sm' | 'data_sm'>;

function idInOf(pdu: Pdu, receipt: Receipt): SmppDialect['idIn'] {
  if (receipt.id === undefined) return 'none';
  if (!readTlv(pdu, 'receipted_message_id')) return 'text';
  if (receipt.textId !== undefined) return 'differ';
  return hasTextId(pdu, receipt.id) ? 'both' : 'tlv';
}

/** Searches the text for the TLV's id: `readReceipt` returns the text's id only if it differs from the TLV's id. */
function hasTextId(pdu: Pdu, id: string): boolean {
  const octets =
    pdu.command === 'deliver_sm' && pdu.short_message.length > 0
      ? pdu.short_message
      : (readTlv(pdu, 'message_payload') ?? new Uint8Array());
  const text = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('latin1');
  return text.replaceAll('\0', '').toLowerCase().includes(`id:${id.toLowerCase()}`);
}

function stateInOf(pdu: Pdu, receipt: Receipt): SmppDialect['stateIn'] {
  const hasTlv = readTlv(pdu, 'message_state') !== undefined;
  const hasText = receipt.statText !== undefined && receipt.statText !== '';
  if (hasTlv && hasText) return 'both';
  return hasTlv ? 'tlv' : hasText ? 'text' : 'none';
}

function datesOf({ doneDate, submitDate }: Receipt): SmppDialect['dates'] {
  const date = doneDate || submitDate;
  if (!date) return 'none';
  if (!/^\d+$/.test(date)) return 'other';
  const length = String(date.length);
  return length === '10' || length === '12' || length === '14' ? length : 'other';
}

function errorOf(pdu: Pdu, { error }: Receipt): SmppDialect['error'] {
  if (readTlv(pdu, 'network_error_code') !== undefined) return 'network_error_code';
  if (error === undefined || error === '') return 'none';
  if (/^\d{3}$/.test(error)) return 'three digits';
  if (/^\d{4}$/.test(error)) return 'four digits';
  if (/^\d+$/.test(error)) return 'digits';
  return /^[\da-f]+$/i.test(error) ? 'hexadecimal' : 'other';
}
