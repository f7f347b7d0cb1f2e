import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pem } from '../../smpp/vectors/tls.ts';
import { readReceipt, writeTlv, statuses, type Bind, type StatusName } from '@morsel/smpp';
import type { Demand } from '../src/requirements.ts';
import { idForms } from '../src/delivery/ids.ts';
import type { JournalEntry } from '../src/journal.ts';
import type { Ending } from '../src/plans.ts';
import type { SimulatorOptions } from '../src/options.ts';
import { accepted, client, receipt, start, statusesOf, submit } from './client.ts';

/*
 * Tests of the options of the simulator.
 */

const bind: Bind = { command: 'bind_transceiver', system_id: 'client', password: 'secret' };

describe('simulator: the end in the middle of a window, half of its answers sent', () => {
  const ends: readonly (readonly [Ending, RegExp])[] = [
    ['fin', /^disconnected$/],
    ['rst', /^(socket_error|disconnected)$/],
    ['silence', /^silent$/],
  ];
  for (const [by, reason] of ends) {
    for (const tls of [undefined, pem.carrier]) {
      test(`by ${by}${tls ? ', under TLS' : ''}`, async () => {
        const entries: JournalEntry[] = [];
        await using simulator = await start({
          closing: { by, afterSubmits: 5 },
          journal: (entry) => entries.push(entry),
          ...(tls && { tls }),
        });
        const more = { enquireLinkMs: 100, responseTimeoutMs: 200, ...(tls && { tls: { ca: pem.ca } }) };
        const { session } = await client(simulator, more);
        const asked = () => session.request(submit('0001', { registered_delivery: 0 }));
        for (let turn = 0; turn < 4; turn++) accepted(await asked());
        const answered = statusesOf(await Promise.all(Array.from({ length: 10 }, asked)));
        const lost = by === 'silence' ? 'timeout' : 'closed';
        assert.deepEqual(answered, [0, lost, 0, lost, 0, lost, 0, lost, 0, lost]);
        assert.match(await session.closed, reason);
        const submits = entries.filter((entry) => entry.event === 'submit');
        assert.deepEqual(
          [submits.length, submits.filter((entry) => entry.command_status === null).length],
          [14, 5],
          'the journal knows which have no answer',
        );
        // Once is enough.
        await using again = await client(simulator, tls ? { tls: { ca: pem.ca } } : {});
        for (let turn = 0; turn < 6; turn++) accepted(await again.session.request(submit('0001')));
      });
    }
  }

  test('as often as the option says', async () => {
    await using simulator = await start({ closing: { by: 'fin', afterSubmits: 1, times: 2 } });
    for (const expected of ['disconnected', 'disconnected', 'unbound']) {
      const { session } = await client(simulator);
      accepted(await session.request(submit('0001', { registered_delivery: 0 })));
      if (expected === 'unbound') void session.unbind();
      assert.equal(await session.closed, expected);
    }
  });
});

describe('simulator: answers late and out of order, and numbers', () => {
  test('reversed', async () => {
    await using simulator = await start({ answers: 'reversed' });
    await using peer = await client(simulator);
    const order: number[] = [];
    const all = [1, 2, 3, 4, 5].map(async (n) => {
      accepted(await peer.session.request(submit('0001', { registered_delivery: 0 })));
      order.push(n);
    });
    await Promise.all(all);
    assert.deepEqual(order, [5, 4, 3, 2, 1]);
  });

  test('late', async () => {
    await using simulator = await start({ answerDelayMs: 60 });
    await using peer = await client(simulator, { responseTimeoutMs: 20 });
    assert.deepEqual(statusesOf([await peer.session.request(submit('0001'))]), ['timeout']);
  });

  test('sequence numbers start at the number of the option, at 0 and near the end', async () => {
    for (const [firstSequence, expected] of [
      [0, [0, 1, 2]],
      [0x7fffffff, [0x7fffffff, 1, 2]],
    ] as const) {
      await using simulator = await start({ session: { firstSequence } });
      await using peer = await client(simulator);
      for (let turn = 0; turn < 3; turn++) await peer.session.request(submit('0001'));
      assert.deepEqual(
        (await peer.hears(3)).map((pdu) => pdu.sequence_number),
        expected,
      );
      while (simulator.deliveriesWaiting > 0) await new Promise(setImmediate);
    }
  });
});

