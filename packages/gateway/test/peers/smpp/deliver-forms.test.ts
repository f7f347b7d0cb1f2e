import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { encode } from '@morsel/smpp';
import { toMessageId } from '../../../src/core/base/message-id.ts';
import type { Notification } from '../../../src/core/notification/notification.ts';
import { deliverSm } from '../../../src/edge/clients/smpp/deliver-sm.ts';
import { decodeAs, writeCapture } from '../wire/capture.ts';
import { makeFolder, missing, runProgram } from '../needs.ts';

/* Wireshark reads every form of deliver_sm that clients may get. */

const long = 'A long text from a person. '.repeat(12);

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

/** Every deliver_sm of texts, octets and receipts, short and long, for all versions of SMPP. */
function forms() {
  const inbound = { ...frame, ...fromPhone, kind: 'inbound', numParts: 1, complete: true, receivedAt: 0 } as const;
  const notifications: readonly Notification[] = [
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
      tags: null,
    },
  ];
  const pdus = notifications.flatMap((notification) =>
    ([0x33, 0x34, 0x50] as const).flatMap((version) =>
      (['payload', 'udh'] as const).flatMap(
        (how) => deliverSm(notification, { version, dataCoding0: 'gsm7', long: how }) ?? [],
      ),
    ),
  );
  assert.ok(pdus.length > 30);
  return pdus;
}
