/* Requests that are refused, by the status of the answer, with words of the sentence in the answer. */

import { formatRelativeTime, tlvTable, writeTlv, type StatusName, type Tlv } from '@morsel/smpp';
import type { Tail } from '../support/clients/raw-smpp.ts';

/** A submit_sm that would be accepted, except for these fields and TLVs. */
export interface Row extends Tail {
  /** The system_id of the client (default: acme). */
  readonly by?: string;
  /** The command (default: submit_sm). */
  readonly command?: 'data_sm' | 'query_sm' | 'cancel_sm';
  readonly [field: string]: unknown;
}

export function tlv(name: keyof typeof tlvTable, hex: string): Tlv {
  return { tag: tlvTable[name].tag, value: Buffer.from(hex, 'hex') };
}

export function octets(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex');
}

export function sar(reference: number, total: number, number: number): readonly Tlv[] {
  return [
    writeTlv('sar_msg_ref_num', reference),
    writeTlv('sar_total_segments', total),
    writeTlv('sar_segment_seqnum', number),
  ];
}

/** A text in message_payload, for requests with an empty short_message. */
export const payload = writeTlv('message_payload', Buffer.from('Hello'));
export const dataSm = { command: 'data_sm', tlvs: [payload] } as const;
const empty = { short_message: Buffer.alloc(0) };
const query = { command: 'query_sm', message_id: '1' } as const;
const cancel = { command: 'cancel_sm', message_id: '1' } as const;
const inTwoHours = formatRelativeTime(2 * 3_600_000);
const reference = writeTlv('sar_msg_ref_num', 7);
const total = writeTlv('sar_total_segments', 2);
const number = writeTlv('sar_segment_seqnum', 1);
const vendor = (tag: number, hex = '4a6f') => ({ tag, value: octets(hex) });

/** A request whose text begins with a user data header. */
export function headed(hex: string, tlvs: readonly Tlv[] = []): Row {
  return { esm_class: 0x40, short_message: octets(hex), tlvs };
}

export function ported(hex: string): Row {
  const tlvs = [writeTlv('destination_port', 2948), writeTlv('source_port', 9200)];
  return { ...headed(hex, tlvs), data_coding: 4 };
}

/** A request, and words of the sentence in its answer. */
type Refused = readonly [row: Row, words: RegExp];

const wrongTime = /must be empty or have the form YYMMDDhhmmsstnnp/;
const wrongEnd = /^validity_period .* must end 60 seconds to 3 days after the time/;
const wrongSar = /sar_segment_seqnum must be 1 to sar_total_segments, at most 255/;
const wrongElement = /the user data header has an invalid element: a part number must be 1 to the total/;
const halfSar = /belong together: send all three TLVs, or none of them/;
const otherPlace = /name different parts: send only one of the two/;
const unknownId = /^there is no message with this id$/;
const most = (field: string, max: number) => new RegExp(`^${field} must have at most ${max} characters$`);
const octetsOf = (field: string, wanted: number, has: number) =>
  new RegExp(`^${field} must have ${wanted} octets, but has ${has}$`);
const lacks = (name: string, besides = '') => new RegExp(`^${name} is not supported: leave it out${besides}$`);
const twice = (name: string) => new RegExp(`^${name} occurs twice in the PDU: send it once$`);