describe('simulator: limits of a carrier', () => {
  test('a window: above it ESME_RMSGQFUL', async () => {
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
    // Seven standard errors: less than once in 10^11 runs.
    assert.ok(throttled > 15 && throttled < 85, `${throttled} of 100`);
  });

  test('a throughput with a penalty: a client that continues stays refused', async () => {
    await using simulator = await start({ throughput: 20, throttlePenaltyMs: 300 });
    await using peer = await client(simulator);
    const answered: (number | string)[] = [];
    const until = performance.now() + 400;
    while (performance.now() < until) {
      answered.push(...statusesOf([await peer.session.request(submit('0001'))]));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.deepEqual(answered.slice(0, 2), [0, 0]);
    assert.deepEqual([...new Set(answered.slice(3))], [statuses.ESME_RTHROTTLED]);
  });
});

test('simulator: demands on messages, and the refusals of others', async () => {
  const payload = writeTlv('message_payload', new Uint8Array(3));
  const sar = writeTlv('sar_total_segments', 2);
  const rows: readonly (readonly [Demand, StatusName, object, object])[] = [
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
    ['one_method', 'ESME_RINVESMCLASS', { esm_class: 0x40 }, { esm_class: 0x40, tlvs: [sar] }],
    ['no_tlvs', 'ESME_ROPTPARNOTALLWD', {}, { tlvs: [sar] }],
    ['no_ucs2', 'ESME_RINVDCS', { data_coding: 3 }, { data_coding: 8 }],
    ['registered_17', 'ESME_RINVREGDLVFLG', { registered_delivery: 0x11 }, { registered_delivery: 1 }],
  ];
  for (const [demand, name, good, bad] of rows) {
    await using simulator = await start({ demands: [demand] });
    await using peer = await client(simulator);
    const answers = await Promise.all([good, bad].map((more) => peer.session.request(submit('0001', more))));
    assert.deepEqual(statusesOf(answers), [0, statuses[name]], demand);
  }
});

describe('simulator: binds', () => {
  const rows: readonly (readonly [string, Partial<SimulatorOptions>, Partial<Bind>, StatusName])[] = [
    ['a system_type', { systemType: 'VMA' }, { system_type: 'SMPP' }, 'ESME_RINVSYSTYP'],
    ['an address_range', { addressRange: '^46' }, {}, 'ESME_RBINDFAIL'],
    ['no transceiver in 3.3', { version: 0x33 }, {}, 'ESME_RINVCMDID'],
    ['refused once', { bindRefusal: { command_status: 5, times: 1 } }, {}, 'ESME_RALYBND'],
    ['and with a body', { bindRefusal: { command_status: 8, hasBody: true } }, {}, 'ESME_RSYSERR'],
  ];
  for (const [name, options, more, expected] of rows) {
    test(name, async () => {
      await using simulator = await start(options);
      await assert.rejects(client(simulator, { bind: { ...bind, ...more } }), { command_status: statuses[expected] });
      const good: Bind = {
        ...bind,
        ...(options.systemType !== undefined && { system_type: options.systemType }),
        ...(options.addressRange !== undefined && { address_range: options.addressRange }),
        ...(options.version !== undefined && { command: 'bind_transmitter' }),
      };
      if (options.bindRefusal?.times === undefined && options.bindRefusal !== undefined) return;
      await using peer = await client(simulator, { bind: good });
      assert.equal(peer.session.inFlight, 0);
    });
  }

  test('one too many is ESME_RALYBND, until one goes', async () => {
    await using simulator = await start({ bindsMax: 1 });
    const first = await client(simulator);
    await assert.rejects(client(simulator), { command_status: statuses.ESME_RALYBND });
    await first.session.unbind();
    while (simulator.sessions > 0) await new Promise(setImmediate);
    await using again = await client(simulator);
    assert.equal(again.session.phase, 'bound_trx');
  });

  test('no answer', async () => {
    await using simulator = await start({ bindRefusal: { command_status: 'unanswered' } });
    await assert.rejects(client(simulator, { bindTimeoutMs: 30 }), { failure: 'bind_timeout' });
    assert.equal(simulator.counters.bindsRefused, 1);
  });

  test('a carrier of 3.3 or 3.4, and a client of 3.3: TLVs only where both know them', async () => {
    for (const [version, interface_version, expected] of [
      [0x33, 0x34, 0],
      [0x34, 0x33, 0],
      [0x34, 0x50, 2],
      [0x50, 0x50, 2],
    ] as const) {
      await using simulator = await start({ version });
      const other = { system_id: 'client', password: '', interface_version };
      await using receiver = await client(simulator, { bind: { command: 'bind_receiver', ...other } });
      await using sender = await client(simulator, { bind: { command: 'bind_transmitter', ...other } });
      accepted(await sender.session.request(submit('0001')));
      const [pdu] = await receiver.hears(1);
      assert.equal(pdu?.tlvs.length, expected);
      assert.equal(receipt(pdu)[0], 'DELIVERED');
      // Without the TLV in its answer a carrier of 3.3 cannot be told from one that leaves it out.
      assert.equal(sender.session.version, version === 0x33 ? 0x34 : Math.min(version, interface_version));
    }
  });
});

test('simulator: enquire_link and unbind without an answer', async () => {
  await using simulator = await start({ unanswered: ['enquire_link', 'unbind'] });
  const { session } = await client(simulator, { enquireLinkMs: 20, responseTimeoutMs: 20 });
  assert.equal(await session.closed, 'silent');
  const busy = await client(simulator, { enquireLinkMs: 60, responseTimeoutMs: 60 });
  const until = performance.now() + 400;
  while (performance.now() < until) {
    accepted(await busy.session.request(submit('0001', { registered_delivery: 0 })));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  // It hangs up where it should have answered.
  assert.equal(await busy.session.unbind(), 'disconnected');
});

describe('simulator: one behaviour for all numbers, and ids in all spellings', () => {
  test('ordinary', async () => {
    await using simulator = await start({ ordinary: '9902' });
    await using peer = await client(simulator);
    accepted(await peer.session.request(submit('0001')));
    assert.equal(receipt((await peer.hears(1))[0])[0], 'UNDELIVERABLE');
    await assert.rejects(start({ ordinary: '1234' }), /ordinary/);
  });

  const spellings = {
    decimal: /^\d{16}$/,
    hex: /^[0-9a-f]{13}$/,
    upper_hex: /^[0-9A-F]{13}$/,
    zeros: /^0{4}\d{16}$/,
    long: /^\d{28}$/,
    long_hex: /^[0-9a-f]{23}$/,
    uuid: /^0e999f21-81ef-4974-a414-[0-9a-f]{12}$/,
    upper_uuid: /^0E999F21-81EF-4974-A414-[0-9A-F]{12}$/,
    same: /^4711$/,
    empty: /^$/,
  } satisfies Record<(typeof idForms)[number], RegExp>;
  for (const form of idForms) {
    test(form, async () => {
      await using simulator = await start({ messageIds: form, receiptIds: 'decimal' });
      await using peer = await client(simulator);
      assert.match(accepted(await peer.session.request(submit('0001'))), spellings[form]);
      const [pdu] = await peer.hears(1);
      assert.ok(pdu?.command === 'deliver_sm');
      assert.match(readReceipt(pdu)?.id ?? '', spellings.decimal);
    });
  }
});

test('simulator: over TLS it requires the client certificate of the option', async () => {
  await using simulator = await start({ tls: { ...pem.carrier, ca: pem.ca, requestClientCertificate: true } });
  await using peer = await client(simulator, { tls: { ca: pem.ca, ...pem.client } });
  accepted(await peer.session.request(submit('0001')));
  assert.equal(receipt((await peer.hears(1))[0])[0], 'DELIVERED');
  await assert.rejects(client(simulator, { tls: { ca: pem.ca } }), { failure: 'tls' });
});
