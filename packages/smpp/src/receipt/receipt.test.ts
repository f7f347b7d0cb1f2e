import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import * as fc from 'fast-check';
import { readShared } from '../../vectors/shared.ts';
import { decode } from '../codec/decode.ts';
import { encode } from '../codec/encode.ts';
import { messageStateTable, stateOfStat, type MessageState } from './message-state.ts';
import type { Encodable, Tlvs } from '../codec/pdu.ts';
import { parseReceiptText } from './receipt-text.ts';
import { type Receipt, readReceipt } from './read-receipt.ts';
import { tlvTable, writeTlv } from '../codec/tlvs.ts';
import { writeReceipt } from './write-receipt.ts';

/* Tests of delivery receipts: which PDUs are receipts, and which values are read from the forms that carriers use. */

interface Parts {
  readonly esm?: number;
  readonly text?: string;
  readonly tlvs?: Tlvs;
}

/** The receipt in a PDU that was encoded and decoded, as `readReceipt` gets it. */
function read({ esm = 4, text = '', tlvs = [] }: Parts): Receipt | undefined {
  return readPdu({
    command: 'deliver_sm',
    sequence_number: 1,
    esm_class: esm,
    short_message: Buffer.from(text, 'latin1'),
    tlvs,
  });
}

function readPdu(pdu: Encodable): Receipt | undefined {
  const decoded = decode(encode(pdu));
  assert.ok(decoded.ok && (decoded.pdu.command === 'deliver_sm' || decoded.pdu.command === 'data_sm'));
  return readReceipt(decoded.pdu);
}

/** The id, state and error of each shared receipt, by its `n`, as a person would read them. */
const wildFacts: Readonly<Record<number, readonly [string | undefined, MessageState, string | undefined]>> = {
  1: ['117062714244798261', 'DELIVERED', '0000'],
  3: ['0654354026', 'DELIVERED', '000'],
  5: ['45013692', 'UNDELIVERABLE', '21'],
  7: ['1216080510463401720', 'UNDELIVERABLE', '002'],
  9: ['rdwjwxns18krxr9936ey96ymcw', 'UNDELIVERABLE', '000'],
  11: ['12345-54321', 'ACCEPTED', '999'],
  13: ['0966279342', 'UNDELIVERABLE', '000'],
  15: ['40072910491419819', 'UNDELIVERABLE', '001'],
  17: ['0669703056', 'EXPIRED', '254'],
  19: ['86', 'DELIVERED', undefined],
  21: ['1162999967', 'UNDELIVERABLE', '255'],
  23: ['0000AB12', 'EXPIRED', '255'],
  25: ['c449ab9744f47b6af1879e49e75e4f40', 'ACCEPTED', '0'],
  27: ['b756c4f97aa2e1e67377dffc5e2f7d9b', 'REJECTED', '1'],
  29: ['4791967', 'ENROUTE', '0'],
  31: ['5516a151-4970-45b6-b73e-95aefdb11cbf', 'DELIVERED', '000'],
  33: ['DA86D4610CE0C0D23B0165A278EC0C43', 'EXPIRED', '001'],
  35: ['0416342074', 'DELIVERED', '000'],
  37: ['4a38dc46-5125-4969-90be-72104c340d5c', 'DELIVERED', '000'],
  39: ['68673723', 'DELIVERED', '0'],
  41: ['7a44aaba-336f-4a92-9502-dd106aa7369f', 'DELIVERED', '000'],
  43: ['2E179B310EDE971B2760C72B7F026E1B', 'DELIVERED', '0'],
  45: ['0123456789', 'DELIVERED', '21b'],
  47: ['e731049e9fc84e61', 'DELIVERED', '000'],
  49: ['44191696', 'ENROUTE', '000'],
  51: ['5be9f816f19992a78c8e26442f8afa50', 'DELIVERED', '000'],
  53: [undefined, 'DELIVERED', '000'],
  55: ['64567564356765435676', 'DELIVERED', '000'],
  57: ['1234567890', 'DELIVERED', '000'],
  59: ['0b6469b0-6d88-11e8-a95e-000c29bbdf85', 'ACCEPTED', '000'],
  61: [undefined, 'UNDELIVERABLE', '001'],
};

