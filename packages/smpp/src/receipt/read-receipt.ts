import { type MessageState, messageStateTable, stateOfNumber, stateOfStat } from './message-state.ts';
import { type PduOf, esmClass } from '../codec/pdu.ts';
import { type ReceiptText, parseReceiptText } from './receipt-text.ts';
import { readTlv } from '../codec/tlvs.ts';

/*
 * Reads the delivery receipt in a deliver_sm or data_sm, from its TLVs and its text.
 */

/** A delivery receipt (DLR). The strings of the receipt are unchanged from the carrier's PDU. */
export interface Receipt {
  /**
   * The message id: the TLV receipted_message_id, or the `id` in the text. Compare message ids by the carrier's rule
   * for ids.
   */
  readonly id: string | undefined;
  /**
   * The `id` in the text, if it differs from the TLV receipted_message_id. Some carriers send the id in decimal in the
   * text and in hexadecimal in the TLV, or the reverse.
   */
  readonly textId: string | undefined;
  /**
   * The state from the TLV message_state, or from the `stat` in the text. The state is undefined if neither the TLV nor
   * the text contains a known state.
   */
  readonly state: MessageState | undefined;
  /** True if this is the last receipt of the message. */
  readonly final: boolean;
  readonly statText: string | undefined;
  /**
   * The error code: the TLV network_error_code in decimal, or the `err` in the text. If the TLV is 0, the `err` in the
   * text is used.
   */
  readonly error: string | undefined;
  /**
   * The `submit date` in the text. Use this date only to show it to people, because the carrier's time zone is unknown
   * and the date is often wrong.
   */
  readonly submitDate: string | undefined;
  readonly doneDate: string | undefined;
  /** Which part of the PDU shows that it is a receipt. */
  readonly evidence: 'esm_class' | 'tlv' | 'text';
}

/**
 * The least number of keys of the standard in the text of a receipt. A known `stat` and a date must be among the keys.
 */
const keysMin = 4;

/**
 * Returns the receipt in a PDU; undefined if the PDU is an inbound message.
 *
 * A PDU is a receipt if its esm_class marks a receipt, or if it has the TLV receipted_message_id and a known state. A
 * PDU is also a receipt if its text has a known state, a date and at least two more keys of the standard. The text "id:
 * please call me" is therefore an inbound message, not a receipt. In a receipt without an id or a state, `id` or
 * `state` is undefined.
 */
export function readReceipt(pdu: PduOf<'deliver_sm' | 'data_sm'>): Receipt | undefined {
  const text = parseReceiptText(textOf(pdu));
  const stat = text.stat === undefined ? undefined : stateOfStat(text.stat);
  const tlvId = readTlv(pdu, 'receipted_message_id') || undefined;
  const state = stateOf(pdu, stat);
  const evidence = findEvidence(pdu, { text, stat, tlvId, state });
  if (evidence === undefined) return undefined;
  const id = tlvId ?? (text.id || undefined);
  const isIntermediate = (pdu.esm_class & esmClass.typeMask) === esmClass.intermediate;
  return {
    id,
    textId: text.id === id ? undefined : text.id || undefined,
    state,
    final: state !== undefined && messageStateTable[state].final && !isIntermediate,
    statText: text.stat,
    error: errorOf(pdu, text.err),
    submitDate: text.submitDate,
    doneDate: text.doneDate,
    evidence,
  };
}

function textOf(pdu: PduOf<'deliver_sm' | 'data_sm'>): Uint8Array {
  const shortMessage = pdu.command === 'deliver_sm' ? pdu.short_message : undefined;
  if (shortMessage !== undefined && shortMessage.length > 0) return shortMessage;
  return readTlv(pdu, 'message_payload') ?? new Uint8Array(0);
}

/**
 * If message_state is 0, a known `stat` is used instead. SMPP 3.4 does not define message_state 0, but carriers that
 * never set the field send 0.
 */
function stateOf(pdu: PduOf<'deliver_sm' | 'data_sm'>, stat: MessageState | undefined): MessageState | undefined {
  const number = readTlv(pdu, 'message_state');
  if (number === undefined || (number === 0 && stat !== undefined)) return stat;
  return stateOfNumber(number) ?? stat;
}

interface Signs {
  readonly text: ReceiptText;
  readonly stat: MessageState | undefined;
  readonly tlvId: string | undefined;
  readonly state: MessageState | undefined;
}

function findEvidence(pdu: { readonly esm_class: number }, signs: Signs): Receipt['evidence'] | undefined {
  const type = pdu.esm_class & esmClass.typeMask;
  if (type === esmClass.receipt || type === esmClass.intermediate) return 'esm_class';
  if (signs.tlvId !== undefined && signs.state !== undefined) return 'tlv';
  const keys = Object.values(signs.text).filter((value) => value !== undefined);
  const hasDate = isDate(signs.text.submitDate) || isDate(signs.text.doneDate);
  return signs.stat !== undefined && hasDate && keys.length >= keysMin ? 'text' : undefined;
}

function isDate(text: string | undefined): boolean {
  return text !== undefined && /^\d{10}/.test(text);
}

function errorOf(pdu: PduOf<'deliver_sm' | 'data_sm'>, err: string | undefined): string | undefined {
  const code = readTlv(pdu, 'network_error_code');
  const error = code === undefined ? undefined : readErrorCode(code);
  return error === undefined || (/^0+$/.test(error) && err) ? err || undefined : error;
}

/**
 * Reads the three formats of network_error_code: a network type and a code of two octets (3.4 section 5.3.2.31), three
 * ASCII digits, or only a code.
 */
function readErrorCode(octets: Uint8Array): string | undefined {
  if (octets.length === 0 || octets.length > 3) return undefined;
  if (octets.length === 3 && octets.every((octet) => octet >= 0x30 && octet <= 0x39)) {
    return String.fromCharCode(...octets);
  }
  return String(octets.subarray(octets.length === 3 ? 1 : 0).reduce((sum, octet) => sum * 256 + octet, 0));
}
