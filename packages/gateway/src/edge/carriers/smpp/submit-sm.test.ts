import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compose, concatenation, unpackSeptets, type InformationElement } from '@morsel/gsm';
import { decode, encode, readTlv } from '@morsel/smpp';
import { presets, standardProfile, type SmppProfile } from '@morsel/api/admin/routing/kinds/smpp.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import type { PartEncoding } from '../../../core/message/client-encoded-part.ts';
import { helloContent } from '../../../../test/support/store/store.ts';
import type { OutgoingPart } from '../../../flow/routing/carrier-link.ts';
import { submitSm } from './submit-sm.ts';

const now = Date.UTC(2026, 0, 31, 12);

function wire(text: string, more: Partial<OutgoingPart> = {}, profile: Partial<SmppProfile> = {}) {
  const composed = compose(text === '' ? 'own' : text, 'SMS');
  assert.ok(composed.ok);
  const part: OutgoingPart = {
    message: toMessageId(1),
    number: 1,
    attempt: 1,
    ...helloContent,
    sender: '+41791112233',
    receiver: '+41791234567',
    composed,
    reference: 7,
    expiresAt: now + 60_000,
    isWhole: false,
    ...more,
  };
  const decoded = decode(encode({ ...submitSm(part, { ...standardProfile, ...profile }, now), sequence_number: 1 }));
  assert.ok(decoded.ok && decoded.pdu.command === 'submit_sm');
  return decoded.pdu;
}

const senders: readonly (readonly [string, number, number, string])[] = [
  ['+41791112233', 1, 1, '41791112233'],
  ['ACME', 5, 0, 'ACME'],
  ['ΔΣ Bank', 5, 0, '\u0010\u0018 Bank'],
];
for (const [sender, ton, npi, address] of senders) {
  it(`sender ${sender} has TON ${ton}, NPI ${npi}`, () => {
    const pdu = wire('hello', { sender });
    assert.deepEqual([pdu.source_addr_ton, pdu.source_addr_npi, pdu.source_addr], [ton, npi, address]);
    assert.deepEqual([pdu.dest_addr_ton, pdu.dest_addr_npi, pdu.destination_addr], [1, 1, '41791234567']);
  });
}

it('a GSM text is sent as unpacked septets with data_coding 0, and asks for a receipt', () => {
  const pdu = wire('a€@');
  assert.deepEqual([pdu.data_coding, pdu.esm_class, pdu.registered_delivery], [0, 0, 1]);
  assert.deepEqual([...pdu.short_message], [0x61, 0x1b, 0x65, 0x00]);
});

it('other texts are sent as UTF-16BE with data_coding 8', () => {
  const pdu = wire('ж😀');
  assert.equal(pdu.data_coding, 8);
  assert.deepEqual([...pdu.short_message], [0x04, 0x36, 0xd8, 0x3d, 0xde, 0x00]);
});

it('a flash message has class 0 beside its alphabet', () => {
  assert.equal(wire('hello', { flash: true }).data_coding, 0x10);
  const other = wire('ж', { flash: true });
  assert.equal(other.data_coding, 0x18);
  assert.deepEqual([...other.short_message], [0x04, 0x36]);
});

it('each part of a long message has a user data header, which esm_class marks', () => {
  const second = wire('x'.repeat(200), { number: 2 });
  assert.equal(second.esm_class, 0x40);
  assert.deepEqual([...second.short_message.subarray(0, 6)], [5, 0, 3, 7, 2, 2]);
  assert.equal(second.short_message.length, 6 + 200 - 153);
});

