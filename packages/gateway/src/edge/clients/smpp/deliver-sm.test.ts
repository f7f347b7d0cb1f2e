import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildHeader } from '@morsel/gsm';
import { decode, encode, readReceipt, readTlv, type PduOf, type Version } from '@morsel/smpp';
import * as fc from 'fast-check';
import { defaultCodings, smppLongs } from '@morsel/api/values/account.ts';
import { readContent } from '../../../core/message/inbound.ts';
import { readUserData } from '../../carriers/smpp/user-data.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import type {
  InboundNotification,
  Notification,
  ReceiptNotification,
} from '../../../core/notification/notification.ts';
import { sampleOf } from '../../../core/notification/sample.ts';
import { deliverSm, messageIdTag, type DeliverForm } from './deliver-sm.ts';

const versions: readonly Version[] = [0x33, 0x34, 0x50];
const usual: DeliverForm = { version: 0x34, dataCoding0: 'gsm7', long: 'payload' };
const frame = { id: 700, account: 1, tries: 0, createdAt: 0, triedFrom: 0 };

const msgId = toMessageId(1_009_876_543_210_123);

function inbound(more: Partial<InboundNotification> = {}): Notification {
  const ours = { msgId, sender: '+41791230001', receiver: '+41790000001', text: 'Hello' };
  return Object.assign({ ...frame }, sampleOf('inbound', { now: 0, currency: 'EUR' }), ours, more);
}

function receipt(more: Partial<ReceiptNotification> = {}): Notification {
  const [sent, ended] = ['2026-11-21T09:15:30Z', '2026-11-21T09:16:30Z'].map((time) => Date.parse(time));
  const times = { sendTime: sent ?? 0, eventAt: ended ?? 0 };
  const ours = { msgId, sender: 'Shop & Co', receiver: '+41791230001', errorCode: null, clientRef: null, tags: null };
  return Object.assign({ ...frame }, sampleOf('receipt', { now: 0, currency: 'EUR' }), ours, times, more);
}

type DeliverPdu = PduOf<'deliver_sm'>;

/** The PDUs of a notification after encoding and decoding. */
function wire(notification: Notification, form: Partial<DeliverForm> = {}): readonly DeliverPdu[] {
  const pdus = deliverSm(notification, { ...usual, ...form });
  assert.ok(pdus, 'it can be said');
  return pdus.map((pdu) => {
    const decoded = decode(encode({ ...pdu, sequence_number: 1 }));
    assert.ok(decoded.ok && decoded.pdu.command === 'deliver_sm');
    assert.deepEqual(decoded.oddities, []);
    return decoded.pdu;
  });
}

function only(notification: Notification, form: Partial<DeliverForm> = {}): DeliverPdu {
  const [pdu, ...more] = wire(notification, form);
  assert.ok(pdu && more.length === 0);
  return pdu;
}

function hex(octets: Uint8Array | undefined): string {
  return Buffer.from(octets ?? []).toString('hex');
}

const codings = [
  ['gsm7', 'Grüße @ £ €', 0, '47727e1e65200020012 01b65'.replaceAll(' ', '')],
  ['gsm7-packed', 'hellohello', 0, 'e8329bfd4697d9ec37'],
  ['latin1', 'Grüße @ £', 0, Buffer.from('Grüße @ £', 'latin1').toString('hex')],
  ['latin1', 'Kosten: 5 €', 8, Buffer.from('Kosten: 5 €', 'utf16le').swap16().toString('hex')],
  ['ascii', 'Hello @ [1]', 0, Buffer.from('Hello @ [1]').toString('hex')],
  ['gsm7', 'Спасибо 👍', 8, Buffer.from('Спасибо 👍', 'utf16le').swap16().toString('hex')],
  ['gsm7', '', 0, ''],
] as const;

for (const [dataCoding0, text, dataCoding, octets] of codings) {
  test(`"${text}" for an account whose data_coding 0 is ${dataCoding0} is sent with data_coding ${dataCoding}`, () => {
    const pdu = only(inbound({ text }), { dataCoding0 });
    assert.deepEqual([pdu.data_coding, pdu.esm_class, hex(pdu.short_message)], [dataCoding, 0, octets]);
  });
}

