import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pem } from '../../smpp/vectors/tls.ts';
import { statuses } from '@morsel/smpp';
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
