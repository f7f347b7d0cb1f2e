import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildHeader, encodeGsm, encodeUcs2, fillBitsAfter, packSeptets, type InformationElement } from '@morsel/gsm';
import * as fc from 'fast-check';
import { inboundCodings, type InboundCoding } from '@morsel/api/values/routing.ts';
import { decode, encode, tlvTable, writeTlv, type Tlv } from '@morsel/smpp';
import { portsOf, readContent, type Ports } from '../../../core/message/inbound.ts';
import { codingOf, readUserData } from './user-data.ts';

const udhi = 0x40;
const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
const gsm = (text: string, national = {}) => {
  const encoded = encodeGsm(text, national);
  assert.ok(encoded.ok);
  return encoded.septets;
};
const swapped = (octets: Uint8Array) => Uint8Array.from(Buffer.from(octets).swap16());
const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const behind = (elements: readonly InformationElement[], data: Uint8Array) =>
  Uint8Array.from([...buildHeader(elements), ...data]);

interface More {
  readonly esmClass?: number;
  readonly number?: number;
  readonly ports?: Ports | null;
}

type Part = Parameters<typeof readContent>[0][number];
interface Sar {
  readonly reference: number;
  readonly total: number | undefined;
  readonly number: number;
}

/** The user data of a deliver_sm, through the wire. */
function read(
  coding: InboundCoding,
  octets: Uint8Array,
  { esmClass = 0, tlvs = [] }: { readonly esmClass?: number; readonly tlvs?: readonly Tlv[] },
) {
  const pdu = { command: 'deliver_sm', sequence_number: 1, esm_class: esmClass, tlvs } as const;
  const isLong = octets.length > 254;
  const payload = isLong ? { tlvs: [...tlvs, writeTlv('message_payload', octets)] } : { short_message: octets };
  const decoded = decode(encode({ ...pdu, ...payload }));
  assert.ok(decoded.ok && decoded.pdu.command === 'deliver_sm');
  return readUserData(decoded.pdu, { 0: coding });
}

/** A number in four octets, which carriers may send, too: it can be larger than the standard allows. */
function wide(name: keyof typeof tlvTable, value: number): Tlv {
  const octets = Buffer.alloc(4);
  octets.writeUInt32BE(value);
  return { tag: tlvTable[name].tag, value: octets };
}

function part(coding: InboundCoding, octets: Uint8Array, { esmClass = 0, number = 1, ports }: More = {}): Part {
  const tlvs = ports ? [wide('destination_port', ports.destination), wide('source_port', ports.source)] : [];
  return { ...read(coding, octets, { esmClass, tlvs }), number };
}

function placeIn(octets: Uint8Array, esmClass: number, sar?: Sar): unknown {
  const tlvs = sar
    ? [
        wide('sar_msg_ref_num', sar.reference),
        ...(sar.total === undefined ? [] : [wide('sar_total_segments', sar.total)]),
        wide('sar_segment_seqnum', sar.number),
      ]
    : [];
  return read('gsm7', octets, { esmClass, tlvs }).concatenation;
}

describe('data_coding', () => {
  const rows: readonly (readonly [coding: InboundCoding, values: readonly number[]])[] = [
    ['gsm7', [0x00, 0x10, 0x11, 0x13, 0x40, 0x50, 0x80, 0xb0, 0xc0, 0xc8, 0xd0, 0xf0, 0xf3]],
    ['ascii', [0x01]],
    ['latin1', [0x03]],
    ['ucs2', [0x08, 0x18, 0x1b, 0x48, 0x58, 0xe0, 0xe8]],
    ['binary', [0x02, 0x04, 0x05, 0x06, 0x09, 0x0e, 0x14, 0x17, 0x20, 0x28, 0x30, 0x60, 0xf4, 0xf7]],
  ];
  for (const [coding, values] of rows) {
    it(`${values.map((value) => `0x${value.toString(16)}`).join(', ')}: ${coding} (3GPP TS 23.038, 4)`, () =>
      assert.deepEqual(
        values.map((value) => codingOf(value, {})),
        values.map(() => coding),
      ));
  }

  it("means the coding in the carrier's table, if the table has it", () => {
    assert.deepEqual(
      [0, 3, 8].map((value) => codingOf(value, { 0: 'latin1', 8: 'ucs2-le' })),
      ['latin1', 'latin1', 'ucs2-le'],
    );
  });
});

