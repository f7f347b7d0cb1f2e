/* Requests that are refused, by the status of the answer, with the sentence in the answer. */

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
export const userDataHeader = 0x40;

const inTwoHours = formatRelativeTime(2 * 3_600_000);
const noText = 'the text (short_message or message_payload) is missing or empty';
const wrongTime =
  'must be empty or have the form YYMMDDhhmmsstnnp: 260131120000000+ is a time, 000001000000000R is one day from now';
const wrongDueTime = 'schedule_delivery_time must be at most 30 days in the future and at most 5 minutes in the past';
const wrongEnd =
  'validity_period (in data_sm qos_time_to_live) must end 60 seconds to 3 days after the time at which the message is to be sent';
const twoTexts = 'short_message or message_payload must be empty: send the text in one of them';
const ownReceipts =
  'registered_delivery must be 0 (no receipts), 1 (all receipts), 2 (only failures) or 3 (only successes)';
const senderForms =
  'a sender must be an international number such as +41791112233, a short code of 3 to 8 digits, or a name of 1 to 11 characters of the GSM default alphabet with a letter';
const national =
  'a national number (TON 2) has no country code: send the number in international form, with its country code and TON 1';
const wrongCoding =
  'data_coding must be 0 (its meaning is set for the account), 1 (ASCII), 3 (Latin-1), 8 (UTF-16), 2 or 4 (binary), or an alphabet with class 0 or 1 (0x10 to 0x19, 0xF0 to 0xF5)';
const wantsNone =
  'the receiver opted out of messages from this account; only the receiver or the operator can undo this';
const unknownId = 'there is no message with this id';
const reference = writeTlv('sar_msg_ref_num', 7);
const total = writeTlv('sar_total_segments', 2);
const number = writeTlv('sar_segment_seqnum', 1);
const vendor = (tag: number, hex = '4a6f') => ({ tag, value: octets(hex) });
const noHeader =
  'esm_class announces a user data header, but the text does not begin with a valid header: clear bit 6 of esm_class, or write the header as in 3GPP TS 23.040, 9.2.3.24';
const halfSar =
  'sar_msg_ref_num, sar_total_segments and sar_segment_seqnum belong together: send all three TLVs, or none of them';
const wrongSar =
  'sar_segment_seqnum must be 1 to sar_total_segments, at most 255: omit all three sar_ parameters if the message has one part';
const wrongElement =
  'the user data header has an invalid element: a part number must be 1 to the total, the total 1 to 255, and concatenation, ports and national tables must have the lengths of 3GPP TS 23.040, 9.2.3.24';
const otherPlace = 'the sar_ parameters and the user data header name different parts: send only one of the two';
const otherPorts =
  'destination_port and source_port differ from the ports in the user data header: send only one of the two';

const most = (field: string, max: number) => `${field} must have at most ${max} characters`;
const octetsOf = (field: string, wanted: number, has: number) => `${field} must have ${wanted} octets, but has ${has}`;
const lacks = (name: string, besides = '') => `${name} is not supported: leave it out${besides}`;
const twice = (name: string) => `${name} occurs twice in the PDU: send it once`;
/** A request whose text begins with a user data header. */
const headed = (hex: string, tlvs: readonly Tlv[] = []): Row => ({
  esm_class: userDataHeader,
  short_message: octets(hex),
  tlvs,
});

/** A request, and the sentence in its answer. */
type Refused = readonly [row: Row, text: string];

