import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pem } from '../../smpp/vectors/tls.ts';
import { writeTlv, statuses, type StatusName } from '@morsel/smpp';
import type { Requirement } from '../src/requirements.ts';
import { accepted, client, receipt, start, statusesOf, submit } from './client.ts';

/*
 * Tests of the options of the simulator.
 */

describe('simulator: limits of a carrier', () => {
  test('messages above the window get ESME_RMSGQFUL', async () => {
    await using simulator = await start({ window: 3, answerDelayMs: 30 });
    await using peer = await client(simulator);
    const answers = await Promise.all(Array.from({ length: 5 }, () => peer.session.request(submit('0001'))));
    const full = statuses.ESME_RMSGQFUL;
    assert.deepEqual(statusesOf(answers), [0, 0, 0, full, full]);
  });

  test('a share of all messages is throttled at random', async () => {
    await using simulator = await start({ throttleChance: 0.5 });
    await using peer = await client(simulator);
    const answers = await Promise.all(Array.from({ length: 100 }, () => peer.session.request(submit('0001'))));
    const throttled = statusesOf(answers).filter((each) => each === statuses.ESME_RTHROTTLED).length;
    // The limits are seven standard errors away: they fail less than once in 10^11 runs.
    assert.ok(throttled > 15 && throttled < 85, `${throttled} of 100`);
  });

  test('a session above the limit gets ESME_RALYBND, until another session ends', async () => {
    await using simulator = await start({ bindsMax: 1 });
    const first = await client(simulator);
    await assert.rejects(client(simulator), { command_status: statuses.ESME_RALYBND });
    await first.session.unbind();
    while (simulator.sessions > 0) await new Promise(setImmediate);
    await using again = await client(simulator);
    assert.equal(again.session.phase, 'bound_trx');
  });
});

test('simulator: answers come after the set delay', async () => {
  await using simulator = await start({ answerDelayMs: 60 });
  await using peer = await client(simulator, { responseTimeoutMs: 20 });
  assert.deepEqual(statusesOf([await peer.session.request(submit('0001'))]), ['timeout']);
});

test('simulator: a client of 3.3 gets receipts without TLVs', async () => {
  await using simulator = await start();
  for (const [interface_version, expected] of [
    [0x33, 0],
    [0x34, 2],
  ] as const) {
    const bind = { command: 'bind_transceiver', system_id: `v${interface_version}`, password: '' } as const;
    const other = { ...bind, interface_version };
    await using sender = await client(simulator, {
      bind: interface_version === 0x33 ? { ...other, command: 'bind_transmitter' } : other,
    });
    await using receiver = await client(simulator, { bind: { ...other, command: 'bind_receiver' } });
    accepted(await sender.session.request(submit('0001')));
    while (simulator.deliveriesWaiting > 0) await new Promise(setImmediate);
    const [pdu] = [...receiver.heard, ...sender.heard];
    assert.equal(pdu?.tlvs.length, expected);
    assert.equal(receipt(pdu)[0], 'DELIVERED');
  }
});

test('simulator: messages that do not meet the requirements are refused', async () => {
  const payload = writeTlv('message_payload', new Uint8Array(3));
  const sar = writeTlv('sar_total_segments', 2);
  const rows: readonly (readonly [Requirement, StatusName, object, object])[] = [
    ['no_validity', 'ESME_RINVEXPIRY', { validity_period: '' }, { validity_period: '000002000000000R' }],
    [
      'relative_validity',
      'ESME_RINVEXPIRY',
      { validity_period: '000002000000000R' },
      { validity_period: '261121091500000+' },
    ],
    [
      'absolute_validity',
      'ESME_RINVEXPIRY',
      { validity_period: '261121091500000+' },
      { validity_period: '000002000000000R' },
    ],
    ['plus', 'ESME_RINVDSTADR', { destination_addr: '+46700000001' }, {}],
    ['no_plus', 'ESME_RINVDSTADR', {}, { destination_addr: '+46700000001' }],
    ['double_zero', 'ESME_RINVDSTADR', { destination_addr: '0046700000001' }, {}],
    ['international', 'ESME_RINVDSTTON', {}, { dest_addr_ton: 2 }],
    ['no_alphanumeric', 'ESME_RINVSRCADR', {}, { source_addr_ton: 5 }],
    ['no_udh', 'ESME_RINVESMCLASS', {}, { esm_class: 0x40 }],
    ['no_sar', 'ESME_ROPTPARNOTALLWD', { tlvs: [payload] }, { tlvs: [sar] }],
    ['no_payload', 'ESME_ROPTPARNOTALLWD', { tlvs: [sar] }, { tlvs: [payload] }],
  ];
  for (const [name, status, good, bad] of rows) {
    await using simulator = await start({ requirements: [name] });
    await using peer = await client(simulator);
    const answers = await Promise.all([good, bad].map((more) => peer.session.request(submit('0001', more))));
    assert.deepEqual(statusesOf(answers), [0, statuses[status]], name);
  }
});

describe('simulator: the same behaviour for all receivers', () => {
  test('that of one ending', async () => {
    await using simulator = await start({ ordinary: '9902' });
    await using peer = await client(simulator);
    accepted(await peer.session.request(submit('0001')));
    assert.equal(receipt((await peer.hears(1))[0])[0], 'UNDELIVERABLE');
    await assert.rejects(start({ ordinary: '1234' }), /ordinary/);
  });

  test('decimal ids in answers and hexadecimal ids in receipts', async () => {
    await using simulator = await start({ receiptIds: 'hex' });
    await using peer = await client(simulator);
    const id = accepted(await peer.session.request(submit('0001')));
    assert.equal(receipt((await peer.hears(1))[0])[2], BigInt(id).toString(16));
  });
});

test('simulator: over TLS it requires the client certificate of the option', async () => {
  await using simulator = await start({ tls: { ...pem.carrier, ca: pem.ca, requestClientCertificate: true } });
  await using peer = await client(simulator, { tls: { ca: pem.ca, ...pem.client } });
  accepted(await peer.session.request(submit('0001')));
  assert.equal(receipt((await peer.hears(1))[0])[0], 'DELIVERED');
  await assert.rejects(client(simulator, { tls: { ca: pem.ca } }), { failure: 'tls' });
});
