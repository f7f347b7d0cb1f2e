import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decode, encode, writeTlv, type PduOf, type Tlv } from '@morsel/smpp';
import type { Delivery } from '../../../flow/routing/carrier-link.ts';
import { DialectLooks, dialectOf, type SmppDialect } from './dialect.ts';

interface Given {
  readonly text: string;
  readonly esm?: number;
  readonly tlvs?: readonly Tlv[];
}

/** A PDU that was encoded and decoded, as the reader of receipts gets it. */
function pduOf({ text, esm = 4, tlvs = [] }: Given): PduOf<'deliver_sm' | 'data_sm'> {
  const short_message = Buffer.from(text, 'latin1');
  const decoded = decode(encode({ command: 'deliver_sm', sequence_number: 1, esm_class: esm, short_message, tlvs }));
  assert.ok(decoded.ok && decoded.pdu.command === 'deliver_sm');
  return decoded.pdu;
}

const idTlv = (id: string) => writeTlv('receipted_message_id', id);
const stateTlv = writeTlv('message_state', 2);
const errorTlv = writeTlv('network_error_code', Uint8Array.of(3, 0, 1));
const standard = 'id:42 sub:001 dlvrd:001 submit date:1405230303 done date:1405230303 stat:DELIVRD err:000 text:';

/** Real receipts, each with the name of its peculiarity. */
const rows: readonly (readonly [string, Given, Partial<SmppDialect>])[] = [
  [
    'the standard form',
    { text: standard },
    { idIn: 'text', stateIn: 'text', markedBy: 'esm_class', dates: '10', error: 'three digits', command: 'deliver_sm' },
  ],
  ['TLVs beside the text', { text: standard, tlvs: [idTlv('42'), stateTlv] }, { idIn: 'both', stateIn: 'both' }],
  ['a TLV in hexadecimal', { text: standard, tlvs: [idTlv('2a'), stateTlv] }, { idIn: 'differ', stateIn: 'both' }],
  [
    'TLVs alone',
    { text: '', tlvs: [idTlv('42'), stateTlv, errorTlv] },
    { idIn: 'tlv', stateIn: 'tlv', dates: 'none', error: 'network_error_code' },
  ],
  ['no esm_class, with TLVs', { esm: 0, text: standard, tlvs: [idTlv('42'), stateTlv] }, { markedBy: 'tlv' }],
  ['an esm_class of nothing, with a text', { esm: 0, text: standard }, { markedBy: 'text', idIn: 'text' }],
  ['dates of 14 digits', { text: standard.replaceAll('1405230303', '20110314181534') }, { dates: '14' }],
  ['no id at all', { text: standard.replace('id:42 ', '') }, { idIn: 'none' }],
  ['dates of 12 digits', { text: standard.replaceAll('1405230303', '230223194211') }, { dates: '12' }],
  ['dates of its own', { text: standard.replaceAll('1405230303', '180711070003912+') }, { dates: 'other' }],
  ['an error of four digits', { text: standard.replace('err:000', 'err:0000') }, { error: 'four digits' }],
  ['an error in hexadecimal', { text: standard.replace('err:000', 'err:21b') }, { error: 'hexadecimal' }],
  ['no error', { text: standard.replace('err:000 ', '') }, { error: 'none' }],
];

describe('the dialect of a receipt', () => {
  for (const [name, given, expected] of rows) {
    it(`is recognized in a receipt with ${name}`, () => {
      const dialect = dialectOf(pduOf(given));
      assert.ok(dialect);
      assert.deepEqual({ ...dialect, ...expected }, dialect);
    });
  }

  it('is undefined for an inbound message', () => {
    assert.equal(dialectOf(pduOf({ esm: 0, text: 'id: please call me' })), undefined);
  });

  it('is recorded for the first twenty receipts of each carrier, and every thousandth after that', () => {
    const looks = new DialectLooks();
    const pdu = pduOf({ text: standard });
    const delivery: Delivery = {
      kind: 'receipt',
      carrierIds: ['42'],
      isMarked: true,
      reason: null,
      state: 'DELIVERED',
      code: null,
      sender: '',
      receiver: '',
    };
    const looked = Array.from({ length: 2_000 }, () => looks.add(1, pdu, delivery)).filter((each) => each !== delivery);
    assert.equal(looked.length, 22);
    assert.notEqual(looks.add(2, pdu, delivery), delivery);
  });
});
