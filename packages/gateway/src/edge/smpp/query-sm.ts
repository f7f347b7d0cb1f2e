import { formatAbsoluteTime, messageStateTable, type PduOf, type ResponseFields } from '@morsel/smpp';
import { isFinal } from '../../core/base/message.ts';
import type { MessageStanding } from '../../flow/message/report.ts';
import { messageStates } from './message-states.ts';
import { readReceiver, readSender } from './read-address.ts';

/** SCHEDULED came with SMPP 5.0. */
const interfaceVersion50 = 0x50;

const octetMax = 0xff;

/** The fields of query_sm_resp, for a client that bound with this interface_version. */
export function queryAnswer(messageId: string, standing: MessageStanding, version: number): ResponseFields {
  const { event, eventAt, errorCode } = standing;
  const state = event === 'scheduled' && version < interfaceVersion50 ? 'ENROUTE' : messageStates[event];
  return {
    message_id: messageId,
    final_date: isFinal(event) ? formatAbsoluteTime(eventAt) : '',
    message_state: messageStateTable[state].value,
    error_code: event === 'delivered' ? 0 : octetOf(errorCode),
  };
}

/** The carrier's error code, if it is a number from 0 to 255; otherwise 0. */
function octetOf(errorCode: string | null): number {
  const code = /^\d{1,4}$/.test(errorCode ?? '') ? Number(errorCode) : 0;
  return code <= octetMax ? code : 0;
}

/**
 * Whether the addresses in a query_sm or cancel_sm match the message with the given id. An empty address matches every message.
 */
export function namesMessage(pdu: PduOf<'query_sm' | 'cancel_sm'>, { sender, receiver }: MessageStanding): boolean {
  const source = readSender(pdu.source_addr, pdu.source_addr_ton);
  if (pdu.source_addr !== '' && !(source.ok && agrees(source.value, sender))) return false;
  if (pdu.command === 'query_sm' || pdu.destination_addr === '') return true;
  const destination = readReceiver(pdu.destination_addr, pdu.dest_addr_ton);
  return destination.ok && agrees(destination.value, receiver);
}

/** Whether two addresses are the same, even if a phone number is written differently. */
function agrees(given: string, kept: string): boolean {
  return given === kept || (kept.startsWith('+') && given.replace(/^(\+|00)?/, '+') === kept);
}
