import type { MessageState } from './message-state.ts';
import { messageStateTable, stateOfNumber, stateOfStat } from './message-state.ts';
import type { PduOf } from '../codec/pdu.ts';
import { esmClass } from '../codec/pdu.ts';
import type { ReceiptText } from './receipt-text.ts';
import { parseReceiptText } from './receipt-text.ts';
import { readTlv } from '../codec/tlvs.ts';

/*
 * Reads the delivery receipt in a deliver_sm or data_sm, from its TLVs and its text.
 */

/** A delivery receipt (DLR). All strings are as the carrier sent them. */
export interface Receipt {
  /** receipted_message_id, or else the `id` of the text. Compare it by the carrier's rule for ids. */
  readonly id: string | undefined;
  /** The `id` of the text if it differs from `id`. Some carriers send one of the two in hexadecimal. */
  readonly textId: string | undefined;
  /** message_state, or else the state for the `stat` of the text. Undefined if neither is known. */
  readonly state: MessageState | undefined;
  /** No other receipt will follow. */
  readonly final: boolean;
  readonly statText: string | undefined;
  /** network_error_code in decimal, or the `err` of the text. The text wins if the TLV is 0. */
  readonly error: string | undefined;
  /** In the carrier's time zone and often wrong, so only for people to read. */
  readonly submitDate: string | undefined;
  readonly doneDate: string | undefined;
  /** What identified the PDU as a receipt. */
  readonly evidence: 'esm_class' | 'tlv' | 'text';
}

/** How many keys identify a text as a receipt. A known `stat` and a date must be among them. */
const keysMin = 4;

/**
 * The receipt in a PDU; undefined if the PDU is an inbound message.
 *
 * A PDU is a receipt if its esm_class says so; or if it has receipted_message_id and a known state; or if its text
 * has a known state, a date and at least two more keys of the standard. The text "id: please call me" is no receipt.
 * `id` and `state` are undefined if the receipt does not contain them.
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

/** A known `stat` wins over message_state 0: carriers send 0, which 3.4 does not have, if they never set the field. */
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

/** A network type and a code of two octets (3.4 section 5.3.2.31), or three ASCII digits, or only the code. */
function readErrorCode(octets: Uint8Array): string | undefined {
  if (octets.length === 0 || octets.length > 3) return undefined;
  if (octets.length === 3 && octets.every((octet) => octet >= 0x30 && octet <= 0x39)) {
    return String.fromCharCode(...octets);
  }
  return String(octets.subarray(octets.length === 3 ? 1 : 0).reduce((sum, octet) => sum * 256 + octet, 0));
}