test('binary data is sent with data_coding 4, its header in front and UDHI set', () => {
  const header = Buffer.from('0605040b8423f0', 'hex');
  const pdu = only(inbound({ dcs: 'BIN', text: null, octets: Uint8Array.of(0, 0xff), header }));
  assert.deepEqual([pdu.data_coding, pdu.esm_class, hex(pdu.short_message)], [4, 0x40, '0605040b8423f000ff']);
});

const addresses = [
  ['+41791230001', 1, 1, '41791230001'],
  ['8080', 3, 0, '8080'],
  ['Shop & Co', 5, 0, 'Shop & Co'],
  ['ΔΣ', 5, 0, '\u0010\u0018'],
] as const;

for (const [address, ton, npi, octets] of addresses) {
  test(`${address} has TON ${ton} and NPI ${npi}`, () => {
    const from = only(inbound({ sender: address }));
    assert.deepEqual([from.source_addr_ton, from.source_addr_npi, from.source_addr], [ton, npi, octets]);
    const to = only(inbound({ receiver: address }));
    assert.deepEqual([to.dest_addr_ton, to.dest_addr_npi, to.destination_addr], [ton, npi, octets]);
  });
}

test('an inbound message has its msgId in a vendor TLV, except for SMPP 3.3 (3.4, section 3.4; O2)', () => {
  for (const version of versions) {
    const { tlvs } = only(inbound(), { version });
    const id = tlvs.map(({ tag, value }) => [tag, Buffer.from(value).toString('latin1')]);
    assert.deepEqual(id, version === 0x33 ? [] : [[messageIdTag, '1009876543210123\0']]);
  }
});

const lengths = [
  ['254 octets', 254, 0x34, 'payload', [254]],
  ['255 octets', 255, 0x34, 'payload', 'message_payload'],
  ['255 octets', 255, 0x50, 'payload', 'message_payload'],
  ['255 octets', 255, 0x34, 'udh', [159, 108]],
  ['255 octets', 255, 0x33, 'payload', [159, 108]],
] as const;

for (const [what, length, version, long, wanted] of lengths) {
  test(`${what} to a session of ${version.toString(16)} with --smpp-long ${long}: ${String(wanted)}`, () => {
    const pdus = wire(inbound({ text: 'a'.repeat(length) }), { version, long });
    if (wanted === 'message_payload') {
      assert.equal(pdus.length, 1);
      const [pdu] = pdus;
      assert.ok(pdu);
      assert.deepEqual([pdu.short_message.length, readTlv(pdu, 'message_payload')?.length], [0, length]);
      return;
    }
    assert.deepEqual(
      pdus.map(({ short_message: octets, tlvs }) => [octets.length, readTlv({ tlvs }, 'message_payload')]),
      wanted.map((octets) => [octets, undefined]),
    );
  });
}

test('a message with more than 255 parts is not delivered, and never shortened', () => {
  const text = 'Ж'.repeat(255 * 67 + 1);
  assert.equal(deliverSm(inbound({ text }), { ...usual, version: 0x33 }), undefined);
  assert.equal(wire(inbound({ text })).length, 1);
});

