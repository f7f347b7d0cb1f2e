import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readReceipt, readTlv, statuses } from '@morsel/smpp';
import { magic } from '../src/endings.ts';
import { accepted, client, receipt, start, submit } from './client.ts';

/** State, `stat`, and how the id of the receipt follows from that of the answer. */
type Expected = [string | undefined, string | undefined, (id: string) => string | undefined];

const same = (id: string): string => id;
const hex = (id: string): string => BigInt(id).toString(16);
const dec = (id: string): string => String(BigInt(`0x${id}`));
const bare = (id: string): string => String(BigInt(id));

describe('simulator: receipts of the magic receivers', () => {
  const rows: [string, ...Expected[]][] = [
    ['9901', ['DELIVERED', 'DELIVRD', same]],
    ['9902', ['UNDELIVERABLE', 'UNDELIV', same]],
    ['9903', ['EXPIRED', 'EXPIRED', same]],
    ['9904', ['REJECTED', 'REJECTD', same]],
    ['9905', ['DELETED', 'DELETED', same]],
    ['9906', ['UNKNOWN', 'UNKNOWN', same]],
    ['9907', ['UNDELIVERABLE', 'FAILED', same]],
    ['9908', ['SKIPPED', 'SKIPPED', same]],
    ['9910', ['ENROUTE', 'ENROUTE', same], ['DELIVERED', 'DELIVRD', same]],
    ['9911', ['ACCEPTED', 'ACCEPTD', same], ['DELIVERED', 'DELIVRD', same]],
    ['9913', ['DELIVERED', 'DELIVRD', same], ['DELIVERED', 'DELIVRD', same]],
    ['9916', ['DELIVERED', 'DELIVRD', hex]],
    ['9917', ['DELIVERED', 'DELIVRD', dec]],
    ['9918', ['DELIVERED', undefined, same]],
    ['9919', ['DELIVERED', 'DELIVRD', same]],
    ['9920', ['DELIVERED', 'DELIVRD', same]],
    ['9921', ['DELIVERED', 'DELIVRD', same]],
    ['9922', ['DELIVERED', 'DELIVRD', same]],
    ['9923', ['DELIVERED', 'DELIVRD', bare]],
    ['9924', ['SCHEDULED', 'BUFFERD', same], ['DELIVERED', 'DELIVRD', same]],
    ['9925', ['DELIVERED', 'DELIVRD', same], ['ENROUTE', 'ENROUTE', same]],
    ['9909', ['DELIVERED', 'DLVRD', same]],
    ['9926', ['REJECTED', 'DND_REJECTED', same]],
    ['9927', ['ACCEPTED', 'ACKED', same], ['DELIVERED', 'DELIVRD', same]],
    ['9928', ['UNDELIVERABLE', 'UNDELIVERED', same]],
    ['9929', ['DELIVERED', 'DELIVRD', same]],
    ['9963', ['DELIVERED', 'DELIVRD', same]],
    ['9964', ['DELIVERED', 'DELIVRD', same]],
    ['9965', ['DELIVERED', 'DELIVRD', same]],
    ['9966', ['DELIVERED', 'DELIVRD', same]],
    ['9967', ['DELIVERED', 'delivrd', same]],
    ['9968', ['DELIVERED', 'DELIVRD', same]],
    ['9969', ['DELIVERED', 'DELIVRD', same]],
    ['9980', [undefined, undefined, () => undefined]],
    ['9981', ['DELIVERED', 'DELIVRD', (id) => id.toLowerCase()]],
    ['9982', ['DELIVERED', 'DELIVRD', (id) => `0000${id}`]],
    ['9983', ['DELIVERED', 'DELIVRD', same]],
    ['9984', ['DELIVERED', 'DELIVRD', dec]],
    ['9985', ['DELIVERED', 'DELIVRD', (id) => id.toUpperCase()]],
    ['9986', ['DELIVERED', 'DELIVRD', same]],
    ['9988', ['DELIVERED', undefined, same]],
    ['9989', ['DELIVERED', 'UNDELIV', hex]],
    ['9990', ['UNDELIVERABLE', 'UNDELIV', same]],
    ['9991', ['UNDELIVERABLE', 'UNDELIV', same]],
    ['9992', ['UNDELIVERABLE', 'UNDELIV', same]],
    ['9993', ['DELIVERED', 'DELIVRD', same]],
    ['9994', ['DELIVERED', 'DELIVRD', same]],
    ['9995', ['DELIVERED', 'DELIVRD', (id) => String(Number(id) + 1e15)], ['DELIVERED', 'DELIVRD', same]],
    ['9996', ['DELIVERED', 'DELIVRD', same], ['DELIVERED', 'DELIVRD', same]],
    ['9997', ['DELIVERED', 'DELIVRD', same]],
    ['9998', ['DELIVERED', 'DELIVRD', same], ['DELIVERED', 'DELIVRD', same]],
    ['9999', ['ENROUTE', 'ENROUTE', same], ['DELIVERED', 'DELIVRD', same]],
  ];
  for (const [digits, ...expected] of rows) {
    test(`${digits}: ${magic[digits]?.about}`, async () => {
      await using simulator = await start();
      await using peer = await client(simulator);
      const id = accepted(await peer.session.request(submit(digits)));
      const heard = await peer.hears(expected.length);
      assert.deepEqual(
        heard.map(receipt),
        expected.map(([state, stat, idOf]) => [state, stat, idOf(id)]),
      );
    });
  }

  test('the form of a receipt', async () => {
    await using simulator = await start();
    await using peer = await client(simulator);
    for (const digits of ['9918', '9919', '9920', '9921', '9922']) await peer.session.request(submit(digits));
    const heard = await peer.hears(5);
    const manners = heard.map((pdu) => {
      assert.ok(pdu.command === 'deliver_sm' || pdu.command === 'data_sm');
      const hasTlv = readTlv(pdu, 'receipted_message_id') !== undefined;
      const hasText = pdu.command === 'deliver_sm' && pdu.short_message.length > 0;
      return [pdu.source_addr.slice(-4), pdu.command, pdu.esm_class, hasTlv, hasText];
    });
    assert.deepEqual(manners, [
      ['9918', 'deliver_sm', 4, true, false],
      ['9919', 'deliver_sm', 4, false, true],
      ['9920', 'data_sm', 4, true, false],
      ['9921', 'deliver_sm', 0, false, true],
      ['2000', 'deliver_sm', 4, true, true],
    ]);
  });

  test('9914: the receipt is there before the answer', async () => {
    await using simulator = await start();
    const order: string[] = [];
    await using peer = await client(simulator, {
      onRequest(pdu, respond) {
        order.push(String(receipt(pdu)[2]));
        respond(0);
      },
    });
    const id = accepted(await peer.session.request(submit('9914')));
    order.push('the answer');
    assert.deepEqual(order, [id, 'the answer']);
  });

  test('9912 and 9915: no receipt, and a very late one', async () => {
    await using simulator = await start();
    await using peer = await client(simulator);
    for (const digits of ['9912', '9915']) accepted(await peer.session.request(submit(digits)));
    assert.equal(simulator.deliveriesWaiting, 1);
  });
});

