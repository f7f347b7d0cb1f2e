import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildHeader, concatenation, encodeGsm, fillBitsAfter, packSeptets } from '@morsel/gsm';
import { decode, encode, formatRelativeTime, statusName, writeTlv, type EncodableOf } from '@morsel/smpp';
import { accountDefaults } from '../../../core/account/account.ts';
import { parseDraft, type ParsedDraft } from '../../../core/message/admission.ts';
import type { InboundCoding } from '@morsel/api/values/routing.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { submitSmStatus } from '../../refusals.ts';
import { readSubmission } from './read-submit-sm.ts';

/*
 * Reads a submit_sm, and checks the message as far as possible without a route. Refusals are in test/smpp/refused.ts.
 */

const now = Date.UTC(2026, 0, 31, 12);
const account = { ...accountDefaults, id: 1, name: 'acme', currency: 'EUR', status: 'active', priceList: 1 } as const;

type Fields = Partial<Omit<EncodableOf<'submit_sm'>, 'command'>>;

function draftOf(fields: Fields, defaultCoding: InboundCoding = 'gsm7') {
  const pdu = decode(
    encode({
      command: 'submit_sm',
      sequence_number: 1,
      source_addr_ton: 5,
      source_addr: 'ACME',
      dest_addr_ton: 1,
      destination_addr: '41791234567',
      ...fields,
    }),
  );
  assert.ok(pdu.ok && pdu.pdu.command === 'submit_sm');
  return readSubmission(pdu.pdu, { now: () => now, defaultCoding });
}

function read(fields: Fields, defaultCoding?: InboundCoding): Result<ParsedDraft, Rejection> {
  const draft = draftOf(fields, defaultCoding);
  return draft.ok ? parseDraft(draft.value, account, now) : draft;
}