describe('the text of a part', () => {
  const turkish = (['single-shift', 'locking-shift'] as const).map((kind) => ({ kind, identifier: 1 }));
  const ofTurkish = gsm('Işık şöyle €', { locking: 'turkish', single: 'turkish' });
  const packed = packSeptets(gsm('Hello you'), fillBitsAfter(6));
  const packedBehind = Uint8Array.from([...hex('050003070201'), ...packed]);
  const rows: readonly (readonly [about: string, part: Part, dcs: string, text: string])[] = [
    ['GSM, unpacked, with its extension table', part('gsm7', gsm('Grüezi @ 5 €')), 'GSM', 'Grüezi @ 5 €'],
    ['GSM, packed', part('gsm7-packed', packSeptets(gsm('Hello world'))), 'GSM', 'Hello world'],
    ['Latin-1 that GSM cannot say', part('latin1', latin1('Îles ©')), 'UCS', 'Îles ©'],
    ['ASCII with octets that it has not', part('ascii', latin1('caf\u00e9')), 'GSM', 'café'],
    ['UCS-2', part('ucs2', encodeUcs2('Спасибо 👍')), 'UCS', 'Спасибо 👍'],
    ['UCS-2 with a byte order mark', part('ucs2', encodeUcs2('\ufeffHello')), 'UCS', 'Hello'],
    ['little-endian by its mark', part('ucs2', swapped(encodeUcs2('\ufeffПривет'))), 'UCS', 'Привет'],
    ['little-endian by the look of it', part('ucs2', swapped(encodeUcs2('Hello'))), 'UCS', 'Hello'],
    ['little-endian by the table', part('ucs2-le', swapped(encodeUcs2('да'))), 'UCS', 'да'],
    ['Chinese that has octets like ASCII', part('ucs2', encodeUcs2('一一一')), 'UCS', '一一一'],
    ['an odd octet at the end', part('ucs2', hex('0041004200')), 'UCS', 'AB'],
    [
      'Turkish by its shift tables',
      part('gsm7', behind(turkish, ofTurkish), { esmClass: udhi }),
      'GSM',
      'Işık şöyle €',
    ],
    ['packed behind a header', part('gsm7-packed', packedBehind, { esmClass: udhi }), 'GSM', 'Hello you'],
    ['a header that is longer than all of it', part('gsm7', gsm('zero'), { esmClass: udhi }), 'GSM', 'zero'],
    ['a header that is broken inside', part('gsm7', hex('0300ff016f6b'), { esmClass: udhi }), 'GSM', 'ok'],
  ];
  for (const [about, given, dcs, text] of rows) {
    it(`${about}: "${text}"`, () => {
      const content = readContent([given]);
      assert.deepEqual([content.dcs, content.text, content.octets], [dcs, text, null]);
    });
  }

  it('binary content is kept as octets, without the header, whose ports are kept', () => {
    const ports = { destination: 2948, source: 9200 };
    const octets = behind([{ kind: 'ports', bits: 16, ...ports }], hex('00ff80'));
    const content = readContent([part('binary', octets, { esmClass: udhi })]);
    assert.deepEqual([content.dcs, content.text, content.octets], ['BIN', null, hex('00ff80')]);
    assert.deepEqual(portsOf(content.header), ports);
    assert.deepEqual(portsOf(readContent([part('binary', hex('00'), { ports })]).header), ports);
    assert.equal(readContent([part('binary', hex('00'))]).header, null);
  });

  it('a header full of language tables leaves room for the ports of TLVs', () => {
    const tables = Array.from({ length: 85 }, () => ({ kind: 'single-shift', identifier: 1 }) as const);
    const ports = { destination: 2948, source: 9200 };
    const octets = behind(tables, gsm('Işık', { single: 'turkish' }));
    const content = readContent([part('gsm7', octets, { esmClass: udhi, ports })]);
    assert.deepEqual([content.text, portsOf(content.header)], ['Işık', ports]);
  });
});

