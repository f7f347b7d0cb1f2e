/* Requests that are refused for an optional parameter or a user data header, with their answers. */

import { writeTlv } from '@morsel/smpp';
import { dataSm, empty, octets, payload, sar, tlv, userDataHeader, type Refused } from './rows.ts';

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

/** Refused for an optional parameter or the header before the text. */
export const refusedTlvs: readonly Refused[] = [
  // Optional parameters.
  [
    'message_payload twice',
    { ...empty, tlvs: [payload, payload] },
    'ESME_RINVOPTPARSTREAM',
    'message_payload occurs twice in the PDU: send it once',
  ],
  [
    'the same in data_sm',
    { ...dataSm, tlvs: [payload, writeTlv('message_payload', Buffer.from('lost'))] },
    'ESME_RINVOPTPARSTREAM',
    'message_payload occurs twice in the PDU: send it once',
  ],
  [
    'an empty one and another',
    { ...empty, tlvs: [tlv('message_payload', ''), payload] },
    'ESME_RINVOPTPARSTREAM',
    'message_payload occurs twice in the PDU: send it once',
  ],
  [
    'user_message_reference twice',
    { tlvs: [writeTlv('user_message_reference', 1), writeTlv('user_message_reference', 2)] },
    'ESME_RINVOPTPARSTREAM',
    'user_message_reference occurs twice in the PDU: send it once',
  ],
  [
    'sar_total_segments twice',
    { tlvs: [...sar(7, 2, 1), total] },
    'ESME_RINVOPTPARSTREAM',
    'sar_total_segments occurs twice in the PDU: send it once',
  ],
  [
    'qos_time_to_live twice',
    { ...dataSm, tlvs: [payload, writeTlv('qos_time_to_live', 60), writeTlv('qos_time_to_live', 600)] },
    'ESME_RINVOPTPARSTREAM',
    'qos_time_to_live occurs twice in the PDU: send it once',
  ],
  [
    'a message_payload that is cut off',
    { rest: octets('0424 0010 48656c6c6f') },
    'ESME_RINVOPTPARSTREAM',
    'message_payload is longer than the rest of the PDU: check sm_length and the lengths of the TLVs',
  ],
  [
    'one that is cut off behind another',
    { tlvs: [writeTlv('user_message_reference', 1)], rest: octets('0424 ffff') },
    'ESME_RINVOPTPARSTREAM',
    'message_payload is longer than the rest of the PDU: check sm_length and the lengths of the TLVs',
  ],
  [
    'three octets behind the text',
    { rest: octets('000041') },
    'ESME_RINVOPTPARSTREAM',
    'the last 3 octets of the PDU are not a valid TLV: check sm_length and the octets after the text',
  ],
  [
    'one in data_sm',
    { ...dataSm, rest: octets('01') },
    'ESME_RINVOPTPARSTREAM',
    'the last 1 octets of the PDU are not a valid TLV: check sm_length and the octets after the text',
  ],
  ['a sar_ without total', { tlvs: [reference, number] }, 'ESME_RMISSINGOPTPARAM', halfSar],
  ['a sar_ of a total alone', { tlvs: [total] }, 'ESME_RMISSINGOPTPARAM', halfSar],
  ['a sar_ without number', { tlvs: [reference, total] }, 'ESME_RMISSINGOPTPARAM', halfSar],
  ['a sar_ without reference', { tlvs: [total, number] }, 'ESME_RMISSINGOPTPARAM', halfSar],
  ['sar_ part 0 of 0', { tlvs: sar(7, 0, 0) }, 'ESME_RINVOPTPARAMVAL', wrongSar],
  ['sar_ part 1 of 0', { tlvs: sar(7, 0, 1) }, 'ESME_RINVOPTPARAMVAL', wrongSar],
  ['sar_ part 0 of 2', { tlvs: sar(7, 2, 0) }, 'ESME_RINVOPTPARAMVAL', wrongSar],
  ['sar_ part 3 of 2', { tlvs: sar(7, 2, 3) }, 'ESME_RINVOPTPARAMVAL', wrongSar],
  ['sar_ part 2 of 1', { tlvs: sar(7, 1, 2) }, 'ESME_RINVOPTPARAMVAL', wrongSar],
  [
    'a sar_msg_ref_num of one octet',
    { tlvs: [tlv('sar_msg_ref_num', '07'), total, number] },
    'ESME_RINVPARLEN',
    'sar_msg_ref_num must have 2 octets, but has 1',
  ],
  [
    'a sar_total_segments of two',
    { tlvs: [reference, tlv('sar_total_segments', '0002'), number] },
    'ESME_RINVPARLEN',
    'sar_total_segments must have 1 octets, but has 2',
  ],
  [
    'a sar_segment_seqnum of none',
    { tlvs: [reference, total, tlv('sar_segment_seqnum', '')] },
    'ESME_RINVPARLEN',
    'sar_segment_seqnum must have 1 octets, but has 0',
  ],
  [
    'a destination_port of one octet',
    { tlvs: [tlv('destination_port', '50')] },
    'ESME_RINVPARLEN',
    'destination_port must have 2 octets, but has 1',
  ],
  [
    'a source_port of three',
    { tlvs: [tlv('source_port', '000050')] },
    'ESME_RINVPARLEN',
    'source_port must have 2 octets, but has 3',
  ],
  [
    'a source_port alone',
    { tlvs: [writeTlv('source_port', 80)] },
    'ESME_RMISSINGOPTPARAM',
    'source_port needs a destination_port: send both TLVs, or leave out source_port',
  ],
  [
    'a user_message_reference of one octet',
    { tlvs: [tlv('user_message_reference', '07')] },
    'ESME_RINVPARLEN',
    'user_message_reference must have 2 octets, but has 1',
  ],
  [
    'a qos_time_to_live of two octets',
    { ...dataSm, tlvs: [payload, tlv('qos_time_to_live', '0258')] },
    'ESME_RINVPARLEN',
    'qos_time_to_live must have 4 octets, but has 2',
  ],
  [
    'qos_time_to_live in submit_sm',
    { tlvs: [writeTlv('qos_time_to_live', 600)] },
    'ESME_ROPTPARNOTALLWD',
    'qos_time_to_live is not supported: leave it out',
  ],
  [
    'a unit of the phone',
    { tlvs: [writeTlv('dest_addr_subunit', 3)] },
    'ESME_ROPTPARNOTALLWD',
    'dest_addr_subunit is not supported: leave it out, or send 0',
  ],
  [
    'a unit of the phone twice, that of nobody',
    { tlvs: [writeTlv('dest_addr_subunit', 0), writeTlv('dest_addr_subunit', 0)] },
    'ESME_RINVOPTPARSTREAM',
    'dest_addr_subunit occurs twice in the PDU: send it once',
  ],
  [
    'a unit of the phone in two octets',
    { tlvs: [tlv('dest_addr_subunit', '0000')] },
    'ESME_RINVPARLEN',
    'dest_addr_subunit must have 1 octets, but has 2',
  ],
  [
    'a unit of the phone in none',
    { tlvs: [tlv('dest_addr_subunit', '')] },
    'ESME_RINVPARLEN',
    'dest_addr_subunit must have 1 octets, but has 0',
  ],
  [
    'another bearer',
    { ...dataSm, tlvs: [payload, writeTlv('dest_bearer_type', 4)] },
    'ESME_ROPTPARNOTALLWD',
    'dest_bearer_type is not supported: leave it out, or send 0 or 1',
  ],
  [
    'a telematic device',
    { ...dataSm, tlvs: [payload, writeTlv('dest_telematics_id', 1)] },
    'ESME_ROPTPARNOTALLWD',
    'dest_telematics_id is not supported: leave it out, or send 0',
  ],
  [
    'a subaddress',
    { tlvs: [tlv('dest_subaddress', 'a0313233')] },
    'ESME_ROPTPARNOTALLWD',
    'dest_subaddress is not supported: leave it out',
  ],
  [
    'one of the sender',
    { tlvs: [tlv('source_subaddress', 'a0313233')] },
    'ESME_ROPTPARNOTALLWD',
    'source_subaddress is not supported: leave it out',
  ],
  [
    'a WCMP message',
    { tlvs: [writeTlv('payload_type', 1)] },
    'ESME_ROPTPARNOTALLWD',
    'payload_type is not supported: leave it out, or send 0',
  ],
  [
    'a secret',
    { tlvs: [writeTlv('privacy_indicator', 3)] },
    'ESME_ROPTPARNOTALLWD',
    'privacy_indicator is not supported: leave it out, or send 0',
  ],
  [
    'a number to call back',
    { tlvs: [tlv('callback_num', '0101003431')] },
    'ESME_ROPTPARNOTALLWD',
    'callback_num is not supported: leave it out',
  ],
  [
    'a number of messages',
    { tlvs: [writeTlv('number_of_messages', 5)] },
    'ESME_ROPTPARNOTALLWD',
    'number_of_messages is not supported: leave it out',
  ],
  [
    'an indicator of messages',
    { tlvs: [writeTlv('ms_msg_wait_facilities', 0x80)] },
    'ESME_ROPTPARNOTALLWD',
    'ms_msg_wait_facilities is not supported: leave it out',
  ],
  [
    'a validity on the phone',
    { tlvs: [tlv('ms_validity', '03')] },
    'ESME_ROPTPARNOTALLWD',
    'ms_validity is not supported: leave it out, or send 0',
  ],
  [
    'a delivery pending flag',
    { ...dataSm, tlvs: [payload, writeTlv('set_dpf', 1)] },
    'ESME_ROPTPARNOTALLWD',
    'set_dpf is not supported: leave it out, or send 0',
  ],
  [
    'a reply of a teleservice',
    { tlvs: [writeTlv('its_reply_type', 1)] },
    'ESME_ROPTPARNOTALLWD',
    'its_reply_type is not supported: leave it out',
  ],
  [
    'a session of a teleservice',
    { tlvs: [tlv('its_session_info', '0102')] },
    'ESME_ROPTPARNOTALLWD',
    'its_session_info is not supported: leave it out',
  ],
  [
    'an operation of USSD',
    { tlvs: [writeTlv('ussd_service_op', 2)] },
    'ESME_ROPTPARNOTALLWD',
    'ussd_service_op is not supported: leave it out',
  ],
  // A vendor's, which no carrier of these takes.
  [
    'a parameter of a vendor',
    { tlvs: [vendor(0x1400)] },
    'ESME_ROPTPARNOTALLWD',
    'no carrier for this receiver accepts 0x1400: send the message without it',
  ],
  [
    'two, in data_sm',
    { ...dataSm, tlvs: [vendor(0x1400), payload, vendor(0xfffe)] },
    'ESME_ROPTPARNOTALLWD',
    'no carrier for this receiver accepts 0x1400, 0xfffe: send the message without them',
  ],
  [
    'one twice',
    { tlvs: [vendor(0x1401), vendor(0x1401, '')] },
    'ESME_RINVOPTPARSTREAM',
    '0x1401 occurs twice in the PDU: send it once',
  ],
  [
    'one of 256 octets',
    { tlvs: [vendor(0x1401, '00'.repeat(256))] },
    'ESME_RINVPARLEN',
    '0x1401 must have 0 to 255 octets, but has 256',
  ],
  [
    '17 of them',
    { tlvs: Array.from({ length: 17 }, (_, at) => vendor(0x1400 + at)) },
    'ESME_ROPTPARNOTALLWD',
    'there are more than 16 vendor TLVs (tags from 0x1400): send fewer of them',
  ],
  // The header.
  [
    'no header where one is said to be',
    { esm_class: userDataHeader, short_message: octets('50 41') },
    'ESME_RINVESMCLASS',
    noHeader,
  ],
  [
    'part 3 of 2 in a header',
    { esm_class: userDataHeader, short_message: octets('0500 03 c8 02 03 41') },
    'ESME_RINVESMCLASS',
    wrongElement,
  ],
  [
    'part 0 of 0',
    { esm_class: userDataHeader, short_message: octets('0500 03 c8 00 00 41') },
    'ESME_RINVESMCLASS',
    wrongElement,
  ],
  [
    'part 0 of 2',
    { esm_class: userDataHeader, short_message: octets('0500 03 c8 02 00 41') },
    'ESME_RINVESMCLASS',
    wrongElement,
  ],
  [
    'part 3 of 2 with 16 bits',
    { esm_class: userDataHeader, short_message: octets('0608 04 1234 02 03 41') },
    'ESME_RINVESMCLASS',
    wrongElement,
  ],
  [
    'part 3 of 2 of binary in message_payload',
    {
      ...empty,
      data_coding: 4,
      esm_class: userDataHeader,
      tlvs: [writeTlv('message_payload', octets('0500 03 c8 02 03 41'))],
    },
    'ESME_RINVESMCLASS',
    wrongElement,
  ],
  [
    'a concatenation of two octets',
    { esm_class: userDataHeader, short_message: octets('0400 02 c8 02 41') },
    'ESME_RINVESMCLASS',
    wrongElement,
  ],
  [
    'ports of three octets',
    { esm_class: userDataHeader, short_message: octets('0505 03 0b84 23 41') },
    'ESME_RINVESMCLASS',
    wrongElement,
  ],
  [
    'two places in a header',
    { esm_class: userDataHeader, short_message: octets('0a 0003 c80201 0003 c90201 41') },
    'ESME_RINVESMCLASS',
    'the user data header has two concatenation elements: send only one',
  ],
  [
    'another number in sar_',
    { esm_class: userDataHeader, short_message: octets('0500 03 07 02 02 41'), tlvs: sar(7, 2, 1) },
    'ESME_RINVOPTPARAMVAL',
    otherPlace,
  ],
  [
    'another total',
    { esm_class: userDataHeader, short_message: octets('0500 03 07 03 01 41'), tlvs: sar(7, 2, 1) },
    'ESME_RINVOPTPARAMVAL',
    otherPlace,
  ],
  [
    'another reference',
    { esm_class: userDataHeader, short_message: octets('0500 03 08 02 01 41'), tlvs: sar(7, 2, 1) },
    'ESME_RINVOPTPARAMVAL',
    otherPlace,
  ],
  [
    'another of 16 bits',
    { esm_class: userDataHeader, short_message: octets('0608 04 0107 02 01 41'), tlvs: sar(7, 2, 1) },
    'ESME_RINVOPTPARAMVAL',
    otherPlace,
  ],
  [
    'a whole message in a header, a part in sar_',
    { esm_class: userDataHeader, short_message: octets('0500 03 07 01 01 41'), tlvs: sar(7, 2, 1) },
    'ESME_RINVOPTPARAMVAL',
    otherPlace,
  ],
  [
    'other ports',
    {
      data_coding: 4,
      esm_class: userDataHeader,
      short_message: octets('0605 04 0b84 23f1 06'),
      tlvs: [writeTlv('destination_port', 2948), writeTlv('source_port', 9200)],
    },
    'ESME_RINVOPTPARAMVAL',
    otherPorts,
  ],
];