function parsed(fields: Fields, defaultCoding?: InboundCoding): ParsedDraft {
  const result = read(fields, defaultCoding);
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

function statusOf(fields: Fields, version = 0x34): string {
  const result = read(fields);
  assert.ok(!result.ok, 'it is taken');
  return statusName(submitSmStatus(result.error, version));
}

function hex(octets: string): Uint8Array {
  return Buffer.from(octets.replaceAll(' ', ''), 'hex');
}

function ascii(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

describe('data_coding', () => {
  const rows: readonly (readonly [number, string, string, 'gsm7' | 'ucs2', boolean, InboundCoding?])[] = [
    [0, '48 00 1b65', 'H@€', 'gsm7', false],
    [0, '48e9', 'Hé', 'gsm7', false, 'latin1'],
    [0, 'c8f71b', 'Hoo', 'gsm7', false, 'gsm7-packed'],
    [1, '4840', 'H@', 'gsm7', false],
    [1, '60', '`', 'ucs2', false],
    [3, '48ea', 'Hê', 'ucs2', false],
    [8, '0048 20ac', 'H€', 'ucs2', false],
    [8, 'fffe 4800', 'H', 'ucs2', false],
    [8, 'd83d de00', '😀', 'ucs2', false],
    [0x10, '48', 'H', 'gsm7', true],
    [0x18, '0436', 'ж', 'ucs2', true],
    [0xf0, '48', 'H', 'gsm7', true],
    [0xf0, 'e9', 'é', 'gsm7', true, 'latin1'],
  ];
  for (const [dataCoding, octets, text, encoding, flash, setting] of rows) {
    it(`${dataCoding}${setting ? ` of an account whose 0 is ${setting}` : ''}: ${octets} is ${text}`, () => {
      const message = parsed({ data_coding: dataCoding, short_message: hex(octets) }, setting);
      assert.deepEqual([message.text, message.encoding, message.flash], [text, encoding, flash]);
      assert.equal(message.composed.clientEncoded, undefined);
    });
  }

  for (const dataCoding of [2, 4, 0x14, 0x15, 0xf4, 0xf5]) {
    it(`${dataCoding} is binary data, which is sent unchanged`, () => {
      const message = parsed({ data_coding: dataCoding, short_message: hex('00 ff 1b 80') });
      assert.deepEqual([message.dcs, message.encoding, message.text], ['BIN', 'binary', null]);
      assert.equal(Buffer.from(message.composed.parts[0] ?? []).toString('hex'), '00ff1b80');
    });
  }

  for (const dataCoding of [
    5, 6, 7, 9, 10, 13, 14, 0x0b, 0x12, 0x13, 0x16, 0x1c, 0x20, 0x40, 0xc0, 0xe0, 0xf2, 0xf6, 0xf8, 0xff,
  ]) {
    it(`${dataCoding} is refused, and the status names data_coding`, () => {
      assert.equal(statusOf({ data_coding: dataCoding, short_message: ascii('A') }), 'ESME_RSUBMITFAIL');
      assert.equal(statusOf({ data_coding: dataCoding, short_message: ascii('A') }, 0x50), 'ESME_RINVDCS');
    });
  }
});

describe('addresses', () => {
  const senders: readonly (readonly [number, number, string, string])[] = [
    [1, 1, '41791112233', '+41791112233'],
    [1, 1, '0041791112233', '+41791112233'],
    [1, 1, '12345', '12345'],
    [0, 0, '41791112233', '+41791112233'],
    [0, 0, 'ACME', 'ACME'],
    [3, 0, '12345', '12345'],
    [5, 0, 'Z\u00fcrich', 'Zürich'],
    [5, 0, '\u0010\u0018 Bank', 'ΔΣ Bank'],
    [5, 0, 'caf\u0005', 'café'],
  ];
  for (const [ton, npi, address, stored] of senders) {
    it(`a sender ${JSON.stringify(address)} of TON ${ton}, NPI ${npi} is stored as ${stored}`, () => {
      const fields = { source_addr_ton: ton, source_addr_npi: npi, source_addr: address, short_message: ascii('A') };
      assert.equal(parsed(fields).sender, stored);
    });
  }
  const receivers: readonly (readonly [number, number, string])[] = [
    [1, 1, '41791234567'],
    [1, 1, '0041791234567'],
    [0, 0, '41791234567'],
    [0, 1, '0041791234567'],
  ];
  for (const [ton, npi, address] of receivers) {
    it(`a receiver ${address} of TON ${ton}, NPI ${npi} is +41791234567`, () => {
      const fields = { dest_addr_ton: ton, dest_addr_npi: npi, destination_addr: address, short_message: ascii('A') };
      assert.equal(parsed(fields).receiver, '+41791234567');
    });
  }
});

const part8 = buildHeader([concatenation({ bits: 8, reference: 200, total: 2, number: 1 })]);
const part16 = buildHeader([concatenation({ bits: 16, reference: 0x1234, total: 3, number: 2 })]);
const udhi = 0x40;

function sar(reference: number, total: number, number: number) {
  return [
    writeTlv('sar_msg_ref_num', reference),
    writeTlv('sar_total_segments', total),
    writeTlv('sar_segment_seqnum', number),
  ];
}

/** Fields of a part with this header and so many letters. */
function filled(header: Uint8Array, length: number): Fields {
  return { esm_class: udhi, short_message: Buffer.concat([header, Buffer.alloc(length, 0x41)]) };
}

describe('a part that a client split itself', () => {
  const ways: readonly (readonly [string, Uint8Array, Fields])[] = [
    ['behind a header of 6 octets', part8, { esm_class: udhi }],
    ['behind a header of 7 octets', part16, { esm_class: udhi }],
    ['beside sar_ parameters', new Uint8Array(), { tlvs: sar(200, 2, 1) }],
  ];
  for (const [where, header, fields] of ways) {
    it(`is read to its last character if its septets are packed, ${where}, whatever is left of the last octet`, () => {
      for (let length = 1; length <= 24; length++) {
        const text = 'abcdefgh'.repeat(3).slice(0, length);
        const encoded = encodeGsm(text);
        assert.ok(encoded.ok);
        const packed = packSeptets(encoded.septets, header.length === 0 ? 0 : fillBitsAfter(header.length));
        const message = parsed({ ...fields, short_message: Buffer.concat([header, packed]) }, 'gsm7-packed');
        assert.equal(message.text, text);
        assert.deepEqual(Buffer.from(message.composed.parts[0] ?? []), Buffer.from(encoded.septets));
      }
    });
  }

  const behind = (header: Uint8Array): Fields => ({
    esm_class: udhi,
    short_message: Buffer.concat([header, ascii('Hi')]),
  });
  const hi = { short_message: ascii('Hi') };
  const half = { data_coding: 8, short_message: hex('0048 d83d'), tlvs: sar(7, 2, 1) };
  const turkish = { esm_class: udhi, short_message: hex('08 0003c80201 240101 1b73') };
  const rows: readonly (readonly [string, Fields, header: string, reference: number, text: string])[] = [
    ['an 8-bit header', behind(part8), '050003c80201', 200, 'Hi'],
    ['a 16-bit header', behind(part16), '06080412340302', 0x1234, 'Hi'],
    ['sar_ parameters', { ...hi, tlvs: sar(7, 2, 1) }, '050003070201', 7, 'Hi'],
    ['sar_ parameters of 16 bits', { ...hi, tlvs: sar(0x1234, 2, 1) }, '050003340201', 0x1234, 'Hi'],
    [
      'both, the header with the low octet',
      { ...behind(part8), tlvs: sar(0x12c8, 2, 1) },
      '050003c80201',
      0x12c8,
      'Hi',
    ],
    ['half a surrogate pair at its end', half, '050003070201', 7, 'H\ufffd'],
    ['Latin-1', { data_coding: 3, short_message: hex('48e9'), tlvs: sar(7, 2, 1) }, '050003070201', 7, 'Hé'],
    ['a national table', turkish, '080003c80201240101', 200, 'ş'],
  ];
  for (const [what, fields, header, reference, text] of rows) {
    it(`with ${what} is one part with that number`, () => {
      const message = parsed(fields);
      assert.equal(message.composed.numParts, 1);
      assert.equal(Buffer.from(buildHeader(message.composed.header)).toString('hex'), header);
      assert.deepEqual([message.composed.clientEncoded, message.text], [{ reference }, text]);
    });
  }

  const whole: readonly (readonly [string, Fields])[] = [
    ['part 1 of 1 in a header', { esm_class: udhi, short_message: hex('05 0003c80101 48') }],
    ['an empty header', { esm_class: udhi, short_message: hex('00 48') }],
  ];
  for (const [what, fields] of whole) {
    it(`${what} is an ordinary text`, () => {
      const message = parsed(fields);
      assert.deepEqual([message.text, message.composed.clientEncoded, message.composed.header], ['H', undefined, []]);
    });
  }

  it('may be as long as its header allows, and no longer', () => {
    for (const [header, room] of [
      [part8, 153],
      [part16, 152],
    ] as const) {
      assert.equal(parsed(filled(header, room)).composed.parts[0]?.length, room);
      assert.equal(statusOf(filled(header, room + 1)), 'ESME_RINVMSGLEN');
      assert.equal(statusOf({ ...filled(header, 141 - header.length), data_coding: 4 }), 'ESME_RINVMSGLEN');
    }
    assert.equal(parsed({ short_message: Buffer.alloc(153, 0x41), tlvs: sar(0x1234, 2, 1) }).composed.numParts, 1);
    assert.equal(statusOf({ short_message: Buffer.alloc(154, 0x41), tlvs: sar(0x1234, 2, 1) }), 'ESME_RINVMSGLEN');
    assert.equal(statusOf({ data_coding: 4, short_message: Buffer.alloc(141) }), 'ESME_RINVMSGLEN');
  });

  it('keeps the ports of its header; without a header, it gets the ports of its TLVs', () => {
    const ports = [writeTlv('destination_port', 2948), writeTlv('source_port', 9200)];
    const binary = { data_coding: 4, short_message: hex('0601'), tlvs: ports };
    assert.equal(Buffer.from(buildHeader(parsed(binary).composed.header)).toString('hex'), '0605040b8423f0');
    const clientEncoded = { ...binary, esm_class: udhi, short_message: hex('06 05040b8423f0 0601') };
    assert.equal(Buffer.from(buildHeader(parsed(clientEncoded).composed.header)).toString('hex'), '0605040b8423f0');
    const alone = { ...clientEncoded, short_message: hex('06 05040b8423f1 0601'), tlvs: [] };
    assert.equal(Buffer.from(buildHeader(parsed(alone).composed.header)).toString('hex'), '0605040b8423f1');
  });
});

describe('a long text', () => {
  it('in short_message or message_payload is split by the gateway, and a text in both is refused', () => {
    const long = Buffer.alloc(500, 0x41);
    const inPayload = { tlvs: [writeTlv('message_payload', long)] };
    assert.equal(parsed(inPayload).composed.numParts, 4);
    assert.equal(parsed({ short_message: long.subarray(0, 255) }).composed.numParts, 2);
    assert.equal(parsed({ ...inPayload, short_message: ascii('') }).text?.length, 500);
    assert.equal(statusOf({ ...inPayload, short_message: ascii('A') }), 'ESME_ROPTPARNOTALLWD');
    assert.equal(statusOf({ tlvs: [writeTlv('message_payload', Buffer.alloc(1531, 0x41))] }), 'ESME_RINVMSGLEN');
    assert.equal(statusOf({}), 'ESME_RINVMSGLEN');
  });
});

describe('fields', () => {
  const text = { short_message: ascii('A') };
  const hourMs = 3_600_000;
  it('schedule_delivery_time and validity_period are absolute or relative', () => {
    const taken: readonly (readonly [string, string, number | null, number])[] = [
      ['', '', null, 172_800_000],
      ['260131130000000+', '', now + hourMs, 172_800_000],
      ['260131140000004+', '', now + hourMs, 172_800_000],
      [formatRelativeTime(hourMs), '', now + hourMs, 172_800_000],
      ['', formatRelativeTime(hourMs), null, hourMs],
      ['', '260131123000000+', null, hourMs / 2],
      [formatRelativeTime(hourMs), formatRelativeTime(3 * hourMs), now + hourMs, 2 * hourMs],
    ];
    for (const [schedule_delivery_time, validity_period, sendAt, validityMs] of taken) {
      const message = parsed({ ...text, schedule_delivery_time, validity_period });
      assert.deepEqual([message.sendAt, message.validityMs], [sendAt, validityMs], schedule_delivery_time);
    }
  });

  it('priority_flag is normal or high', () => {
    const priorities = [0, 1, 2, 3].map((flag) => parsed({ ...text, priority_flag: flag }).priority);
    assert.deepEqual(priorities, ['normal', 'high', 'high', 'high']);
  });

  it('only the lowest bits of registered_delivery count', () => {
    const asked = [0, 1, 2, 3, 0x11, 0x10];
    const carried = asked.map((octet) => parsed({ ...text, registered_delivery: octet }).wantedReceipts);
    assert.deepEqual(carried, ['none', 'all', 'failures', 'successes', 'all', 'none']);
  });

  it('user_message_reference becomes the clientRef', () => {
    assert.equal(parsed({ ...text, tlvs: [writeTlv('user_message_reference', 4711)] }).clientRef, '4711');
  });

  for (const fields of [{ esm_class: 1 }, { esm_class: 3 }, { service_type: 'CMT' }, { service_type: 'WAP' }]) {
    it(`${JSON.stringify(fields)} is accepted`, () => assert.equal(parsed({ ...text, ...fields }).text, 'A'));
  }
});
