import type { MessageState } from './message-state.ts';
import { messageStateTable, stateOfNumber, stateOfStat } from './message-state.ts';
import type { PduOf } from '../codec/pdu.ts';
import type { ReceiptText } from './receipt-text.ts';
import { parseReceiptText } from './receipt-text.ts';
import { readTlv } from '../codec/tlvs.ts';

/** What a carrier says became of a message. All strings are as they were sent. */
export interface Receipt {
  /** receipted_message_id, or else the text's id. Compare it under the carrier's id rule. */
  readonly id: string | undefined;
  /** The text's id when it is another than `id`: carriers send one of them in hexadecimal. */
  readonly textId: string | undefined;
  /** message_state, or else what the text's stat means; undefined when neither says anything that we know. */
  readonly state: MessageState | undefined;
  /** No other receipt has to follow. */
  readonly final: boolean;
  readonly statText: string | undefined;
  /** network_error_code in decimal, or the text's err; the TLV wins unless it is 0 and the text says something. */
  readonly error: string | undefined;
  /** In the carrier's own time zone, and often wrong: for the eye only. */
  readonly submitDate: string | undefined;
  readonly doneDate: string | undefined;
  /** What told that this is a receipt. */
  readonly evidence: 'esm_class' | 'tlv' | 'text';
}

/** Message type, bits 5 to 2 of esm_class (3.4 section 5.2.12). */
const typeMask = 0x3c;
const typeReceipt = 0x04;
const typeIntermediate = 0x20;
/** Keys that a text must have, a known stat and a date among them, to be taken for a receipt by itself. */
const keysMin = 4;

/**
 * The receipt in a PDU, or undefined for a message that a person sent.
 *
 * A receipt is told by esm_class; or by receipted_message_id with a state that we know; or by a text with a state that we
 * know, a date and at least two more of the standard's keys. "id: please call me" is none of these. A receipt that says
 * less than it should is a receipt all the same, with `id` or `state` undefined.
 */
export function readReceipt(pdu: PduOf<'deliver_sm' | 'data_sm'>): Receipt | undefined {
  const text = parseReceiptText(textOf(pdu));
  const stat = text.stat === undefined ? undefined : stateOfStat(text.stat);
  const tlvId = readTlv(pdu, 'receipted_message_id') || undefined;
  const state = stateOf(pdu, stat);
  const evidence = findEvidence(pdu, { text, stat, tlvId, state });
  if (evidence === undefined) return undefined;
  const id = tlvId ?? (text.id || undefined);
  const isIntermediate = (pdu.esm_class & typeMask) === typeIntermediate;
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

/** Of a message_state 0 (not in 3.4) next to a stat that we know, the stat is right: 0 is what a field never set holds. */
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
  const type = pdu.esm_class & typeMask;
  if (type === typeReceipt || type === typeIntermediate) return 'esm_class';
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

/** A network type and two octets of code (3.4 section 5.3.2.31); or three digits in ASCII; or the code alone. */
function readErrorCode(octets: Uint8Array): string | undefined {
  if (octets.length === 0 || octets.length > 3) return undefined;
  if (octets.length === 3 && octets.every((octet) => octet >= 0x30 && octet <= 0x39)) {
    return String.fromCharCode(...octets);
  }
  return String(octets.subarray(octets.length === 3 ? 1 : 0).reduce((sum, octet) => sum * 256 + octet, 0));
}