describe('the place of a part', () => {
  const sar = { reference: 7, total: 3, number: 2 };
  const rows: readonly (readonly [about: string, octets: string, sar: typeof sar | undefined, place: unknown])[] = [
    ['8 bits', '050003ff030241', undefined, { kind: '8-bit', reference: 255, total: 3, number: 2 }],
    ['16 bits', '06080401ff030241', undefined, { kind: '16-bit', reference: 511, total: 3, number: 2 }],
    ['behind another element', '08240103000305020141', undefined, { kind: '8-bit', reference: 5, total: 2, number: 1 }],
    ['in both: the header', '050003ff030241', sar, { kind: '8-bit', reference: 255, total: 3, number: 2 }],
    ['the only part', '050003ff010141', undefined, null],
    ['a number over the total', '050003ff020341', undefined, null],
  ];
  for (const [about, octets, other, place] of rows) {
    it(`${about}: ${JSON.stringify(place)}`, () => assert.deepEqual(placeIn(hex(octets), udhi, other), place));
  }

  it('is read from sar_ parameters, if their numbers are possible', () => {
    const data = hex('050003ff0302');
    assert.deepEqual(placeIn(data, 0, sar), { kind: 'apart', ...sar });
    for (const wrong of [
      { total: 1, number: 1 },
      { total: 256 },
      { number: 4 },
      { number: 0 },
      { reference: 65_536 },
    ]) {
      assert.equal(placeIn(data, 0, { ...sar, ...wrong }), null, JSON.stringify(wrong));
    }
    assert.equal(placeIn(data, 0, { ...sar, total: undefined }), null);
    assert.equal(placeIn(data, 0), null);
  });
});

describe('parts together', () => {
  it('are joined before they are decoded, so a character that was cut between parts is whole again', () => {
    const escape = [part('gsm7', hex('411b')), part('gsm7', hex('6542'), { number: 2 })];
    assert.equal(readContent(escape).text, 'A€B');
    const thumb = encodeUcs2('👍');
    const pair = [part('ucs2', thumb.subarray(0, 2)), part('ucs2', thumb.subarray(2), { number: 2 })];
    assert.equal(readContent(pair).text, '👍');
  });

  it('are not joined if one is missing between them, or the coding changes', () => {
    const gap = [part('gsm7', hex('411b')), part('gsm7', hex('6542'), { number: 3 })];
    assert.equal(readContent(gap).text, 'A eB');
    const mixed = readContent([part('gsm7', gsm('ä')), part('ucs2', encodeUcs2('я'), { number: 2 })]);
    assert.deepEqual([mixed.dcs, mixed.text], ['UCS', 'äя']);
    const binary = readContent([part('gsm7', gsm('a')), part('binary', hex('ff'), { number: 2 })]);
    assert.deepEqual([binary.dcs, binary.octets], ['BIN', hex('61ff')]);
  });

  it('each lose their byte order mark, which is not a character', () => {
    const parts = ['Hello ', 'world'].map((text, at) =>
      part('ucs2', swapped(encodeUcs2(`\ufeff${text}`)), { number: at + 1 }),
    );
    assert.equal(readContent(parts).text, 'Hello world');
  });

  it('never throw, whatever the octets are', () => {
    const anyPart = fc.record({
      coding: fc.constantFrom(...inboundCodings),
      octets: fc.uint8Array({ maxLength: 300 }),
      esmClass: fc.integer({ min: 0, max: 255 }),
      number: fc.integer({ min: 1, max: 255 }),
      ports: fc.constantFrom(null, { destination: 65_535, source: 0 }, { destination: 65_536, source: 0 }),
    });
    fc.assert(
      fc.property(fc.array(anyPart, { minLength: 1, maxLength: 5 }), (drawn) => {
        const parts = drawn.map(({ coding, octets, ...more }) => part(coding, octets, more));
        const { dcs, text, octets } = readContent(parts);
        assert.equal(dcs === 'BIN', text === null);
        assert.equal(dcs === 'BIN', octets !== null);
      }),
    );
  });
});