describe('simulator: answers of the magic receivers', () => {
  const refusals: [string, number, number][] = [
    ['9930', statuses.ESME_RINVDSTADR, Infinity],
    ['9931', statuses.ESME_RSYSERR, Infinity],
    ['9932', statuses.ESME_RMSGQFUL, Infinity],
    ['9933', statuses.ESME_RTHROTTLED, 3],
    ['9934', 0x410, Infinity],
    ['9935', statuses.ESME_RSUBMITFAIL, Infinity],
    ['9936', statuses.ESME_RINVSRCADR, Infinity],
    ['9937', statuses.ESME_RX_T_APPN, Infinity],
    ['9938', statuses.ESME_RMSGQFUL, 3],
    ['9939', statuses.ESME_RSYSERR, 1],
    ['9949', statuses.ESME_RINVCMDID, Infinity],
  ];
  for (const [digits, command_status, times] of refusals) {
    test(`${digits}: ${magic[digits]?.about}`, async () => {
      await using simulator = await start();
      await using peer = await client(simulator);
      for (let turn = 1; turn <= 4; turn++) {
        const answer = await peer.session.request(submit(digits));
        assert.ok(answer.kind === 'answered');
        assert.equal(answer.pdu.command_status, turn <= times ? command_status : 0, `turn ${turn}`);
        assert.equal(answer.pdu.command, digits === '9949' ? 'generic_nack' : 'submit_sm_resp');
      }
      await peer.hears(Math.max(0, 4 - times));
    });
  }

  test('9943: accepted with an empty message_id', async () => {
    await using simulator = await start();
    await using peer = await client(simulator);
    assert.equal(accepted(await peer.session.request(submit('9943'))), '');
    await peer.hears(1);
  });

  test('9941, 9942, 9950 and 9952: no answer in time', async () => {
    await using simulator = await start();
    await using peer = await client(simulator, { responseTimeoutMs: 50 });
    const digits = ['9941', '9942', '9950', '9952'];
    const answers = await Promise.all(digits.map((one) => peer.session.request(submit(one))));
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      digits.map(() => 'timeout'),
    );
    assert.equal(
      receipt((await peer.hears(1)).find((pdu) => 'source_addr' in pdu && pdu.source_addr.endsWith('9950')))[0],
      'DELIVERED',
    );
    accepted(await peer.session.request(submit('9952')));
  });

  const ends: [string, RegExp][] = [
    ['9944', /^disconnected$/],
    ['9945', /^(socket_error|disconnected)$/],
    ['9947', /^disconnected$/],
    ['9948', /^framing$/],
    ['9954', /^disconnected$/],
    ['9955', /^(socket_error|disconnected)$/],
  ];
  for (const [digits, reason] of ends) {
    test(`${digits}: ${magic[digits]?.about}`, async () => {
      await using simulator = await start();
      const { session } = await client(simulator);
      const answer = await session.request(submit(digits));
      assert.deepEqual(answer, { kind: 'closed', written: true });
      assert.match(await session.closed, reason);
      if (magic[digits]?.times === undefined) return;
      await using again = await client(simulator);
      accepted(await again.session.request(submit(digits)));
    });
  }

  test('9946: the answer, and then the end; the receipt waits for the next session', async () => {
    await using simulator = await start();
    const { session } = await client(simulator);
    const id = accepted(await session.request(submit('9946')));
    assert.equal(await session.closed, 'disconnected');
    await using again = await client(simulator);
    assert.deepEqual(receipt((await again.hears(1))[0]), ['DELIVERED', 'DELIVRD', id]);
  });
});