export const refused: { readonly [status in StatusName]?: readonly Refused[] } = {
  ESME_RINVSERTYP: [
    [{ service_type: 'ABCDEF' }, most('service_type', 5)],
    [{ service_type: 'USSD' }, 'USSD is not supported: leave service_type empty'],
    [{ command: 'cancel_sm', message_id: '1', service_type: 'ABCDEF' }, most('service_type', 5)],
  ],
  ESME_RINVSRCADR: [
    [{ source_addr: '+41 79 000 00 00 (01)' }, most('source_addr', 20)],
    [{ source_addr: '' }, 'source_addr is missing or empty'],
    [{ source_addr_ton: 2 }, `source_addr: a national number (TON 2) has no country code; ${senderForms}`],
    [
      { source_addr: '999123456789' },
      `source_addr: no number with this country code has this many digits; ${senderForms}`,
    ],
    [{ by: 'ruled', source_addr: '41790000002' }, 'the account may not send from this sender'],
    [{ command: 'query_sm', message_id: '1', source_addr: '1'.repeat(21) }, most('source_addr', 20)],
  ],
  ESME_RINVDSTADR: [
    [{ destination_addr: '+41 (79) 123-00-00 01' }, most('destination_addr', 20)],
    [{ ...dataSm, destination_addr: '4'.repeat(65) }, most('destination_addr', 64)],
    [{ destination_addr: '' }, 'destination_addr is missing or empty'],
    [{ dest_addr_ton: 2 }, `destination_addr: ${national}`],
    [{ destination_addr: '999123456789' }, 'destination_addr: no number with this country code has this many digits'],
    [{ destination_addr: '41791230002' }, wantsNone],
    [{ destination_addr: '15551234567' }, 'no carrier is set up for messages to this receiver'],
    [{ destination_addr: '33612345678' }, 'the price list has no price for this receiver'],
    [{ command: 'cancel_sm', message_id: '1', destination_addr: '1'.repeat(21) }, most('destination_addr', 20)],
  ],
  ESME_RINVESMCLASS: [
    [
      { esm_class: 2 },
      'transaction mode is not supported: use store and forward (esm_class mode 0 or 3), and ask for a receipt',
    ],
    [{ esm_class: 4 }, 'the message type in esm_class (bits 2 to 5) must be 0'],
    [{ esm_class: 0x80 }, 'a reply path is not supported: clear bit 7 of esm_class'],
    [headed('50 41'), noHeader],
    [headed('0500 03 c8 02 03 41'), wrongElement],
    [headed('0608 04 1234 02 03 41'), wrongElement],
    [
      {
        ...empty,
        data_coding: 4,
        esm_class: userDataHeader,
        tlvs: [writeTlv('message_payload', octets('0500 03 c8 02 03 41'))],
      },
      wrongElement,
    ],
    [headed('0400 02 c8 02 41'), wrongElement],
    [headed('0505 03 0b84 23 41'), wrongElement],
    [headed('0a 0003 c80201 0003 c90201 41'), 'the user data header has two concatenation elements: send only one'],
  ],
  ESME_RSUBMITFAIL: [
    [{ protocol_id: 1 }, 'protocol_id must be 0'],
    [{ data_coding: 5 }, wrongCoding],
    [
      { short_message: octets('48ff') },
      'the GSM alphabet has no octets above 0x7F: send Latin-1 with data_coding 3 or UTF-16 with data_coding 8, or ask the operator to set another meaning of data_coding 0 (at position 1)',
    ],
    [
      { data_coding: 1, short_message: octets('ff') },
      'ASCII has no octets above 0x7F: send Latin-1 with data_coding 3, or UTF-16 with data_coding 8 (at position 0)',
    ],
    [
      { data_coding: 8, short_message: octets('004800') },
      'UTF-16 must have an even number of octets: cut between characters, or send another data_coding',
    ],
    [
      { data_coding: 8, short_message: octets('0048d83d') },
      'the text contains only half of a surrogate pair: send both halves, or remove this half (at position 1)',
    ],
    [
      { data_coding: 8, short_message: octets('0000') },
      'the text contains the character U+0000, which phones cannot show: remove it (at position 0)',
    ],
    [{ by: 'poor' }, 'the message costs 0.0075 EUR and the balance is 0.001: top up the account'],
    [{ by: 'suspended' }, 'the account is suspended'],
    [{ by: 'ruled', destination_addr: '33612345678' }, 'the account may not send to this country or range of numbers'],
    [
      { by: 'ruled', destination_addr: '41900123456' },
      'the account may not send to premium-rate or shared-cost numbers',
    ],
  ],
  ESME_RINVPRTFLG: [[{ priority_flag: 4 }, 'priority_flag must be 0 (normal), or 1, 2 or 3 (high)']],
  ESME_RINVREGDLVFLG: [[{ registered_delivery: 0x05 }, ownReceipts]],
  ESME_RINVREPFLAG: [
    [
      { replace_if_present_flag: 1 },
      'replacing a message is not supported: cancel the old message with cancel_sm, and send this message with replace_if_present_flag 0',
    ],
  ],
  ESME_RINVDFTMSGID: [
    [{ sm_default_msg_id: 1 }, 'predefined texts are not supported: send the text with sm_default_msg_id 0'],
  ],
  ESME_RINVSCHED: [
    [{ schedule_delivery_time: '0000010000000000R' }, `schedule_delivery_time ${wrongTime}`],
    [{ schedule_delivery_time: '991231235959000+' }, wrongDueTime],
  ],
  ESME_RINVEXPIRY: [
    [{ validity_period: '0000010000000000R' }, `validity_period ${wrongTime}`],
    [{ schedule_delivery_time: inTwoHours, validity_period: '000000010000000R' }, wrongEnd],
    [{ ...dataSm, tlvs: [payload, writeTlv('qos_time_to_live', 259_201)] }, wrongEnd],
  ],
  ESME_RINVMSGLEN: [
    [empty, noText],
    [
      { ...empty, tlvs: [writeTlv('message_payload', Buffer.alloc(1_531, 0x41))] },
      'the text needs 11 parts, but at most 10 are allowed',
    ],
    [
      { short_message: Buffer.alloc(154, 0x41), tlvs: sar(7, 2, 1) },
      'one short message has room for 153 septets besides its header: send shorter parts, or send text without a header',
    ],
  ],
  ESME_ROPTPARNOTALLWD: [
    [{ tlvs: [payload] }, twoTexts],
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
    [{ tlvs: [vendor(0x1400)] }, 'no carrier for this receiver accepts 0x1400: send the message without it'],
    [
      { ...dataSm, tlvs: [vendor(0x1400), payload, vendor(0xfffe)] },
      'no carrier for this receiver accepts 0x1400, 0xfffe: send the message without them',
    ],
    [
      { tlvs: Array.from({ length: 17 }, (_, at) => vendor(0x1400 + at)) },
      'there are more than 16 vendor TLVs (tags from 0x1400): send fewer of them',
    ],
  ],
  ESME_RQUERYFAIL: [[{ command: 'query_sm', message_id: '1' }, unknownId]],
  ESME_RINVMSGID: [[{ command: 'query_sm', message_id: '1'.repeat(65) }, most('message_id', 64)]],
  ESME_RCANCELFAIL: [
    [{ command: 'cancel_sm', message_id: '1', source_addr: '', destination_addr: '' }, unknownId],
    [{ command: 'cancel_sm', message_id: '' }, 'message_id is missing: cancel_sm needs the id of one message'],
  ],
  ESME_RINVOPTPARSTREAM: [
    [{ ...empty, tlvs: [payload, payload] }, twice('message_payload')],
    [{ tlvs: [...sar(7, 2, 1), total] }, twice('sar_total_segments')],
    [
      { rest: octets('0424 0010 48656c6c6f') },
      'message_payload is longer than the rest of the PDU: check sm_length and the lengths of the TLVs',
    ],
    [
      { rest: octets('000041') },
      'the last 3 octets of the PDU are not a valid TLV: check sm_length and the octets after the text',
    ],
    [{ tlvs: [writeTlv('dest_addr_subunit', 0), writeTlv('dest_addr_subunit', 0)] }, twice('dest_addr_subunit')],
    [{ tlvs: [vendor(0x1401), vendor(0x1401, '')] }, twice('0x1401')],
  ],
  ESME_RMISSINGOPTPARAM: [
    [{ tlvs: [reference, number] }, halfSar],
    [{ tlvs: [total, number] }, halfSar],
    [
      { tlvs: [writeTlv('source_port', 80)] },
      'source_port needs a destination_port: send both TLVs, or leave out source_port',
    ],
  ],
  ESME_RINVOPTPARAMVAL: [
    [{ tlvs: sar(7, 2, 0) }, wrongSar],
    [{ tlvs: sar(7, 2, 3) }, wrongSar],
    [headed('0500 03 07 02 02 41', sar(7, 2, 1)), otherPlace],
    [headed('0500 03 08 02 01 41', sar(7, 2, 1)), otherPlace],
    [headed('0500 03 07 01 01 41', sar(7, 2, 1)), otherPlace],
    [
      {
        data_coding: 4,
        esm_class: userDataHeader,
        short_message: octets('0605 04 0b84 23f1 06'),
        tlvs: [writeTlv('destination_port', 2948), writeTlv('source_port', 9200)],
      },
      otherPorts,
    ],
  ],
  ESME_RINVPARLEN: [
    [{ tlvs: [tlv('sar_msg_ref_num', '07'), total, number] }, octetsOf('sar_msg_ref_num', 2, 1)],
    [{ tlvs: [reference, tlv('sar_total_segments', '0002'), number] }, octetsOf('sar_total_segments', 1, 2)],
    [{ tlvs: [reference, total, tlv('sar_segment_seqnum', '')] }, octetsOf('sar_segment_seqnum', 1, 0)],
    [{ tlvs: [tlv('destination_port', '50')] }, octetsOf('destination_port', 2, 1)],
    [{ tlvs: [tlv('source_port', '000050')] }, octetsOf('source_port', 2, 3)],
    [{ tlvs: [tlv('user_message_reference', '07')] }, octetsOf('user_message_reference', 2, 1)],
    [{ ...dataSm, tlvs: [payload, tlv('qos_time_to_live', '0258')] }, octetsOf('qos_time_to_live', 4, 2)],
    [{ tlvs: [tlv('dest_addr_subunit', '0000')] }, octetsOf('dest_addr_subunit', 1, 2)],
    [{ tlvs: [tlv('dest_addr_subunit', '')] }, octetsOf('dest_addr_subunit', 1, 0)],
    [{ tlvs: [vendor(0x1401, '00'.repeat(256))] }, '0x1401 must have 0 to 255 octets, but has 256'],
  ],
};