test('real receipts are read as a person would read them, with esm_class and without', (context) => {
  for (const { n, text } of wild(context, 'receipts/receipts.jsonl')) {
    for (const [esm, evidence] of [
      [0x04, 'esm_class'],
      [0x00, 'text'],
      [0x01, 'text'],
      [0x20, 'esm_class'],
    ] as const) {
      const receipt = read({ esm, text });
      assert.deepEqual([receipt?.id, receipt?.state, receipt?.error], wildFacts[n], `${n}`);
      assert.equal(receipt?.evidence, evidence, `${n}`);
      assert.equal(receipt.textId, undefined);
    }
  }
});

test('only receipts are found among the real PDUs', (context) => {
  /** For the number `n` of each PDU: id, textId, state, error and evidence. */
  const expected: Readonly<Record<number, readonly unknown[]>> = {
    0: ['6a3ed98a66444e8abac3acd9bba8656f', undefined, 'UNDELIVERABLE', '000', 'esm_class'],
    2: ['bc59b8aa-2fd2-4035-8113-19301e050079', undefined, 'DELIVERED', '000', 'esm_class'],
    6: ['145100315320224957', undefined, 'DELIVERED', '0000', 'esm_class'],
    7: ['4D19C83C', undefined, 'DELIVERED', '0000', 'esm_class'],
    11: ['18d0e03a', '0416342074', 'DELIVERED', '000', 'esm_class'],
    12: ['18d0e03a', '0416342074', 'DELIVERED', '000', 'esm_class'],
    32: ['38601fa', '0059113978', 'DELIVERED', '000', 'esm_class'],
    137: ['0966279342', undefined, 'UNDELIVERABLE', '000', 'esm_class'],
  };
  for (const { n, hex } of wild(context, 'smpp/pdus.jsonl')) {
    const decoded = decode(Buffer.from(hex, 'hex'));
    if (!decoded.ok || (decoded.pdu.command !== 'deliver_sm' && decoded.pdu.command !== 'data_sm')) continue;
    const receipt = readReceipt(decoded.pdu);
    const given = receipt && [receipt.id, receipt.textId, receipt.state, receipt.error, receipt.evidence];
    assert.deepEqual(given, expected[n], `${n}`);
  }
});

const id = writeTlv('receipted_message_id', 'ab12');
const delivered = writeTlv('message_state', 2);
const networkError = (...octets: number[]) => ({
  tag: tlvTable.network_error_code.tag,
  value: Uint8Array.from(octets),
});
const standard = 'id:42 sub:001 dlvrd:001 submit date:2611210915 done date:2611210916 stat:UNDELIV err:005 text:Hello';

test('the values of a receipt are read, and TLVs win over the text', () => {
  const rows: readonly (readonly [string, Parts, Partial<Receipt>])[] = [
    ['the standard text', { text: standard }, { id: '42', state: 'UNDELIVERABLE', error: '005', final: true }],
    ['its dates', { text: standard }, { submitDate: '2611210915', doneDate: '2611210916', statText: 'UNDELIV' }],
    ['TLVs win', { text: standard, tlvs: [id, delivered] }, { id: 'ab12', textId: '42', state: 'DELIVERED' }],
    [
      'TLVs alone',
      { tlvs: [id, delivered] },
      { id: 'ab12', textId: undefined, state: 'DELIVERED', statText: undefined },
    ],
    ['an id TLV and a stat', { esm: 0, text: 'stat:DELIVRD', tlvs: [id] }, { evidence: 'tlv', state: 'DELIVERED' }],
    ['an empty id TLV', { text: standard, tlvs: [writeTlv('receipted_message_id', '')] }, { id: '42' }],
    ['the same id twice', { text: standard, tlvs: [writeTlv('receipted_message_id', '42')] }, { textId: undefined }],
    ['a state of no standard', { text: standard, tlvs: [writeTlv('message_state', 77)] }, { state: 'UNDELIVERABLE' }],
    ['state 0 alone', { tlvs: [id, writeTlv('message_state', 0)] }, { state: 'SCHEDULED', final: false }],
    ['intermediate is never final', { esm: 0x20, text: standard }, { state: 'UNDELIVERABLE', final: false }],
    ['with a UDH flag and a store mode', { esm: 0x47, text: standard }, { evidence: 'esm_class' }],
    ['upper case', { text: standard.toUpperCase() }, { id: '42', state: 'UNDELIVERABLE' }],
    ['a space after the colon', { text: 'id: 42 stat: DELIVRD err: 1' }, { id: '42', state: 'DELIVERED', error: '1' }],
    ['commas between', { text: 'id:42, stat:DELIVRD, err:1' }, { id: '42', state: 'DELIVERED', error: '1' }],
    ['NULs between', { text: 'id:42\0stat:DELIVRD\0' }, { id: '42', state: 'DELIVERED' }],
    ['text in the middle', { text: 'id:42 text:Hello stat:DELIVRD' }, { state: 'DELIVERED' }],
    ['text that lies', { text: `${standard} id:43 stat:DELIVRD` }, { id: '42', state: 'UNDELIVERABLE' }],
    ['keys that end in ours', { text: 'guid:1 id:42 thestat:DELIVRD' }, { id: '42', state: undefined }],
    ['an unknown stat', { text: 'id:42 stat:WHAT' }, { state: undefined, final: false, statText: 'WHAT' }],
    ['nothing at all', {}, { id: undefined, state: undefined, final: false, error: undefined, evidence: 'esm_class' }],
    ['nothing after the keys', { text: 'id: stat: err:' }, { id: undefined, state: undefined, error: undefined }],
    ['err of no value is no error', { text: 'id:42 err:', tlvs: [networkError(3, 0, 0)] }, { error: '0' }],
    ['type and code', { text: standard, tlvs: [networkError(3, 1, 4)] }, { error: '260' }],
    ['three digits', { text: standard, tlvs: [networkError(0x30, 0x31, 0x32)] }, { error: '012' }],
    ['a code that is none', { text: standard, tlvs: [networkError()] }, { error: '005' }],
    ['two octets', { text: standard, tlvs: [networkError(1, 4)] }, { error: '260' }],
    ['one octet', { text: standard, tlvs: [networkError(11)] }, { error: '11' }],
    ['a code of 0 beside an err', { text: standard, tlvs: [networkError(3, 0, 0)] }, { error: '005' }],
  ];
  for (const [name, parts, expected] of rows) {
    const receipt = read(parts);
    assert.ok(receipt !== undefined, name);
    assert.deepEqual({ ...receipt, ...expected }, receipt, name);
  }
});

