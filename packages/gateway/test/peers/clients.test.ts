import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { encode } from '@morsel/smpp';
import { connect } from 'smpp';
import type { Pdu } from 'smpp';
import { toMessageId } from '../../src/core/message-id.ts';
import type { Notice } from '../../src/core/notice.ts';
import { deliverSm } from '../../src/edge/customer/deliver-sm.ts';
import { ours, Place } from '../smpp-place.ts';
import { waitUntil } from '../wait-until.ts';
import { decodeAs, writeCapture } from './capture.ts';
import { makeFolder, missing, runProgram } from './needs.ts';
import { PeerProcess } from './peer-process.ts';

/* Clients that nobody here wrote read what they are told: messages from phones and receipts. */

const receiptText = /^id:(\d{16}) sub:001 dlvrd:001 submit date:\d{10} done date:\d{10} stat:DELIVRD err:000 text:$/;

const long = 'A long message of a phone. '.repeat(12);

describe("a client made of Perl's Net::SMPP", { skip: missing('Net::SMPP') }, () => {
  for (const version of ['33', '34']) {
    it(`of ${version} submits as transmitter and hears as receiver`, async () => {
      await using place = await Place.open();
      const file = join(import.meta.dirname, 'net-smpp-client.pl');
      const port = String(place.tour.gateway.smppPort);
      await using receiver = new PeerProcess(['perl', file, port, 'receiver', version], 'stdout');
      await using transmitter = new PeerProcess(['perl', file, port, 'transmitter', version], 'stdout');
      const submitted = await waitUntil('it has submitted', () => lines(transmitter)[1]);
      await place.receive('Hello', long);
      const count = version === '33' ? 5 : 3;
      const told = await waitUntil(
        () => `${count} are told, but ${JSON.stringify(lines(receiver))}`,
        () => {
          const found = lines(receiver).filter(({ event }) => event === 'told');
          return found.length === count ? found : undefined;
        },
      );
      const receipt = told.find(({ esm_class: esmClass }) => esmClass === 4);
      assert.equal(receiptText.exec(String(receipt?.['text']))?.[1], submitted['id']);
      assert.deepEqual([receipt?.['source'], receipt?.['destination']], ['41791230001', '41790000001']);
      const isOld = version === '33';
      assert.equal(String(receipt?.['receipted']).replace('\0', ''), isOld ? '' : submitted['id']);
      assert.equal(receipt?.['state'] ?? null, isOld ? null : 2);
      const texts = told.filter((each) => each !== receipt);
      assert.ok(texts.some(({ text, destination }) => text === 'Hello' && destination === ours));
      const parts = texts
        .filter(({ esm_class: esmClass }) => esmClass === 0x40)
        .map(({ text }) => String(text).slice(6));
      assert.ok(isOld ? parts.join('') === long : texts.some(({ text }) => text === long));
    });
  }
});

type Line = Readonly<Record<string, unknown>>;

function lines(peer: PeerProcess): readonly Line[] {
  return peer.lines.map((line) => {
    const told: Line = JSON.parse(line);
    return told;
  });
}

function ask(send: (hear: (answer: Pdu) => void) => boolean): Promise<Pdu> {
  return new Promise((resolve) => void send(resolve));
}

describe('a client made of the npm package smpp', () => {
  it('bound as transceiver reads texts, a long one, and a receipt with its TLVs', async () => {
    await using place = await Place.open();
    const told: Pdu[] = [];
    const session = connect({ host: '127.0.0.1', port: place.tour.gateway.smppPort ?? 0 });
    session.on('pdu', (pdu: Pdu) => {
      if (pdu.command !== 'deliver_sm') return;
      told.push(pdu);
      session.send(pdu.response());
    });
    const bound = await ask((hear) => session.bind_transceiver({ system_id: 'acme', password: 'Right-1' }, hear));
    assert.equal(bound.command_status, 0);
    const fields = {
      source_addr: '41790000001',
      source_addr_ton: 1,
      destination_addr: '41791230001',
      dest_addr_ton: 1,
    };
    const answer = await ask((hear) =>
      session.submit_sm(
        { ...fields, registered_delivery: 1, short_message: 'Hello', user_message_reference: 4711 },
        hear,
      ),
    );
    await place.receive('Grüße', long);
    await waitUntil(
      () => `three are told, but ${told.length}`,
      () => told.length === 3,
    );
    const receipt = told.find(({ esm_class: esmClass }) => esmClass === 4);
    assert.equal(receiptText.exec(receipt?.short_message?.message ?? '')?.[1], answer.message_id);
    assert.deepEqual(
      [receipt?.receipted_message_id, receipt?.message_state, receipt?.user_message_reference],
      [answer.message_id, 2, 4711],
    );
    const texts = told.filter((pdu) => pdu !== receipt);
    assert.ok(texts.some((pdu) => pdu.message_payload?.message === long));
    session.destroy();
  });
});

describe('Wireshark', { skip: missing('tshark') }, () => {
  it('reads every form of deliver_sm without a malformed PDU', () => {
    const pdus = forms().map((pdu, index) => encode({ ...pdu, sequence_number: index + 1 }));
    using folder = makeFolder();
    const file = join(folder.path, 'told.pcap');
    writeFileSync(file, writeCapture(pdus.map((bytes) => ({ from: 'listener', connection: 1, bytes }))));
    const wanted = ['_ws.malformed', 'smpp.command_id', 'smpp.receipted_message_id', 'smpp.esm.submit.msg_type'];
    const words = ['-r', file, '-d', decodeAs, '-T', 'fields', ...wanted.flatMap((name) => ['-e', name])];
    const rows = runProgram('tshark', words).trimEnd().split('\n');
    assert.equal(rows.length, pdus.length);
    for (const row of rows) assert.match(row, /^\t0x0*5\t/, 'deliver_sm, and nothing malformed');
    assert.ok(rows.some((row) => row.includes('1009876543210123')));
  });
});

const frame = {
  id: 7,
  account: 1,
  tries: 0,
  createdAt: 0,
  triedFrom: 0,
  msgId: toMessageId(1_009_876_543_210_123),
} as const;
const fromPhone = { sender: '+41791230001', receiver: '8400', octets: null, header: null, dataCoding: 0 } as const;

/** Texts, octets and receipts, short and long, to all versions. */
function forms() {
  const inbound = { ...frame, ...fromPhone, kind: 'inbound', numParts: 1, complete: true, receivedAt: 0 } as const;
  const notices: readonly Notice[] = [
    { ...inbound, dcs: 'GSM', text: 'Hello' },
    { ...inbound, dcs: 'UCS', text: 'Спасибо 👍' },
    { ...inbound, dcs: 'GSM', text: long },
    { ...inbound, dcs: 'BIN', text: null, octets: Buffer.of(0, 255), header: Buffer.from('0605040b8423f0', 'hex') },
    {
      ...frame,
      kind: 'receipt',
      sender: 'Shop',
      receiver: '+41791230001',
      event: 'undelivered',
      eventAt: 0,
      errorCode: '27',
      numParts: 2,
      deliveredParts: 1,
      sendTime: 0,
      clientRef: '4711',
    },
  ];
  const pdus = notices.flatMap((notice) =>
    ([0x33, 0x34, 0x50] as const).flatMap((version) =>
      (['payload', 'udh'] as const).flatMap(
        (how) => deliverSm(notice, { version, dataCoding0: 'gsm7', long: how }) ?? [],
      ),
    ),
  );
  assert.ok(pdus.length > 30);
  return pdus;
}
