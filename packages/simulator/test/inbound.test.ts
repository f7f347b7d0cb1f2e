import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readReceipt } from '@morsel/smpp';
import { accepted, client, start, submit } from './client.ts';

/*
 * Tests of the inbound messages of the simulator: replies of receivers, and messages that a test requests.
 */

describe('simulator: inbound messages', () => {
  test('9960, 9961 and 9962: the receiver replies', async () => {
    await using simulator = await start();
    await using peer = await client(simulator);
    for (const digits of ['9960', '9961', '9962']) {
      accepted(await peer.session.request(submit(digits, { registered_delivery: 0 })));
    }
    const heard = await peer.hears(4);
    const texts = heard.map((pdu) => {
      assert.ok(pdu.command === 'deliver_sm');
      assert.equal(readReceipt(pdu), undefined);
      const { source_addr, destination_addr, esm_class, data_coding, short_message } = pdu;
      const isLong = short_message.length > 100 && short_message.length <= 159;
      return [source_addr.slice(-4), destination_addr, esm_class, data_coding, isLong];
    });
    assert.deepEqual(texts, [
      ['9960', '72000', 0, 0, false],
      ['9961', '72000', 0x40, 0, true],
      ['9961', '72000', 0x40, 0, false],
      ['9962', '72000', 0, 8, false],
    ]);
    const parts = heard.slice(1, 3).map((pdu) => 'short_message' in pdu && [...pdu.short_message.subarray(0, 6)]);
    const [first] = parts;
    const reference = (first || [])[3];
    assert.deepEqual(
      parts,
      [1, 2].map((number) => [5, 0, 3, reference, 2, number]),
    );
  });

  test('sendInbound waits for a client and for its acknowledgement', async () => {
    await using simulator = await start();
    const sent = simulator.sendInbound({ from: '+46701234567', to: '72000', text: 'Hello' });
    const russian = simulator.sendInbound({ from: '46701234567', to: 'Morsel', text: 'Привет', systemId: 'client' });
    await using peer = await client(simulator);
    await Promise.all([sent, russian]);
    const summary = peer.heard.map((pdu) => {
      assert.ok(pdu.command === 'deliver_sm');
      return [
        pdu.source_addr_ton,
        pdu.source_addr,
        pdu.dest_addr_ton,
        pdu.data_coding,
        Buffer.from(pdu.short_message).toString('hex'),
      ];
    });
    assert.deepEqual(summary, [
      [1, '46701234567', 3, 0, '48656c6c6f'],
      [1, '46701234567', 5, 8, '041f04400438043204350442'],
    ]);
    assert.throws(() => void simulator.sendInbound({ octets: new Uint8Array(256) }), /short_message/);
    assert.throws(() => void simulator.sendInbound({ text: 'x'.repeat(255 * 153 + 1) }), /needs 256 parts/);
  });

  test('sendInbound cuts long texts, and by default replies to the newest message', async () => {
    await using simulator = await start();
    await using peer = await client(simulator);
    const long = 'a'.repeat(160);
    const rows: readonly (readonly [text: string, dataCoding: number, ...parts: readonly string[]])[] = [
      [long, 0, long],
      [`${long}b`, 0, 'a'.repeat(153), 'aaaaaaab'],
      // A cut after 67 units would divide the emoji's surrogate pair.
      [`${'é'.repeat(66)}👍é!!`, 8, 'é'.repeat(66), '👍é!!'],
    ];
    for (const [text, dataCoding, ...parts] of rows) {
      peer.heard.length = 0;
      await simulator.sendInbound({ from: '46701234567', text });
      const heard = peer.heard.map((pdu) => {
        assert.ok(pdu.command === 'deliver_sm');
        assert.deepEqual([pdu.source_addr, pdu.destination_addr], ['46701234567', '41791112233']);
        const octets = Buffer.from(pdu.short_message.subarray(pdu.esm_class === 0x40 ? 6 : 0));
        assert.equal(pdu.data_coding, dataCoding);
        return dataCoding === 8 ? octets.swap16().toString('utf16le') : octets.toString('latin1');
      });
      assert.deepEqual(heard, parts);
    }
    await peer.session.request(submit('0007', { registered_delivery: 0 }));
    peer.heard.length = 0;
    await simulator.sendInbound({ text: 'STOP' });
    const [answer] = peer.heard;
    assert.ok(answer?.command === 'deliver_sm');
    assert.deepEqual([answer.source_addr, answer.destination_addr, answer.dest_addr_ton], ['46700000007', '72000', 3]);
  });
});
