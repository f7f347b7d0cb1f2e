import { formatAbsoluteTime, messageStateTable, type PduOf, type ResponseFields } from '@morsel/smpp';
import { isFinal } from '../../../core/base/message.ts';
import type { MessageStanding } from '../../../flow/message/report.ts';
import { messageStates } from './message-states.ts';
import { readReceiver, readSender } from './read-address.ts';

/** The state SCHEDULED exists since this version. */
const interfaceVersion50 = 0x50;

const octetMax = 0xff;

/** `version` is the interface_version of the client's bind. */
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

/** Returns 0 if the error code is not a number from 0 to 255. */
function octetOf(errorCode: string | null): number {
  const code = /^\d{1,4}$/.test(errorCode ?? '') ? Number(errorCode) : 0;
  return code <= octetMax ? code : 0;
}

/** Whether the addresses of the PDU match the message. An empty address matches every message. */
export function namesMessage(pdu: PduOf<'query_sm' | 'cancel_sm'>, { sender, receiver }: MessageStanding): boolean {
  const source = readSender(pdu.source_addr, pdu.source_addr_ton);
  if (pdu.source_addr !== '' && !(source.ok && agrees(source.value, sender))) return false;
  if (pdu.command === 'query_sm' || pdu.destination_addr === '') return true;
  const destination = readReceiver(pdu.destination_addr, pdu.dest_addr_ton);
  return destination.ok && agrees(destination.value, receiver);
}

function agrees(given: string, kept: string): boolean {
  return given === kept || (kept.startsWith('+') && given.replace(/^(\+|00)?/, '+') === kept);
}