export const refused: { readonly [status in StatusName]?: readonly Refused[] } = {
  ESME_RINVSERTYP: [
    [{ service_type: 'ABCDEF' }, most('service_type', 5)],
    [{ service_type: 'USSD' }, /USSD is not supported: leave service_type empty/],
    [{ ...cancel, service_type: 'ABCDEF' }, most('service_type', 5)],
  ],
  ESME_RINVSRCADR: [
    [{ source_addr: '+41 79 000 00 00 (01)' }, most('source_addr', 20)],
    [{ source_addr: '' }, /^source_addr is missing or empty$/],
    [{ source_addr: 'ACME Shop Ltd', source_addr_ton: 5 }, /a name of 1 to 11 characters/],
    [{ source_addr_ton: 2 }, /^source_addr: a national number \(TON 2\) has no country code; a sender must be/],
    [{ source_addr: '999123456789' }, /^source_addr: no number with this country code has this many digits/],
    [{ by: 'ruled', source_addr: '41790000002' }, /the account may not send from this sender/],
    [{ ...query, source_addr: '1'.repeat(21) }, most('source_addr', 20)],
  ],
  ESME_RINVDSTADR: [
    [{ destination_addr: '+41 (79) 123-00-00 01' }, most('destination_addr', 20)],
    [{ ...dataSm, destination_addr: '4'.repeat(65) }, most('destination_addr', 64)],
    [{ destination_addr: '' }, /^destination_addr is missing or empty$/],
    [{ dest_addr_ton: 2 }, /^destination_addr: a national number .* with its country code and TON 1$/],
    [{ dest_addr_ton: 3, destination_addr: '12345' }, /destination_addr/],
    [{ dest_addr_ton: 5, destination_addr: 'Bob' }, /destination_addr/],
    [{ destination_addr: '999123456789' }, /no number with this country code has this many digits/],
    [{ destination_addr: '41791230002' }, /the receiver opted out of messages from this account/],
    [{ destination_addr: '15551234567' }, /^no carrier is set up for messages to this receiver$/],
    [{ destination_addr: '33612345678' }, /^the price list has no price for this receiver$/],
    [{ ...cancel, destination_addr: '1'.repeat(21) }, most('destination_addr', 20)],
  ],
  ESME_RINVESMCLASS: [
    [{ esm_class: 2 }, /transaction mode is not supported: use store and forward/],
    [{ esm_class: 4 }, /the message type in esm_class \(bits 2 to 5\) must be 0/],
    [{ esm_class: 0x80 }, /a reply path is not supported: clear bit 7 of esm_class/],
    [headed('50 41'), /the text does not begin with a valid header: clear bit 6 of esm_class/],
    [headed('0500 03 c8 02 03 41'), wrongElement],
    [headed('0608 04 1234 02 03 41'), wrongElement],
    [{ ...headed('', [writeTlv('message_payload', octets('0500 03 c8 02 03 41'))]), data_coding: 4 }, wrongElement],
    [headed('0400 02 c8 02 41'), wrongElement],
    [headed('0505 03 0b84 23 41'), wrongElement],
    [headed('0a 0003 c80201 0003 c90201 41'), /has two concatenation elements: send only one/],
  ],
  ESME_RSUBMITFAIL: [
    [{ protocol_id: 1 }, /protocol_id must be 0/],
    [{ data_coding: 5 }, /data_coding must be 0 \(its meaning is set for the account\), 1 \(ASCII\)/],
    [{ short_message: octets('48ff') }, /the GSM alphabet has no octets above 0x7F: .* \(at position 1\)$/],
    [{ data_coding: 1, short_message: octets('ff') }, /ASCII has no octets above 0x7F: .* \(at position 0\)$/],
    [{ data_coding: 8, short_message: octets('004800') }, /UTF-16 must have an even number of octets/],
    [{ data_coding: 8, short_message: octets('0048d83d') }, /only half of a surrogate pair: .* \(at position 1\)$/],
    [{ data_coding: 8, short_message: octets('0000') }, /the character U\+0000, .* \(at position 0\)$/],
    [{ data_coding: 3, short_message: octets('00') }, /the character U\+0000, .* \(at position 0\)$/],
    [{ by: 'poor' }, /^the message costs 0\.0075 EUR and the balance is 0\.001: top up the account$/],
    [{ by: 'suspended' }, /^the account is suspended$/],
    [{ by: 'ruled', destination_addr: '33612345678' }, /may not send to this country or range of numbers/],
    [{ by: 'ruled', destination_addr: '41900123456' }, /may not send to premium-rate or shared-cost numbers/],
  ],
  ESME_RINVPRTFLG: [[{ priority_flag: 4 }, /priority_flag must be 0 \(normal\), or 1, 2 or 3 \(high\)/]],
  ESME_RINVREGDLVFLG: [[{ registered_delivery: 0x05 }, /registered_delivery must be 0 \(no receipts\), 1 /]],
  ESME_RINVREPFLAG: [[{ replace_if_present_flag: 1 }, /replacing a message is not supported: cancel the old message/]],
  ESME_RINVDFTMSGID: [[{ sm_default_msg_id: 1 }, /predefined texts are not supported/]],
  ESME_RINVSCHED: [
    [{ schedule_delivery_time: '0000010000000000R' }, wrongTime],
    [{ schedule_delivery_time: '991231235959000+' }, /must be at most 30 days in the future and at most 5 minutes in/],
  ],
  ESME_RINVEXPIRY: [
    [{ validity_period: '0000010000000000R' }, wrongTime],
    [{ schedule_delivery_time: inTwoHours, validity_period: '000000010000000R' }, wrongEnd],
    [{ ...dataSm, tlvs: [payload, writeTlv('qos_time_to_live', 259_201)] }, wrongEnd],
  ],
  ESME_RINVMSGLEN: [
    [empty, /the text \(short_message or message_payload\) is missing or empty/],
    [
      { ...empty, tlvs: [writeTlv('message_payload', Buffer.alloc(1_531, 0x41))] },
      /needs 11 parts, but at most 10 are/,
    ],
    [{ short_message: Buffer.alloc(154, 0x41), tlvs: sar(7, 2, 1) }, /has room for 153 septets besides its header/],
  ],
  ESME_ROPTPARNOTALLWD: [
    [{ tlvs: [payload] }, /^short_message or message_payload must be empty: send the text in one of them$/],
    [{ tlvs: [writeTlv('qos_time_to_live', 600)] }, lacks('qos_time_to_live')],
    [{ tlvs: [writeTlv('dest_addr_subunit', 3)] }, lacks('dest_addr_subunit', ', or send 0')],
    [{ ...dataSm, tlvs: [payload, writeTlv('dest_bearer_type', 4)] }, lacks('dest_bearer_type', ', or send 0 or 1')],
    [{ ...dataSm, tlvs: [payload, writeTlv('dest_telematics_id', 1)] }, lacks('dest_telematics_id', ', or send 0')],
    [{ tlvs: [tlv('dest_subaddress', 'a0313233')] }, lacks('dest_subaddress')],
    [{ tlvs: [tlv('source_subaddress', 'a0313233')] }, lacks('source_subaddress')],
    [{ tlvs: [writeTlv('payload_type', 1)] }, lacks('payload_type', ', or send 0')],
    [{ tlvs: [writeTlv('privacy_indicator', 3)] }, lacks('privacy_indicator', ', or send 0')],
    [{ tlvs: [tlv('callback_num', '0101003431')] }, lacks('callback_num')],
    [{ tlvs: [writeTlv('number_of_messages', 5)] }, lacks('number_of_messages')],
    [{ tlvs: [writeTlv('ms_msg_wait_facilities', 0x80)] }, lacks('ms_msg_wait_facilities')],
    [{ tlvs: [tlv('ms_validity', '03')] }, lacks('ms_validity', ', or send 0')],
    [{ ...dataSm, tlvs: [payload, writeTlv('set_dpf', 1)] }, lacks('set_dpf', ', or send 0')],
    [{ tlvs: [writeTlv('its_reply_type', 1)] }, lacks('its_reply_type')],
    [{ tlvs: [tlv('its_session_info', '0102')] }, lacks('its_session_info')],
    [{ tlvs: [writeTlv('ussd_service_op', 2)] }, lacks('ussd_service_op')],
    [{ tlvs: [vendor(0x1400)] }, /^no carrier for this receiver accepts 0x1400: send the message without it$/],
    [{ ...dataSm, tlvs: [vendor(0x1400), payload, vendor(0xfffe)] }, /accepts 0x1400, 0xfffe: .* without them$/],
    [{ tlvs: Array.from({ length: 17 }, (_, at) => vendor(0x1400 + at)) }, /there are more than 16 vendor TLVs/],
  ],
  ESME_RQUERYFAIL: [[query, unknownId]],
  ESME_RINVMSGID: [[{ ...query, message_id: '1'.repeat(65) }, most('message_id', 64)]],
  ESME_RCANCELFAIL: [
    [{ ...cancel, source_addr: '', destination_addr: '' }, unknownId],
    [{ ...cancel, message_id: '' }, /^message_id is missing: cancel_sm needs the id of one message$/],
  ],
  ESME_RINVOPTPARSTREAM: [
    [{ ...empty, tlvs: [payload, payload] }, twice('message_payload')],
    [{ tlvs: [...sar(7, 2, 1), total] }, twice('sar_total_segments')],
    [{ rest: octets('0424 0010 48656c6c6f') }, /^message_payload is longer than the rest of the PDU: check sm_length/],
    [{ rest: octets('000041') }, /^the last 3 octets of the PDU are not a valid TLV: check sm_length/],
    [{ tlvs: [writeTlv('dest_addr_subunit', 0), writeTlv('dest_addr_subunit', 0)] }, twice('dest_addr_subunit')],
    [{ tlvs: [vendor(0x1401), vendor(0x1401, '')] }, twice('0x1401')],
  ],
  ESME_RMISSINGOPTPARAM: [
    [{ tlvs: [reference, number] }, halfSar],
    [{ tlvs: [total, number] }, halfSar],
    [{ tlvs: [writeTlv('source_port', 80)] }, /^source_port needs a destination_port: send both TLVs/],
  ],
  ESME_RINVOPTPARAMVAL: [
    [{ tlvs: sar(7, 2, 0) }, wrongSar],
    [{ tlvs: sar(7, 2, 3) }, wrongSar],
    [headed('0500 03 07 02 02 41', sar(7, 2, 1)), otherPlace],
    [headed('0500 03 08 02 01 41', sar(7, 2, 1)), otherPlace],
    [headed('0500 03 07 01 01 41', sar(7, 2, 1)), otherPlace],
    [ported('0605 04 0b84 23f1 06'), /differ from the ports in the user data header: send only one of the two/],
  ],
  ESME_RINVPARLEN: [
    [{ tlvs: [tlv('sar_msg_ref_num', '07'), total, number] }, octetsOf('sar_msg_ref_num', 2, 1)],
    [{ tlvs: [reference, tlv('sar_total_segments', '0002'), number] }, octetsOf('sar_total_segments', 1, 2)],
    [{ tlvs: [reference, total, tlv('sar_segment_seqnum', '')] }, octetsOf('sar_segment_seqnum', 1, 0)],
    [{ tlvs: [tlv('destination_port', '50')] }, octetsOf('destination_port', 2, 1)],
    [{ tlvs: [tlv('source_port', '000050')] }, octetsOf('source_port', 2, 3)],
    [{ tlvs: [tlv('user_message_reference', '07')] }, octetsOf('user_message_reference', 2, 1)],
    [{ ...dataSm, tlvs: [payload, tlv('qos_time_to_live', '0258')] }, octetsOf('qos_time_to_live', 4, 2)],
    [{ tlvs: [tlv('dest_addr_subunit', '')] }, octetsOf('dest_addr_subunit', 1, 0)],
    [{ tlvs: [vendor(0x1401, '00'.repeat(256))] }, /^0x1401 must have 0 to 255 octets, but has 256$/],
  ],
};
