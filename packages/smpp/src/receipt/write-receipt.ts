import { type MessageState, messageStateTable } from './message-state.ts';
import { type Tlv, type Tlvs, esmClass } from '../codec/pdu.ts';
import { writeTlv } from '../codec/tlvs.ts';

/*
 * Writes delivery receipts with both a text and TLVs.
 */

/** The contents of a receipt to write. */
export interface ReceiptToWrite {
  readonly id: string;
  readonly state: MessageState;
  readonly submittedAtMs: number;
  readonly doneAtMs: number;
  /** The `err` in the text of the receipt: three characters. Default: `000`. */
  readonly error?: string;
  /** The value of the TLV network_error_code (3.4 section 5.3.2.31). Default: the receipt has no network_error_code. */
  readonly networkError?: { readonly type: number; readonly code: number };
  /**
   * The numbers of submitted and delivered parts. Default: one submitted part, which counts as delivered if the state
   * is DELIVERED.
   */
  readonly parts?: { readonly submitted: number; readonly delivered: number };
  /** The text of the message. The receipt quotes the first 20 octets of the message's text. */
  readonly text?: Uint8Array;
}

const textOctets = 20;

/**
 * Returns the fields of a deliver_sm for a receipt: the text of 3.4 appendix B with dates in UTC, and TLVs with the
 * same content. If the state is not final, the esm_class says intermediate notification. Throws EncodeError for an id
 * over 64 characters.
 */
export function writeReceipt(receipt: ReceiptToWrite): {
  esm_class: number;
  short_message: Uint8Array;
  tlvs: Tlvs;
} {
  const { value, stat, final } = messageStateTable[receipt.state];
  const parts = receipt.parts ?? { submitted: 1, delivered: receipt.state === 'DELIVERED' ? 1 : 0 };
  const head =
    `id:${receipt.id} sub:${threeDigits(parts.submitted)} dlvrd:${threeDigits(parts.delivered)}` +
    ` submit date:${formatDate(receipt.submittedAtMs)} done date:${formatDate(receipt.doneAtMs)}` +
    ` stat:${stat} err:${receipt.error ?? '000'} text:`;
  const tlvs: Tlv[] = [writeTlv('receipted_message_id', receipt.id), writeTlv('message_state', value)];
  if (receipt.networkError !== undefined) {
    const { type, code } = receipt.networkError;
    tlvs.push(writeTlv('network_error_code', Uint8Array.of(type, code >> 8, code & 0xff)));
  }
  return {
    esm_class: final ? esmClass.receipt : esmClass.intermediate,
    short_message: Buffer.concat([
      Buffer.from(head, 'latin1'),
      (receipt.text ?? new Uint8Array(0)).subarray(0, textOctets),
    ]),
    tlvs,
  };
}

function threeDigits(count: number): string {
  return String(count).padStart(3, '0');
}

/** Formats a date as YYMMDDhhmm in UTC. */
function formatDate(atMs: number): string {
  const iso = new Date(atMs).toISOString();
  return iso.slice(2, 4) + iso.slice(5, 7) + iso.slice(8, 10) + iso.slice(11, 13) + iso.slice(14, 16);
}
