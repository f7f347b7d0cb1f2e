import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { statuses } from '@morsel/smpp';
import type { JournalEntry } from '../src/journal.ts';
import { accepted, client, receipt, start, submit } from './client.ts';

/*
 * Tests of the simulator as a carrier: ordinary messages, binds, the journal and its methods.
 */

describe('simulator: ordinary numbers', () => {
  test('are accepted with decimal ids that rise, and delivered', async () => {
    await using simulator = await start();
    await using peer = await client(simulator);
    const ids = [
      accepted(await peer.session.request(submit('0001'))),
      accepted(await peer.session.request(submit('0002'))),
    ];
    assert.match(ids.join(), /^[1-9]\d{15},[1-9]\d{15}$/);
    assert.equal(Number(ids[1]), Number(ids[0]) + 1);
    const [first, second] = await peer.hears(2);
    assert.deepEqual(receipt(first), ['DELIVERED', 'DELIVRD', ids[0]]);
    assert.deepEqual(receipt(second), ['DELIVERED', 'DELIVRD', ids[1]]);
    assert.ok(first?.command === 'deliver_sm');
    assert.deepEqual(
      [first.source_addr, first.source_addr_ton, first.destination_addr, first.dest_addr_ton, first.esm_class],
      ['46700000001', 1, '72000', 3, 4],
    );
  });

  test('registered_delivery decides whether a receipt comes', async () => {
    await using simulator = await start();
    await using peer = await client(simulator);
    const wanted: [string, number, boolean][] = [
      ['0001', 0, false],
      ['0002', 1, true],
      ['0003', 2, false],
      ['0004', 3, true],
      ['0005', 0x11, true],
      ['9902', 2, true],
      ['9902', 3, false],
    ];
    for (const [digits, registered_delivery] of wanted) {
      await peer.session.request(submit(digits, { registered_delivery }));
    }
    while (simulator.deliveriesWaiting > 0) await new Promise(setImmediate);
    assert.equal(peer.heard.length, wanted.filter(([, , isWanted]) => isWanted).length);
  });

  test('unknown commands are refused as unknown', async () => {
    await using simulator = await start();
    await using peer = await client(simulator);
    const answer = await peer.session.request({ command: 'query_sm', message_id: '1' });
    assert.equal(answer.kind === 'answered' && answer.pdu.command_status, statuses.ESME_RQUERYFAIL);
  });
});

describe('simulator: deliveries', () => {
  test('are repeated until they are acknowledged with 0', async () => {
    await using simulator = await start();
    let tries = 0;
    const done = Promise.withResolvers<void>();
    await using peer = await client(simulator, {
      onRequest(_pdu, respond) {
        tries += 1;
        respond(tries < 3 ? statuses.ESME_RX_T_APPN : 0);
        if (tries === 3) done.resolve();
      },
    });
    await peer.session.request(submit('0001'));
    await done.promise;
    while (simulator.deliveriesWaiting > 0) await new Promise(setImmediate);
    const { receiptsSent, receiptsAcknowledged } = simulator.counters;
    assert.deepEqual([receiptsSent, receiptsAcknowledged], [3, 1]);
  });

  test('wait for the client to return, with a receiver bind', async () => {
    await using simulator = await start();
    const sender = await client(simulator, {
      bind: { command: 'bind_transmitter', system_id: 'client', password: '' },
    });
    const id = accepted(await sender.session.request(submit('0001')));
    await sender.session.unbind();
    await using stranger = await client(simulator, {
      bind: { command: 'bind_receiver', system_id: 'other', password: '' },
    });
    await using receiver = await client(simulator, {
      bind: { command: 'bind_receiver', system_id: 'client', password: '' },
    });
    assert.deepEqual(receipt((await receiver.hears(1))[0]), ['DELIVERED', 'DELIVRD', id]);
    assert.equal(stranger.heard.length, 0);
  });

  test('are not lost when all connections are reset', async () => {
    await using simulator = await start({ receiptDelayMs: 20 });
    const first = await client(simulator);
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => accepted(await first.session.request(submit('0001')))),
    );
    simulator.dropAll();
    await first.session.closed;
    await using second = await client(simulator);
    while (simulator.deliveriesWaiting > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const heard = new Set([...first.heard, ...second.heard].map((pdu) => receipt(pdu)[2]));
    assert.deepEqual(heard, new Set(ids));
  });
});

