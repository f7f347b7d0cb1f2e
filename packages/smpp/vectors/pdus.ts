/*
 * PDUs written octet by octet from the standard, with their fields. Each command has at least one. The bind_transmitter
 * is the example of section 3.2. Spaces separate the fields.
 */
import type { Encodable } from '../src/index.ts';

export interface Vector {
  readonly hex: string;
  readonly pdu: Encodable;
}

function text(hex: string): Uint8Array {
  return Buffer.from(hex, 'latin1');
}

const bind = {
  system_id: 'SMPP3TEST',
  password: 'secret08',
  system_type: 'SUBMIT1',
  addr_ton: 1,
  addr_npi: 1,
} as const;

const bindBody = '534d5050335445535400 736563726574303800 5355424d49543100';

const addressesHex = '01 01 343637303000 05 00 4d6f7273656c00';
const addresses = {
  source_addr_ton: 1,
  source_addr_npi: 1,
  source_addr: '46700',
  dest_addr_ton: 5,
  destination_addr: 'Morsel',
} as const;

const source = { source_addr_ton: 1, source_addr_npi: 1, source_addr: '46700' } as const;

export const vectors: readonly Vector[] = [
  {
    hex: `0000002f 00000002 00000000 00000001 ${bindBody} 00 01 01 00`,
    pdu: { command: 'bind_transmitter', sequence_number: 1, ...bind },
  },
  {
    hex: `00000032 00000001 00000000 00000002 ${bindBody} 34 01 01 5e343600`,
    pdu: { command: 'bind_receiver', sequence_number: 2, ...bind, interface_version: 0x34, address_range: '^46' },
  },
  {
    hex: `0000002f 00000009 00000000 7fffffff ${bindBody} 50 01 01 00`,
    pdu: { command: 'bind_transceiver', sequence_number: 0x7fffffff, ...bind, interface_version: 0x50 },
  },
  {
    hex: '0000001a 80000002 00000000 00000001 534d5050335445535400',
    pdu: { command: 'bind_transmitter_resp', sequence_number: 1, system_id: 'SMPP3TEST' },
  },
  {
    hex: '00000010 80000001 0000000e 00000002',
    pdu: { command: 'bind_receiver_resp', command_status: 0x0e, sequence_number: 2, system_id: null },
  },
  {
    hex: '00000016 80000009 00000000 00000003 00 0210 0001 34',
    pdu: {
      command: 'bind_transceiver_resp',
      sequence_number: 3,
      system_id: '',
      tlvs: [{ tag: 0x0210, value: Uint8Array.of(0x34) }],
    },
  },
  {
    hex: '0000001a 0000000b 00000000 00000000 534d534300 7077643100',
    pdu: { command: 'outbind', sequence_number: 0, system_id: 'SMSC', password: 'pwd1' },
  },
  { hex: '00000010 00000006 00000000 00000004', pdu: { command: 'unbind', sequence_number: 4 } },
  { hex: '00000010 80000006 00000000 00000004', pdu: { command: 'unbind_resp', sequence_number: 4 } },
  { hex: '00000010 00000015 00000000 00000005', pdu: { command: 'enquire_link', sequence_number: 5 } },
  { hex: '00000010 80000015 00000000 00000005', pdu: { command: 'enquire_link_resp', sequence_number: 5 } },
  {
    hex: '00000010 80000000 00000003 00000006',
    pdu: { command: 'generic_nack', command_status: 3, sequence_number: 6 },
  },
  {
    hex:
      `0000004e 00000004 00000000 00000007 434d5400 ${addressesHex} 40 7f 03` +
      ' 3032303631303233333432393030305200 00 01 00 f1 00 09 050003000201 4f4bff 020c 0002 0102',
    pdu: {
      command: 'submit_sm',
      sequence_number: 7,
      service_type: 'CMT',
      ...addresses,
      esm_class: 0x40,
      protocol_id: 0x7f,
      priority_flag: 3,
      schedule_delivery_time: '020610233429000R',
      registered_delivery: 1,
      data_coding: 0xf1,
      short_message: Uint8Array.of(5, 0, 3, 0, 2, 1, 0x4f, 0x4b, 0xff),
      tlvs: [{ tag: 0x020c, value: Uint8Array.of(1, 2) }],
    },
  },
  {
    hex: '00000013 80000004 00000000 00000007 343200',
    pdu: { command: 'submit_sm_resp', sequence_number: 7, message_id: '42' },
  },
  {
    hex: '00000010 80000004 00000058 00000007',
    pdu: { command: 'submit_sm_resp', command_status: 0x58, sequence_number: 7, message_id: null },
  },
  {
    hex: '00000011 80000004 00000058 00000007 00',
    pdu: { command: 'submit_sm_resp', command_status: 0x58, sequence_number: 7, message_id: '' },
  },
  {
    hex: '0000001c 80000004 00000045 00000007 00 001d 0007 63726564697400',
    pdu: {
      command: 'submit_sm_resp',
      command_status: 0x45,
      sequence_number: 7,
      message_id: '',
      tlvs: [{ tag: 0x001d, value: text('credit\0') }],
    },
  },
  {
    hex: `0000002e 00000005 00000000 00000008 00 ${addressesHex} 00 00 00 00 00 00 00 03 00 02 e5e4`,
    pdu: {
      command: 'deliver_sm',
      sequence_number: 8,
      ...addresses,
      data_coding: 3,
      short_message: Uint8Array.of(0xe5, 0xe4),
    },
  },
  {
    hex: '00000011 80000005 00000000 00000008 00',
    pdu: { command: 'deliver_sm_resp', sequence_number: 8, message_id: '' },
  },
  {
    hex: '00000010 80000005 00000000 00000008',
    pdu: { command: 'deliver_sm_resp', sequence_number: 8, message_id: null },
  },
  {
    hex: `0000002b 00000103 00000000 00000009 00 ${addressesHex} 00 01 00 0424 0002 4869`,
    pdu: {
      command: 'data_sm',
      sequence_number: 9,
      ...addresses,
      registered_delivery: 1,
      tlvs: [{ tag: 0x0424, value: text('Hi') }],
    },
  },
  {
    hex: '00000016 80000103 000000fe 00000009 00 0425 0001 01',
    pdu: {
      command: 'data_sm_resp',
      command_status: 0xfe,
      sequence_number: 9,
      message_id: '',
      tlvs: [{ tag: 0x0425, value: Uint8Array.of(1) }],
    },
  },
  {
    hex: '0000001b 00000003 00000000 0000000a 343200 01 01 343637303000',
    pdu: { command: 'query_sm', sequence_number: 10, message_id: '42', ...source },
  },
  {
    hex: '00000026 80000003 00000000 0000000a 343200 3236313132313039313533303430302b00 02 00',
    pdu: {
      command: 'query_sm_resp',
      sequence_number: 10,
      message_id: '42',
      final_date: '261121091530400+',
      message_state: 2,
      error_code: 0,
    },
  },
  {
    hex: `00000025 00000008 00000000 0000000b 00 343200 ${addressesHex}`,
    pdu: { command: 'cancel_sm', sequence_number: 11, message_id: '42', ...addresses },
  },
  {
    hex: '00000010 80000008 00000011 0000000b',
    pdu: { command: 'cancel_sm_resp', command_status: 0x11, sequence_number: 11 },
  },
  {
    hex: '00000022 00000007 00000000 0000000c 343200 01 01 343637303000 00 00 01 00 02 4869',
    pdu: {
      command: 'replace_sm',
      sequence_number: 12,
      message_id: '42',
      ...source,
      registered_delivery: 1,
      short_message: text('Hi'),
    },
  },
  { hex: '00000010 80000007 00000000 0000000c', pdu: { command: 'replace_sm_resp', sequence_number: 12 } },
  {
    hex:
      '00000037 00000021 00000000 0000000d 00 01 01 343637303000 02 01 01 01 343637303100 02 6d796c69737400' +
      ' 00 00 00 00 00 00 00 00 00 02 4869',
    pdu: {
      command: 'submit_multi',
      sequence_number: 13,
      ...source,
      dest_addresses: [
        { dest_flag: 1, dest_addr_ton: 1, dest_addr_npi: 1, destination_addr: '46701' },
        { dest_flag: 2, dl_name: 'mylist' },
      ],
      short_message: text('Hi'),
    },
  },
  {
    hex: '00000020 80000021 00000000 0000000d 343200 01 01 01 343637303100 0000000b',
    pdu: {
      command: 'submit_multi_resp',
      sequence_number: 13,
      message_id: '42',
      unsuccess_smes: [{ dest_addr_ton: 1, dest_addr_npi: 1, destination_addr: '46701', error_status_code: 0x0b }],
    },
  },
  {
    hex: '00000026 00000102 00000000 0000000e 01 01 343637303000 05 00 4d6f7273656c00 0422 0001 00',
    pdu: {
      command: 'alert_notification',
      sequence_number: 14,
      ...source,
      esme_addr_ton: 5,
      esme_addr: 'Morsel',
      tlvs: [{ tag: 0x0422, value: Uint8Array.of(0) }],
    },
  },
  {
    hex: '00000028 00000111 00000000 0000000f 00 01 01 343637303000 343200 01 00 00 00 08 00 0604 0002 0003',
    pdu: {
      command: 'broadcast_sm',
      sequence_number: 15,
      ...source,
      message_id: '42',
      priority_flag: 1,
      data_coding: 8,
      tlvs: [{ tag: 0x0604, value: Uint8Array.of(0, 3) }],
    },
  },
  {
    hex: '00000013 80000111 00000000 0000000f 343200',
    pdu: { command: 'broadcast_sm_resp', sequence_number: 15, message_id: '42' },
  },
  {
    hex: '0000001b 00000112 00000000 00000010 343200 01 01 343637303000',
    pdu: { command: 'query_broadcast_sm', sequence_number: 16, message_id: '42', ...source },
  },
  {
    hex: '00000018 80000112 00000000 00000010 343200 0427 0001 01',
    pdu: {
      command: 'query_broadcast_sm_resp',
      sequence_number: 16,
      message_id: '42',
      tlvs: [{ tag: 0x0427, value: Uint8Array.of(1) }],
    },
  },
  {
    hex: '0000001c 00000113 00000000 00000011 00 343200 01 01 343637303000',
    pdu: { command: 'cancel_broadcast_sm', sequence_number: 17, message_id: '42', ...source },
  },
  { hex: '00000010 80000113 00000000 00000011', pdu: { command: 'cancel_broadcast_sm_resp', sequence_number: 17 } },
];

/** Converts a vector to its octets. */
export function octetsOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex');
}