test('a text that a person wrote is no receipt', () => {
  const rows: readonly (readonly [string, Parts])[] = [
    ['id:', { esm: 0, text: 'id: please call me' }],
    ['no date', { esm: 0, text: 'id:42 sub:001 dlvrd:001 stat:DELIVRD err:000' }],
    ['a stat of no meaning', { esm: 0, text: 'id:42 sub:001 submit date:2611210915 stat:fine err:000' }],
    ['only in its text', { esm: 0, text: 'text:id:42 sub:001' }],
    ['an id TLV without a state', { esm: 0, text: 'Hello', tlvs: [id] }],
    ['a state without an id', { esm: 0, text: 'Hello', tlvs: [delivered] }],
    ['an acknowledgement by the phone', { esm: 0x08, text: 'Hello' }],
    ['a concatenated message', { esm: 0x40, text: '\u0005\u0000\u0003\u0001\u0002\u0001Hello' }],
  ];
  for (const [name, parts] of rows) assert.equal(read(parts), undefined, name);
});

test('the text may be in message_payload, in a data_sm, or in UCS-2', () => {
  const payload = writeTlv('message_payload', Buffer.from(standard));
  assert.equal(read({ tlvs: [payload] })?.id, '42');
  assert.equal(readPdu({ command: 'data_sm', sequence_number: 1, esm_class: 4, tlvs: [payload] })?.id, '42');
  const littleEndian = Buffer.from(standard, 'utf16le');
  const bigEndian = Buffer.from(littleEndian).swap16();
  for (const text of [littleEndian, bigEndian]) {
    const receipt = read({ esm: 0, text: text.toString('latin1') });
    assert.deepEqual([receipt?.id, receipt?.state], ['42', 'UNDELIVERABLE']);
  }
});

test('a stat is read in the spellings of real carriers', () => {
  const rows: Readonly<Record<MessageState, string>> = {
    DELIVERED: 'DELIVRD DLVRD DELIVERED DELIVERD delivrd Delivered DELIVRED',
    EXPIRED: 'EXPIRED EXPIRD expired',
    DELETED: 'DELETED DELETD CANCELED',
    UNDELIVERABLE: 'UNDELIV UNDELIVERABLE UNDELIVERED UNDELIVRD UNDLVRD FAILED FAIL NOT_DELIVERED',
    ACCEPTED: 'ACCEPTD ACCEPTED ACKED',
    UNKNOWN: 'UNKNOWN UNKNOWN.',
    REJECTED: 'REJECTD REJECTED DND_REJECTED REJECTED_DND',
    ENROUTE: 'ENROUTE EN_ROUTE ENROUTED',
    SCHEDULED: 'SCHEDULED SCHEDLD BUFFERD BUFFERED QUEUED',
    SKIPPED: 'SKIPPED',
  };
  for (const [state, stats] of Object.entries(rows)) {
    for (const stat of stats.split(' ')) assert.equal(stateOfStat(stat), state, stat);
  }
  for (const stat of ['', '2', 'WHAT', '123']) assert.equal(stateOfStat(stat), undefined, stat);
});