describe('simulator: control', () => {
  test('system_id and password are checked if they are set', async () => {
    await using simulator = await start({ systemId: 'client', password: 'secret' });
    await using peer = await client(simulator);
    assert.equal(peer.session.phase, 'bound_trx');
    for (const [system_id, password, command_status] of [
      ['client', 'guess', 'ESME_RINVPASWD'],
      ['other', 'secret', 'ESME_RINVSYSID'],
    ] as const) {
      await assert.rejects(client(simulator, { bind: { command: 'bind_transceiver', system_id, password } }), {
        command_status: statuses[command_status],
      });
    }
    assert.deepEqual([simulator.counters.binds, simulator.counters.bindsRefused, simulator.sessions], [1, 2, 1]);
  });

  test('messages over the throughput are throttled', async () => {
    await using simulator = await start({ throughput: 50 });
    await using peer = await client(simulator);
    const answers = await Promise.all(Array.from({ length: 40 }, () => peer.session.request(submit('0001'))));
    const answered = answers.map((answer) => answer.kind === 'answered' && answer.pdu.command_status);
    assert.deepEqual(answered.slice(0, 5), [0, 0, 0, 0, 0]);
    assert.ok(answered.includes(statuses.ESME_RTHROTTLED));
  });

  test('with the endings off, every number is ordinary', async () => {
    await using simulator = await start({ magic: false, messageIds: 'hex' });
    await using peer = await client(simulator);
    assert.match(accepted(await peer.session.request(submit('9930'))), /^[0-9a-f]{13}$/);
  });

  test('the journal records received, sent and acknowledged messages, with texts only if asked', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'simulator-'));
    const journal = join(folder, 'journal.jsonl');
    for (const journalTexts of [false, true]) {
      await using simulator = await start({ journal, journalTexts });
      await using peer = await client(simulator);
      await peer.session.request(submit('9902', { short_message: Buffer.from('Hello') }));
      await peer.session.request(submit('9930'));
      await peer.hears(1);
      while (simulator.deliveriesWaiting > 0) await new Promise(setImmediate);
    }
    const lines = (await readFile(journal, 'utf8')).trimEnd().split('\n');
    const entries = lines.map((line): JournalEntry => JSON.parse(line));
    // The first entries are of the first run. The receipt may come before or after the second submit_sm.
    const of = <E extends JournalEntry['event']>(event: E): Extract<JournalEntry, { event: E }>[] =>
      entries.filter((entry): entry is Extract<JournalEntry, { event: E }> => entry.event === event);
    assert.equal(of('bind').length, 2);
    const [first, second, withText] = of('submit');
    const [sent] = of('receipt');
    const [acknowledged] = of('receipt_answer');
    assert.ok(first && second && withText && sent && acknowledged);
    assert.deepEqual([first.command_status, first.octets, first.destination], [0, 5, '46700009902']);
    assert.deepEqual([second.command_status, second.message_id], [statuses.ESME_RINVDSTADR, null]);
    assert.deepEqual([sent.message_id, sent.stat, sent.attempt], [first.message_id, 'UNDELIV', 1]);
    assert.equal(acknowledged.command_status, 0);
    assert.deepEqual([first.session, first.serial, second.serial, first.unanswered], [1, 1, 2, 1]);
    assert.deepEqual([sent.serial, sent.session, sent.state, acknowledged.serial], [1, 1, 'UNDELIVERABLE', 1]);
    assert.ok(!('text' in first));
    assert.deepEqual([withText.text, withText.hex], ['Hello', '48656c6c6f']);
    await rm(folder, { recursive: true });
  });
});