describe('a profile', () => {
  it('decides how flash messages are marked', () => {
    const flash = { gsmFlashDataCoding: 0xf0, ucsFlashDataCoding: 0x19 };
    assert.equal(wire('hello', { flash: true }, flash).data_coding, 0xf0);
    assert.equal(wire('ж', { flash: true }, flash).data_coding, 0x19);
    assert.equal(wire('hello', {}, flash).data_coding, 0x00);
  });

  it('marks a flash message with class 0 of 3GPP TS 23.038, whatever the preset, unless another value is set', () => {
    for (const [name, { profile }] of Object.entries(presets)) {
      const codes = [false, true].flatMap((flash) =>
        ['hello', 'ж'].map((text) => wire(text, { flash }, profile).data_coding),
      );
      assert.deepEqual(codes, [0x00, 0x08, 0x10, 0x18], name);
    }
    // The data_coding for ordinary messages does not apply to flash messages.
    assert.equal(wire('hello', { flash: true }, { gsmDataCoding: 0xf1 }).data_coding, 0x10);
  });

  it('decides how numbers are written', () => {
    for (const [numberForm, source, destination] of [
      ['bare', '41791112233', '41791234567'],
      ['plus', '+41791112233', '+41791234567'],
      ['zeros', '0041791112233', '0041791234567'],
    ] as const) {
      const pdu = wire('hello', {}, { numberForm });
      assert.deepEqual([pdu.source_addr, pdu.destination_addr], [source, destination]);
      assert.equal(wire('hello', { sender: 'ACME' }, { numberForm }).source_addr, 'ACME');
    }
  });

  it('decides the TON of numbers', () => {
    const types = { senderShortCode: { ton: 6, npi: 0 }, receiverNumber: { ton: 2, npi: 1 } };
    const pdu = wire('hello', { sender: '12345' }, types);
    assert.deepEqual([pdu.source_addr_ton, pdu.source_addr_npi, pdu.dest_addr_ton], [6, 0, 2]);
  });

  it('decides how texts are encoded', () => {
    const rows: readonly (readonly [string, Partial<SmppProfile>, number, readonly number[]])[] = [
      ['é@[', { gsmCoding: 'latin1', gsmDataCoding: 3 }, 3, [0xe9, 0x40, 0x5b]],
      ['a@[', { gsmCoding: 'ascii', gsmDataCoding: 1 }, 1, [0x61, 0x40, 0x5b]],
      ['hello', { gsmCoding: 'gsm7-packed' }, 0, [0xe8, 0x32, 0x9b, 0xfd, 0x06]],
      ['ж', { ucsCoding: 'ucs2-le', ucsDataCoding: 0x18 }, 0x18, [0x36, 0x04]],
    ];
    for (const [text, profile, dataCoding, octets] of rows) {
      const pdu = wire(text, {}, profile);
      assert.deepEqual([pdu.data_coding, ...pdu.short_message], [dataCoding, ...octets]);
    }
  });

  it("sends no character that the carrier's alphabet lacks: none is replaced (A6)", () => {
    assert.throws(() => wire('10 €', {}, { gsmCoding: 'latin1' }), /short_message/);
    assert.throws(() => wire('é', {}, { gsmCoding: 'ascii' }), /short_message/);
  });

  it('decides how the parts of a long message are numbered, and never in two ways at once', () => {
    const text = 'x'.repeat(200);
    const sar = wire(text, { number: 2, reference: 9 }, { longMessages: 'sar' });
    assert.deepEqual([sar.esm_class, sar.short_message.length], [0, 200 - 153]);
    const told = [
      readTlv(sar, 'sar_msg_ref_num'),
      readTlv(sar, 'sar_total_segments'),
      readTlv(sar, 'sar_segment_seqnum'),
    ];
    assert.deepEqual(told, [9, 2, 2]);
    const whole = wire(text, { isWhole: true }, { longMessages: 'payload' });
    assert.deepEqual([whole.esm_class, whole.short_message.length, whole.tlvs.length], [0, 0, 1]);
    assert.deepEqual(Buffer.from(readTlv(whole, 'message_payload') ?? []).toString(), text);
    assert.deepEqual(wire('short', {}, { longMessages: 'sar' }).tlvs, []);
    assert.deepEqual(wire('short', {}, { longMessages: 'payload' }).tlvs, []);
  });

  it('packs the septets behind a header from a septet boundary on', () => {
    const pdu = wire('x'.repeat(200), { number: 2 }, { gsmCoding: 'gsm7-packed' });
    const [header, packed] = [pdu.short_message.subarray(0, 6), pdu.short_message.subarray(6)];
    assert.deepEqual([...header], [5, 0, 3, 7, 2, 2]);
    assert.equal(Buffer.from(unpackSeptets(packed, { fillBits: 1, count: 47 })).toString(), 'x'.repeat(47));
  });

  it('decides how the validity is written', () => {
    assert.equal(wire('hello').validity_period, '');
    assert.equal(wire('hello', {}, { validityForm: 'relative' }).validity_period, '000000000100000R');
    assert.equal(wire('hello', {}, { validityForm: 'absolute' }).validity_period, '260131120100000+');
    assert.equal(wire('hello', { expiresAt: 0 }, { validityForm: 'relative' }).validity_period, '000000000001000R');
  });

  it('decides which other fields and TLVs each message has', () => {
    const pdu = wire('hello', {}, { registeredDelivery: 0x11, extraTlvs: [{ tag: 0x1400, value: '4a6f' }] });
    assert.equal(pdu.registered_delivery, 0x11);
    assert.deepEqual(
      pdu.tlvs.map(({ tag, value }) => [tag, Buffer.from(value).toString()]),
      [[0x1400, 'Jo']],
    );
  });
});