test('every session gets the text of an inbound message unchanged, in the same parts at each try', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 600 }),
    fc.string({ unit: fc.constantFrom('a', 'é', '€', '[', '^', '@', 'Ж', '👍'), maxLength: 600 }),
    fc.string({ unit: fc.constantFrom('a', '€', '{'), minLength: 100, maxLength: 800 }),
    fc.string({ unit: fc.constantFrom('a', '@'), maxLength: 24 }),
  );
  const headers = fc.constantFrom(
    null,
    buildHeader([{ kind: 'ports', bits: 16, destination: 5505, source: 0 }]),
    buildHeader([{ kind: 'opaque', id: 0x70, data: new Uint8Array(90) }]),
  );
  const forms = fc.record({
    version: fc.constantFrom(...versions),
    dataCoding0: fc.constantFrom(...defaultCodings),
    long: fc.constantFrom(...smppLongs),
  });
  fc.assert(
    fc.property(texts, headers, forms, (text, header, form) => {
      // The test's texts have no NUL, and no byte order mark at the beginning, which a reader would drop.
      fc.pre(!text.includes('\0') && !text.startsWith('\ufeff'));
      const notification = inbound({ text, header });
      const pdus = wire(notification, form);
      assert.deepEqual(wire(notification, form), pdus);
      const parts = pdus.map((pdu, index) => {
        const { concatenation, ...data } = readUserData(pdu, { 0: form.dataCoding0 });
        assert.deepEqual(
          concatenation,
          pdus.length === 1 ? null : { kind: '8-bit', reference: 700 % 256, total: pdus.length, number: index + 1 },
        );
        return { ...data, number: index + 1 };
      });
      const content = readContent(parts);
      assert.equal(content.text, text);
      assert.deepEqual(hex(content.header ?? undefined), hex(header ?? undefined));
    }),
    // Eight septets fill seven octets, so a reader could take an `@` at the end for unused bits.
    { numRuns: 300, examples: [['aaaaaaa@', null, { version: 0x33, dataCoding0: 'gsm7-packed', long: 'payload' }]] },
  );
});

const ends = [
  ['delivered', 'DELIVERED', 'DELIVRD'],
  ['undelivered', 'UNDELIVERABLE', 'UNDELIV'],
  ['rejected', 'REJECTED', 'REJECTD'],
  ['expired', 'EXPIRED', 'EXPIRED'],
  ['unknown', 'UNKNOWN', 'UNKNOWN'],
  ['canceled', 'DELETED', 'DELETED'],
] as const;

for (const [event, state, stat] of ends) {
  test(`a message that is ${event} has the stat ${stat} in its receipt, with TLVs and without`, () => {
    for (const version of versions) {
      const pdu = only(receipt({ event, deliveredParts: event === 'delivered' ? 1 : 0 }), { version });
      assert.equal(pdu.tlvs.length, version === 0x33 ? 0 : 2);
      const read = readReceipt(pdu);
      assert.deepEqual(
        [read?.id, read?.textId, read?.state, read?.statText, read?.final, read?.evidence],
        ['1009876543210123', undefined, state, stat, true, 'esm_class'],
      );
    }
  });
}

test('a receipt has the standard text in ASCII with dates in UTC, and the receiver as its source', () => {
  for (const dataCoding0 of defaultCodings) {
    const pdu = only(receipt({ numParts: 3, deliveredParts: 2, event: 'expired', errorCode: '5' }), { dataCoding0 });
    assert.equal(
      Buffer.from(pdu.short_message).toString('latin1'),
      'id:1009876543210123 sub:003 dlvrd:002 submit date:2611210915 done date:2611210916 stat:EXPIRED err:005 text:',
    );
    assert.deepEqual([pdu.esm_class, pdu.data_coding], [4, 0]);
    assert.deepEqual([pdu.source_addr_ton, pdu.source_addr], [1, '41791230001']);
    assert.deepEqual([pdu.dest_addr_ton, pdu.destination_addr], [5, 'Shop & Co']);
  }
});

const errors = [
  [null, '000', ''],
  ['27', '027', '03001b'],
  ['1042', '000', '030412'],
  ['65536', '000', ''],
  ['ESME_RINVDSTADR', '011', ''],
  ['unsendable short_message', '000', ''],
] as const;

for (const [errorCode, err, tlv] of errors) {
  test(`error ${errorCode} of a carrier is err:${err} and network_error_code ${tlv || 'none'}`, () => {
    const pdu = only(receipt({ event: 'undelivered', deliveredParts: 0, errorCode }));
    assert.match(Buffer.from(pdu.short_message).toString('latin1'), new RegExp(` err:${err} text:$`));
    assert.equal(hex(readTlv(pdu, 'network_error_code')), tlv);
  });
}

const references = [
  ['77', 77],
  ['65536', undefined],
  ['order-1', undefined],
  [null, undefined],
] as const;

for (const [clientRef, wanted] of references) {
  test(`a clientRef of ${clientRef} is user_message_reference ${wanted}`, () => {
    assert.equal(readTlv(only(receipt({ clientRef })), 'user_message_reference'), wanted);
  });
}
