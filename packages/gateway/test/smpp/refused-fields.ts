/* Requests that are refused for a field, the text, the account or its route, with their answers. */

import { formatRelativeTime, writeTlv } from '@morsel/smpp';
import { dataSm, empty, octets, payload, sar, type Refused } from './rows.ts';

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

/** Refused for a field, for the text, for the account or its route. */
export const refusedFields: readonly Refused[] = [
  // Fields.
  ['a service_type of 6', { service_type: 'ABCDEF' }, 'ESME_RINVSERTYP', 'service_type must have at most 5 characters'],
  [
    'the same in data_sm',
    { ...dataSm, service_type: 'ABCDEF' },
    'ESME_RINVSERTYP',
    'service_type must have at most 5 characters',
  ],
  ['USSD', { service_type: 'USSD' }, 'ESME_RINVSERTYP', 'USSD is not supported: leave service_type empty'],
  [
    'a source_addr of 21',
    { source_addr: '+41 79 000 00 00 (01)' },
    'ESME_RINVSRCADR',
    'source_addr must have at most 20 characters',
  ],
  [
    'a destination_addr of 21',
    { destination_addr: '+41 (79) 123-00-00 01' },
    'ESME_RINVDSTADR',
    'destination_addr must have at most 20 characters',
  ],
  [
    'one of 65 in data_sm',
    { ...dataSm, destination_addr: '4'.repeat(65) },
    'ESME_RINVDSTADR',
    'destination_addr must have at most 64 characters',
  ],
  ['no source_addr', { source_addr: '' }, 'ESME_RINVSRCADR', 'source_addr is missing or empty'],
  ['no destination_addr', { destination_addr: '' }, 'ESME_RINVDSTADR', 'destination_addr is missing or empty'],
  [
    'a national sender',
    { source_addr_ton: 2 },
    'ESME_RINVSRCADR',
    `source_addr: a national number (TON 2) has no country code; ${senderForms}`,
  ],
  ['a national receiver', { dest_addr_ton: 2 }, 'ESME_RINVDSTADR', `destination_addr: ${national}`],
  [
    'a sender that cannot exist',
    { source_addr: '999123456789' },
    'ESME_RINVSRCADR',
    `source_addr: no number with this country code has this many digits; ${senderForms}`,
  ],
  [
    'a receiver that cannot exist',
    { destination_addr: '999123456789' },
    'ESME_RINVDSTADR',
    'destination_addr: no number with this country code has this many digits',
  ],
  [
    'transaction mode',
    { esm_class: 2 },
    'ESME_RINVESMCLASS',
    'transaction mode is not supported: use store and forward (esm_class mode 0 or 3), and ask for a receipt',
  ],
  [
    'the type of a receipt',
    { esm_class: 4 },
    'ESME_RINVESMCLASS',
    'the message type in esm_class (bits 2 to 5) must be 0',
  ],
  ['a reply path', { esm_class: 0x80 }, 'ESME_RINVESMCLASS', 'a reply path is not supported: clear bit 7 of esm_class'],
  ['a protocol_id', { protocol_id: 1 }, 'ESME_RSUBMITFAIL', 'protocol_id must be 0'],
  [
    'a priority_flag of 4',
    { priority_flag: 4 },
    'ESME_RINVPRTFLG',
    'priority_flag must be 0 (normal), or 1, 2 or 3 (high)',
  ],
  ['a receipt of the user', { registered_delivery: 0x05 }, 'ESME_RINVREGDLVFLG', ownReceipts],
  ['reserved bits', { registered_delivery: 0x21 }, 'ESME_RINVREGDLVFLG', ownReceipts],
  [
    'one to be replaced',
    { replace_if_present_flag: 1 },
    'ESME_RINVREPFLAG',
    'replacing a message is not supported: cancel the old message with cancel_sm, and send this message with replace_if_present_flag 0',
  ],
  [
    'a text of ours',
    { sm_default_msg_id: 1 },
    'ESME_RINVDFTMSGID',
    'predefined texts are not supported: send the text with sm_default_msg_id 0',
  ],
  [
    'a time of 15',
    { schedule_delivery_time: '26013112000000+' },
    'ESME_RINVSCHED',
    `schedule_delivery_time ${wrongTime}`,
  ],
  [
    'a time of 17',
    { schedule_delivery_time: '0000010000000000R' },
    'ESME_RINVSCHED',
    `schedule_delivery_time ${wrongTime}`,
  ],
  ['a time far ahead', { schedule_delivery_time: '991231235959000+' }, 'ESME_RINVSCHED', wrongDueTime],
  ['a time long past', { schedule_delivery_time: '200101000000000+' }, 'ESME_RINVSCHED', wrongDueTime],
  ['an end of 17', { validity_period: '0000010000000000R' }, 'ESME_RINVEXPIRY', `validity_period ${wrongTime}`],
  ['an end too soon', { validity_period: '000000000059000R' }, 'ESME_RINVEXPIRY', wrongEnd],
  [
    'an end before it begins',
    { schedule_delivery_time: inTwoHours, validity_period: '000000010000000R' },
    'ESME_RINVEXPIRY',
    wrongEnd,
  ],
  [
    'a qos_time_to_live too long',
    { ...dataSm, tlvs: [payload, writeTlv('qos_time_to_live', 259_201)] },
    'ESME_RINVEXPIRY',
    wrongEnd,
  ],
  // The text.
  ['no text', empty, 'ESME_RINVMSGLEN', noText],
  ['no text in data_sm', { ...dataSm, tlvs: [] }, 'ESME_RINVMSGLEN', noText],
  ['a data_coding that is not carried', { data_coding: 5 }, 'ESME_RSUBMITFAIL', wrongCoding],
  [
    'an octet that is no GSM',
    { short_message: octets('48ff') },
    'ESME_RSUBMITFAIL',
    'the GSM alphabet has no octets above 0x7F: send Latin-1 with data_coding 3 or UTF-16 with data_coding 8, or ask the operator to set another meaning of data_coding 0 (at position 1)',
  ],
  [
    'an octet that is no ASCII',
    { data_coding: 1, short_message: octets('ff') },
    'ESME_RSUBMITFAIL',
    'ASCII has no octets above 0x7F: send Latin-1 with data_coding 3, or UTF-16 with data_coding 8 (at position 0)',
  ],
  [
    'half a unit',
    { data_coding: 8, short_message: octets('004800') },
    'ESME_RSUBMITFAIL',
    'UTF-16 must have an even number of octets: cut between characters, or send another data_coding',
  ],
  [
    'half a pair',
    { data_coding: 8, short_message: octets('0048d83d') },
    'ESME_RSUBMITFAIL',
    'the text contains only half of a surrogate pair: send both halves, or remove this half (at position 1)',
  ],
  [
    'U+0000',
    { data_coding: 8, short_message: octets('0000') },
    'ESME_RSUBMITFAIL',
    'the text contains the character U+0000, which phones cannot show: remove it (at position 0)',
  ],
  [
    'eleven parts',
    { ...empty, tlvs: [writeTlv('message_payload', Buffer.alloc(1_531, 0x41))] },
    'ESME_RINVMSGLEN',
    'the text needs 11 parts, but at most 10 are allowed',
  ],
  [
    'a part that is too long',
    { short_message: Buffer.alloc(154, 0x41), tlvs: sar(7, 2, 1) },
    'ESME_RINVMSGLEN',
    'one short message has room for 153 septets besides its header: send shorter parts, or send text without a header',
  ],
  ['two texts', { tlvs: [payload] }, 'ESME_ROPTPARNOTALLWD', twoTexts],
  // The account and its way.
  [
    'an empty purse',
    { by: 'poor' },
    'ESME_RSUBMITFAIL',
    'the message costs 0.0075 EUR and the balance is 0.001: top up the account',
  ],
  ['a suspended account', { by: 'suspended' }, 'ESME_RSUBMITFAIL', 'the account is suspended'],
  [
    'a sender that is not allowed',
    { by: 'ruled', source_addr: '41790000002' },
    'ESME_RINVSRCADR',
    'the account may not send from this sender',
  ],
  [
    'a country that is denied',
    { by: 'ruled', destination_addr: '33612345678' },
    'ESME_RSUBMITFAIL',
    'the account may not send to this country or range of numbers',
  ],
  [
    'premium rate',
    { by: 'ruled', destination_addr: '41900123456' },
    'ESME_RSUBMITFAIL',
    'the account may not send to premium-rate or shared-cost numbers',
  ],
  ['a receiver that opted out', { destination_addr: '41791230002' }, 'ESME_RINVDSTADR', wantsNone],
  [
    'no route',
    { destination_addr: '15551234567' },
    'ESME_RINVDSTADR',
    'no carrier is set up for messages to this receiver',
  ],
  ['no price', { destination_addr: '33612345678' }, 'ESME_RINVDSTADR', 'the price list has no price for this receiver'],
  // query_sm and cancel_sm.
  ['a query for nobody', { command: 'query_sm', message_id: '1' }, 'ESME_RQUERYFAIL', unknownId],
  [
    'one of 65 characters',
    { command: 'query_sm', message_id: '1'.repeat(65) },
    'ESME_RINVMSGID',
    'message_id must have at most 64 characters',
  ],
  [
    'a query with a source_addr of 21',
    { command: 'query_sm', message_id: '1', source_addr: '1'.repeat(21) },
    'ESME_RINVSRCADR',
    'source_addr must have at most 20 characters',
  ],
  [
    'a cancel for nobody',
    { command: 'cancel_sm', message_id: '1', source_addr: '', destination_addr: '' },
    'ESME_RCANCELFAIL',
    unknownId,
  ],
  [
    'a cancel of all',
    { command: 'cancel_sm', message_id: '' },
    'ESME_RCANCELFAIL',
    'message_id is missing: cancel_sm needs the id of one message',
  ],
  [
    'one of 65',
    { command: 'cancel_sm', message_id: '1'.repeat(65) },
    'ESME_RINVMSGID',
    'message_id must have at most 64 characters',
  ],
  [
    'a cancel with a service_type of 6',
    { command: 'cancel_sm', message_id: '1', service_type: 'ABCDEF' },
    'ESME_RINVSERTYP',
    'service_type must have at most 5 characters',
  ],
  [
    'a cancel with a source_addr of 21',
    { command: 'cancel_sm', message_id: '1', source_addr: '1'.repeat(21) },
    'ESME_RINVSRCADR',
    'source_addr must have at most 20 characters',
  ],
  [
    'a cancel with a destination_addr of 21',
    { command: 'cancel_sm', message_id: '1', destination_addr: '1'.repeat(21) },
    'ESME_RINVDSTADR',
    'destination_addr must have at most 20 characters',
  ],
];
