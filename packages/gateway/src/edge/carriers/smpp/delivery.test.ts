import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildHeader } from '@morsel/gsm';
import { standardProfile } from '@morsel/api/admin/routing/kinds/smpp.ts';
import { decode, encode, writeTlv, type Ask } from '@morsel/smpp';
import type { Delivery } from '../../../flow/routing/carrier-link.ts';
import { readAddress, parseDelivery } from './delivery.ts';

type Settings = Parameters<typeof parseDelivery>[1];
const textsOn: Settings = { ...standardProfile, textReceipts: 'on' };
const textsOff: Settings = { ...standardProfile, textReceipts: 'off' };

/** Through the wire, as a carrier would send it. */
function read(pdu: Ask, settings = textsOn): Delivery {
  const decoded = decode(encode({ ...pdu, sequence_number: 1 }));
  assert.ok(decoded.ok && (decoded.pdu.command === 'deliver_sm' || decoded.pdu.command === 'data_sm'));
  return parseDelivery(decoded.pdu, settings);
}

function deliver(
  text: string | Uint8Array,
  more: Partial<Ask & { command: 'deliver_sm' }> = {},
  settings = textsOn,
): Delivery {
  const short_message = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
  return read({ ...more, command: 'deliver_sm', short_message }, settings);
}

describe('addresses', () => {
  const rows: readonly (readonly [string, number, string])[] = [
    ['41791112233', 1, '+41791112233'],
    ['0041791112233', 0, '+41791112233'],
    ['41791112233', 0, '+41791112233'],
    ['12345', 0, '12345'],
    ['12345', 1, '12345'],
    ['ACME', 5, 'ACME'],
    ['12345678', 5, '12345678'],
    ['', 0, ''],
  ];
  for (const [address, ton, kept] of rows) {
    it(`${address || 'nothing'} with TON ${ton} is ${kept || 'nothing'}`, () =>
      assert.equal(readAddress(address, ton), kept));
  }
});

describe('a sender that its carrier marks as national', () => {
  const rows: readonly (readonly [source: string, ton: number, destination: string, kept: string])[] = [
    ['0791230001', 2, '41791112233', '+41791230001'],
    ['0791230001', 0, '41791112233', '+41791230001'],
    ['15112345678', 2, '4915199999999', '+4915112345678'],
    // An international number with the wrong mark, and one that needs no correction.
    ['41791230001', 2, '41791112233', '+41791230001'],
    ['15112345678', 1, '4915199999999', '+15112345678'],
    // Beside a short code the country is unknown. An address that cannot be a number is kept unchanged.
    ['0791230001', 0, '8811', '+0791230001'],
  ];
  for (const [source_addr, source_addr_ton, destination_addr, kept] of rows) {
    it(`${source_addr} with TON ${source_addr_ton} to ${destination_addr} is ${kept}`, () => {
      const delivery = deliver('STOP', {
        source_addr,
        source_addr_ton,
        destination_addr,
        dest_addr_ton: destination_addr.length > 8 ? 1 : 3,
      });
      assert.equal(delivery.sender, kept);
    });
  }
});

describe('a number of ours that its carrier marks as national', () => {
  const rows: readonly (readonly [
    destination: string,
    ton: number,
    source: readonly [string, number],
    home: string | null,
    kept: string,
    phone: string,
  ])[] = [
    ['0791112233', 2, ['41791230001', 1], null, '+41791112233', '+41791230001'],
    ['0791112233', 0, ['41791230001', 0], null, '+41791112233', '+41791230001'],
    // An international number with the wrong mark, whatever the other address is.
    ['41791112233', 2, ['41791230001', 1], null, '+41791112233', '+41791230001'],
    ['+41791112233', 2, ['4915112345678', 1], null, '+41791112233', '+4915112345678'],
    // With the carrier's country known, both may be marked so, and a foreign number misleads nothing.
    ['0791112233', 2, ['0791230001', 2], '41', '+41791112233', '+41791230001'],
    ['791112233', 2, ['4915112345678', 1], '41', '+41791112233', '+4915112345678'],
    ['8811', 3, ['0791230001', 0], '41', '8811', '+41791230001'],
    // The country is not known.
    ['0791112233', 2, ['0791230001', 2], null, '+0791112233', '+0791230001'],
    // Short codes and names stay as they are.
    ['8811', 2, ['41791230001', 1], null, '8811', '+41791230001'],
    ['08111111', 0, ['41791230001', 1], '41', '08111111', '+41791230001'],
    ['0791112233', 6, ['41791230001', 1], '41', '0791112233', '+41791230001'],
    ['0791112233', 2, ['ACME', 5], null, '+0791112233', 'ACME'],
    ['0791112233', 3, ['41791230001', 1], '41', '0791112233', '+41791230001'],
    ['0791112233', 5, ['41791230001', 1], '41', '0791112233', '+41791230001'],
    // So do addresses that cannot be numbers of that country.
    ['012345678901234', 2, ['41791230001', 1], '41', '+012345678901234', '+41791230001'],
  ];
  for (const [destination_addr, dest_addr_ton, [source_addr, source_addr_ton], home, kept, phone] of rows) {
    const from = `${source_addr} (${source_addr_ton})${home === null ? '' : `, of a carrier in ${home},`}`;
    it(`${destination_addr} with TON ${dest_addr_ton} beside ${from} is ${kept}`, () => {
      const addresses = { source_addr, source_addr_ton, destination_addr, dest_addr_ton };
      const delivery = deliver('STOP', addresses, { ...textsOn, countryCode: home });
      assert.deepEqual([delivery.receiver, delivery.sender], [kept, phone]);
    });
  }
});