describe('vendor TLVs of a client', () => {
  const extras = [
    { tag: 0x1400, octets: '4a6f' },
    { tag: 0x1402, octets: '' },
  ];
  const extraTlvs = [
    { tag: 0x1400, value: '00' },
    { tag: 0x1401, value: '01' },
  ];

  for (const passTlvs of ['any', [0x1402, 0x1400]] as const) {
    it(`are sent unchanged, and replace the carrier's TLVs with the same tags (${JSON.stringify(passTlvs)})`, () => {
      const pdu = wire('hello', { extras }, { passTlvs, extraTlvs });
      assert.deepEqual(
        pdu.tlvs.map(({ tag, value }) => [tag, Buffer.from(value).toString('hex')]),
        [
          [0x1401, '01'],
          [0x1400, '4a6f'],
          [0x1402, ''],
        ],
      );
    });
  }

  it('are never left out: a part is not sent to a carrier that does not accept one of them', () => {
    assert.throws(() => wire('hello', { extras }, { passTlvs: [0x1400] }), /tlvs: the carrier does not accept/);
  });
});

/** A client-encoded part. Its concatenation reference is 0x1234. */
function own(encoding: PartEncoding, header: readonly InformationElement[], octets: string): Partial<OutgoingPart> {
  const parts = [Buffer.from(octets, 'hex')];
  return {
    composed: { encoding, numParts: 1, parts, header, clientEncoded: { reference: 0x1234 } },
    reference: 0x1234,
  };
}

describe('a client-encoded part', () => {
  const place = concatenation({ bits: 16, reference: 0x1234, total: 3, number: 2 });
  const ports = { kind: 'ports', bits: 16, destination: 2948, source: 9200 } as const;
  const turkish = { kind: 'single-shift', identifier: 1 } as const;

  const rows: readonly (readonly [string, Partial<OutgoingPart>, Partial<SmppProfile>, number, number, string])[] = [
    ['septets', own('gsm7', [place], '4100'), {}, 0, 0x40, '06080412340302 4100'],
    ['packed septets', own('gsm7', [place], '4142'), { gsmCoding: 'gsm7-packed' }, 0, 0x40, '06080412340302 4121'],
    ['a national table', own('gsm7', [place, turkish], '1b73'), {}, 0, 0x40, '09080412340302240101 1b73'],
    ['UTF-16', own('ucs2', [place], 'd83d'), {}, 8, 0x40, '06080412340302 d83d'],
    ['binary with ports', own('binary', [ports], 'ff'), {}, 4, 0x40, '0605040b8423f0 ff'],
    ['binary to be shown at once', { ...own('binary', [], 'ff'), flash: true }, {}, 0x14, 0, 'ff'],
    ['sar_ and ports', own('binary', [place, ports], 'ff'), { longMessages: 'sar' }, 4, 0x40, '0605040b8423f0 ff'],
  ];
  for (const [what, part, profile, dataCoding, esmClass, octets] of rows) {
    it(`is sent unchanged: ${what}`, () => {
      const pdu = wire('', part, profile);
      assert.deepEqual([pdu.data_coding, pdu.esm_class], [dataCoding, esmClass]);
      assert.equal(Buffer.from(pdu.short_message).toString('hex'), octets.replaceAll(' ', ''));
      const reference = profile.longMessages === 'sar' ? 0x1234 : undefined;
      assert.equal(readTlv(pdu, 'sar_msg_ref_num'), reference);
    });
  }

  it('is not sent if the carrier cannot send its national table: a phone would decode other letters (A6)', () => {
    assert.throws(() => wire('', own('gsm7', [turkish], '1b73'), { gsmCoding: 'latin1' }), /national language table/);
  });
});