describe('simulator: inbound', () => {
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
      const { length } = pdu.short_message;
      return [
        pdu.source_addr.slice(-4),
        pdu.destination_addr,
        pdu.esm_class,
        pdu.data_coding,
        length > 100 && length <= 159,
      ];
    });
    assert.deepEqual(texts, [
      ['9960', '72000', 0, 0, false],
      ['9961', '72000', 0x40, 0, true],
      ['9961', '72000', 0x40, 0, false],
      ['9962', '72000', 0, 8, false],
    ]);
    const parts = heard.slice(1, 3).map((pdu) => 'short_message' in pdu && [...pdu.short_message.subarray(0, 6)]);
    assert.deepEqual(
      parts,
      [
        [5, 0, 3, 0, 2, 1],
        [5, 0, 3, 0, 2, 2],
      ].map((header) => header.with(3, (parts[0] || [])[3] ?? -1)),
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
    assert.throws(() => void simulator.sendInbound({ from: '1', to: '2', text: 'é', data_coding: 0 }), RangeError);
  });

  test('sendInbound cuts long texts, and by default replies to the newest message', async () => {
    await using simulator = await start();
    await using peer = await client(simulator);
    const long = 'a'.repeat(160);
    const rows: readonly (readonly [text: string, parts: readonly (readonly [dataCoding: number, text: string])[]])[] =
      [
        [long, [[0, long]]],
        [
          `${long}b`,
          [
            [0, 'a'.repeat(153)],
            [0, 'aaaaaaab'],
          ],
        ],
        ['é'.repeat(70), [[8, 'é'.repeat(70)]]],
        // The pair of the emoji would be cut in two.
        [
          `${'é'.repeat(66)}👍é!!`,
          [
            [8, 'é'.repeat(66)],
            [8, '👍é!!'],
          ],
        ],
      ];
    for (const [text, parts] of rows) {
      peer.heard.length = 0;
      await simulator.sendInbound({ from: '46701234567', text });
      const heard = peer.heard.map((pdu) => {
        assert.ok(pdu.command === 'deliver_sm');
        assert.deepEqual([pdu.source_addr, pdu.destination_addr], ['46701234567', '41791112233']);
        const octets = Buffer.from(pdu.short_message.subarray(pdu.esm_class === 0x40 ? 6 : 0));
        return [
          pdu.data_coding,
          pdu.data_coding === 8 ? octets.swap16().toString('utf16le') : octets.toString('latin1'),
        ];
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