// Which texts and TLVs are receipts is tested in `packages/smpp/src/receipt/receipt.test.ts`.
describe('a receipt and a message are never confused (O4)', () => {
  const id = writeTlv('receipted_message_id', '17');
  const state = writeTlv('message_state', 2);
  const whole = 'id:1 sub:001 dlvrd:001 submit date:2401010000 done date:2401010001 stat:DELIVRD err:000 text:';
  const rows: readonly (readonly [about: string, text: string, more: Parameters<typeof deliver>[1]])[] = [
    ['esm_class 4 and nothing else', '', { esm_class: 0x04 }],
    ['esm_class 0x20, in between', whole, { esm_class: 0x20 }],
    ['parameters, and the text of the message', 'id: hello', { tlvs: [id, state] }],
    ['text alone', whole, {}],
    ['text alone, behind a line feed', `\r\n${whole}`, {}],
    ['text alone, in UTF-16', Buffer.from(whole, 'utf16le').swap16().toString('latin1'), { data_coding: 8 }],
  ];
  for (const [about, text, more] of rows) {
    it(`a receipt by ${about}`, () => {
      const delivery = deliver(text, more);
      const isText = about.startsWith('text alone');
      assert.deepEqual([delivery.kind, delivery.kind === 'receipt' && !delivery.isMarked], ['receipt', isText]);
      // A person can write such a text, too: the carrier's setting decides what it is.
      const off = deliver(text, more, textsOff);
      assert.deepEqual([off.kind, 'looksLikeReceipt' in off], [isText ? 'inbound' : 'receipt', isText]);
    });
  }

  it('a text alone has the numbers of the message that it would be, with the country of the carrier', () => {
    const national = { source_addr_ton: 2, dest_addr_ton: 2 };
    const addresses = { source_addr: '0791230001', destination_addr: '0791112233', ...national };
    const delivery = deliver(whole, addresses, { ...textsOn, countryCode: '41' });
    assert.deepEqual([delivery.sender, delivery.receiver], ['+41791112233', '+41791230001']);
  });

  const messages: readonly (readonly [about: string, text: string, more: Parameters<typeof deliver>[1]])[] = [
    ['a person who writes as receipts do', 'id:123 sub:001 stat:DELIVRD what does that mean?', {}],
    ['a receipt shown to another', `Fwd: ${whole}`, {}],
    ['an id alone in the parameters', 'ok', { tlvs: [id] }],
    ['an acknowledgement by a person (esm_class 0x10)', 'ok', { esm_class: 0x10 }],
    ['a header', '\x05\x00\x03\x07\x02\x01id:1', { esm_class: 0x40 }],
  ];
  for (const [about, text, more] of messages)
    it(`a message: ${about}`, () => assert.equal(deliver(text, more).kind, 'inbound'));
});

describe('the content of a message', () => {
  it('is joined and decoded from the text or from message_payload', () => {
    const tlvs = [
      writeTlv('sar_msg_ref_num', 300),
      writeTlv('sar_total_segments', 2),
      writeTlv('sar_segment_seqnum', 1),
      writeTlv('source_port', 9200),
      writeTlv('destination_port', 2948),
    ];
    const addresses = {
      source_addr_ton: 1,
      source_addr: '41790000001',
      dest_addr_ton: 3,
      destination_addr: '8811',
    };
    const expected: Delivery = {
      kind: 'inbound',
      sender: '+41790000001',
      receiver: '8811',
      code: 3,
      coding: 'latin1',
      octets: Uint8Array.from(Buffer.from('Hi')),
      header: buildHeader([{ kind: 'ports', bits: 16, destination: 2948, source: 9200 }]),
      concatenation: { kind: 'apart', reference: 300, total: 2, number: 1 },
    };
    assert.deepEqual(deliver('Hi', { ...addresses, data_coding: 3, tlvs }), expected);
    const payload = writeTlv('message_payload', Buffer.from('Hi'));
    for (const command of ['deliver_sm', 'data_sm'] as const) {
      assert.deepEqual(read({ command, ...addresses, data_coding: 3, tlvs: [...tlvs, payload] }), expected);
    }
  });

  it('has octets of its own: they outlive the read buffer', () => {
    const pdu = Buffer.from(encode({ command: 'deliver_sm', sequence_number: 1, short_message: Buffer.from('Hi') }));
    const decoded = decode(pdu);
    assert.ok(decoded.ok && decoded.pdu.command === 'deliver_sm');
    const delivery = parseDelivery(decoded.pdu, textsOn);
    pdu.fill(0);
    assert.deepEqual(delivery.kind === 'inbound' && Buffer.from(delivery.octets).toString(), 'Hi');
  });
});