test('exactly the form of the standard is read as any form that differs by a space at its start', () => {
  const value = fc.string({
    unit: fc.constantFrom('1', 'a', ':', ' ', ',', '\xa0', '\0', 'err', 'stat:', ' text:'),
    maxLength: 4,
  });
  const keys = ['id:', ' sub:', ' dlvrd:', ' submit date:', ' done date:', ' stat:', ' err:', ' text:'];
  const simple = fc.oneof({ weight: 9, arbitrary: fc.constantFrom('', '1', 'x:y') }, { weight: 1, arbitrary: value });
  fc.assert(
    fc.property(fc.tuple(...keys.map(() => simple)), (values) => {
      const text = keys.map((key, at) => `${key}${values[at]}`).join('');
      const [exact, other] = [text, ` ${text}`].map((each) => parseReceiptText(Buffer.from(each, 'latin1')));
      assert.deepEqual(exact, other);
    }),
    { numRuns: 2_000 },
  );
});

test('a very long text does not take long', () => {
  for (const piece of ['id:', ' id:', 'submit date', ',;|', 'x']) {
    const start = process.hrtime.bigint();
    parseReceiptText(Buffer.from(piece.repeat(65_000 / piece.length)));
    assert.ok(process.hrtime.bigint() - start < 250_000_000n, piece);
  }
});

test('a written receipt has the standard text and TLVs', () => {
  const at = Date.parse('2026-11-21T09:15:30Z');
  const text = Buffer.from('A text of more than twenty characters');
  const receipt = {
    id: '1009876543210123',
    state: 'DELIVERED',
    submittedAtMs: at,
    doneAtMs: at + 60_000,
    text,
  } as const;
  const written = writeReceipt(receipt);
  assert.equal(
    Buffer.from(written.short_message).toString(),
    'id:1009876543210123 sub:001 dlvrd:001 submit date:2611210915 done date:2611210916 stat:DELIVRD err:000' +
      ' text:A text of more than ',
  );
  assert.equal(written.esm_class, 4);
  assert.deepEqual(
    written.tlvs.map(({ tag, value }) => [tag, Buffer.from(value).toString('hex')]),
    [
      [0x001e, `${Buffer.from(receipt.id).toString('hex')}00`],
      [0x0427, '02'],
    ],
  );
  assert.equal(writeReceipt({ ...receipt, state: 'ENROUTE' }).esm_class, 0x20);
  const { tlvs } = writeReceipt({ ...receipt, networkError: { type: 3, code: 0x0104 } });
  assert.deepEqual(tlvs[2], { tag: 0x0423, value: Uint8Array.of(3, 1, 4) });
});

test('a written receipt can be read, with its TLVs and without them', () => {
  const states = Object.keys(messageStateTable).filter((name): name is MessageState => name in messageStateTable);
  const receipts = fc.record({
    id: fc.stringMatching(/^[!-+\-./-:<-{}~]{1,64}$/),
    state: fc.constantFrom(...states),
    submittedAtMs: fc.integer({ min: Date.UTC(2000), max: Date.UTC(2099) }),
    doneAtMs: fc.integer({ min: Date.UTC(2000), max: Date.UTC(2099) }),
    error: fc.stringMatching(/^[0-9a-f]{3}$/),
    text: fc.uint8Array({ maxLength: 160 }),
  });
  fc.assert(
    fc.property(receipts, fc.boolean(), (receipt, hasTlvs) => {
      const written = writeReceipt(receipt);
      const tlvs = hasTlvs ? written.tlvs : [];
      const again = readPdu({ command: 'deliver_sm', sequence_number: 1, ...written, tlvs });
      assert.deepEqual(
        [again?.id, again?.textId, again?.state, again?.final, again?.error],
        [receipt.id, undefined, receipt.state, messageStateTable[receipt.state].final, receipt.error],
      );
    }),
  );
});

interface Wild {
  readonly n: number;
  readonly text: string;
  readonly hex: string;
}

function wild(context: TestContext, name: string): readonly Wild[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- test data; a wrong shape fails the assertions
  return readShared(context, name).map((line) => line as Wild);
}
