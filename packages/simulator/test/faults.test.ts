import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Fault,
  type Pdu,
  type PduOf,
  type RequestName,
  type Respond,
  type Receipt,
  readReceipt,
  readTlv,
  statuses,
} from '@morsel/smpp';
import type { JournalEntry } from '../src/journal.ts';
import { magic } from '../src/endings.ts';
import { accepted, client, start, statusesOf, submit } from './client.ts';

/**
 * Tests that the wrong behaviour of the simulator reaches a client.
 */

interface Met {
  readonly oddities: string[];
  readonly strays: Pdu[];
  readonly faults: Fault[];
}

function meeting(): { readonly met: Met; readonly handlers: object } {
  const met: Met = { oddities: [], strays: [], faults: [] };
  const handlers = {
    onOddities: (_pdu: Pdu, oddities: readonly string[]) => met.oddities.push(...oddities),
    onStray: (pdu: Pdu) => met.strays.push(pdu),
    onFault: (fault: Fault) => met.faults.push(fault),
  };
  return { met, handlers };
}

describe('simulator: answers as no encoder writes them', () => {
  const rows: readonly (readonly [string, string | null, Partial<Record<keyof Met, number>>])[] = [
    ['9951', null, {}],
    ['9957', 'same', { oddities: 1 }],
    ['9958', 'same', { oddities: 1 }],
    ['9959', '7'.repeat(100), { oddities: 1 }],
    ['9970', 'same', { strays: 1 }],
    ['9971', 'same', { strays: 1 }],
    ['9972', 'same', { faults: 2 }],
  ];
  for (const [digits, message_id, expected] of rows) {
    test(`${digits}: ${magic[digits]?.about}`, async () => {
      await using simulator = await start({ messageIds: 'same' });
      const { met, handlers } = meeting();
      await using peer = await client(simulator, handlers);
      const answer = await peer.session.request(submit(digits, { registered_delivery: 0 }));
      assert.ok(answer.kind === 'answered' && answer.pdu.command === 'submit_sm_resp');
      const expectedId = message_id === 'same' ? '4711' : message_id;
      assert.deepEqual([answer.pdu.command_status, answer.pdu.message_id], [0, expectedId]);
      // The session goes on, and what came behind the answer has been read.
      accepted(await peer.session.request(submit('0001', { registered_delivery: 0 })));
      const { oddities, strays, faults } = met;
      const counts = { oddities: oddities.length, strays: strays.length, faults: faults.length };
      assert.deepEqual(counts, { oddities: 0, strays: 0, faults: 0, ...expected });
    });
  }

  test('9953: an error with a body, where 9930 has none', async () => {
    await using simulator = await start();
    await using peer = await client(simulator);
    const ids: (string | null | undefined)[] = [];
    for (const digits of ['9930', '9953']) {
      const answer = await peer.session.request(submit(digits));
      assert.ok(answer.kind === 'answered' && answer.pdu.command === 'submit_sm_resp');
      assert.equal(answer.pdu.command_status, statuses.ESME_RINVDSTADR);
      ids.push(answer.pdu.message_id);
    }
    assert.deepEqual(ids, [null, '']);
  });

  test('9956: a nack with sequence number 0 answers a request only if it is the only one in flight', async () => {
    await using simulator = await start();
    const { met, handlers } = meeting();
    await using peer = await client(simulator, { ...handlers, responseTimeoutMs: 50 });
    const alone = await peer.session.request(submit('9956'));
    assert.deepEqual(statusesOf([alone]), [statuses.ESME_RINVCMDID]);
    const two = await Promise.all([peer.session.request(submit('9942')), peer.session.request(submit('9956'))]);
    assert.deepEqual(statusesOf(two), ['timeout', 'timeout']);
    assert.deepEqual([met.strays.length, met.strays[0]?.sequence_number], [1, 0]);
  });

  test('9979: the response of another command is no answer', async () => {
    await using simulator = await start();
    const { met, handlers } = meeting();
    await using peer = await client(simulator, { ...handlers, responseTimeoutMs: 50 });
    assert.deepEqual(statusesOf([await peer.session.request(submit('9979'))]), ['timeout']);
    assert.equal(met.strays[0]?.command, 'cancel_sm_resp');
  });

  for (const digits of ['9973', '9974']) {
    test(`${digits}: ${magic[digits]?.about}, and the end of the session`, async () => {
      await using simulator = await start();
      const { session } = await client(simulator);
      assert.deepEqual(await session.request(submit(digits)), { kind: 'closed', written: true });
      assert.equal(await session.closed, 'framing');
    });
  }

  test('9975: the answer is minutes late', async () => {
    await using simulator = await start();
    await using peer = await client(simulator, { responseTimeoutMs: 50 });
    assert.deepEqual(statusesOf([await peer.session.request(submit('9975', { registered_delivery: 0 }))]), ['timeout']);
  });
});

describe('simulator: silence on an open connection', () => {
  for (const digits of ['9976', '9977', '9978']) {
    test(`${digits}: ${magic[digits]?.about}`, async () => {
      const entries: JournalEntry[] = [];
      await using simulator = await start({ journal: (entry) => void entries.push(entry) });
      const { session } = await client(simulator, { enquireLinkMs: 30, responseTimeoutMs: 30 });
      const answers = [session.request(submit(digits)), session.request(submit('0001'))];
      assert.equal(await session.closed, 'silent');
      assert.deepEqual(statusesOf(await Promise.all(answers)), ['timeout', 'timeout']);
      const read = entries.filter(({ event }) => event !== 'bind').map(({ event }) => event);
      assert.deepEqual(read, ['submit', 'unheard'], 'the journal has what came after it fell silent');
      if (magic[digits]?.times === undefined) return;
      await using again = await client(simulator);
      accepted(await again.session.request(submit(digits)));
    });
  }
});

async function receiptOf(digits: string, more: object = {}): Promise<{ pdu: PduOf<RequestName>; read: Receipt }> {
  await using simulator = await start();
  await using peer = await client(simulator, more);
  accepted(await peer.session.request(submit(digits)));
  const [pdu] = await peer.hears(1);
  assert.ok(pdu?.command === 'deliver_sm' || pdu?.command === 'data_sm');
  const read = readReceipt(pdu);
  assert.ok(read !== undefined);
  return { pdu, read };
}

test('simulator: a receipt is acknowledged by an answer with message_id and without, and by no error', async () => {
  await using simulator = await start({ retryMs: 5 });
  const answers: Parameters<Respond>[] = [
    [statuses.ESME_RX_T_APPN],
    [statuses.ESME_RSYSERR, { message_id: '' }],
    [0, { message_id: 'ours' }],
    [0],
  ];
  const order: number[] = [];
  await using peer = await client(simulator, {
    onRequest(_pdu, respond) {
      const [command_status, fields] = answers.shift() ?? [0];
      order.push(command_status);
      respond(command_status, fields);
    },
  });
  accepted(await peer.session.request(submit('0001')));
  while (simulator.deliveriesWaiting > 0) await new Promise(setImmediate);
  assert.deepEqual(order, [statuses.ESME_RX_T_APPN, statuses.ESME_RSYSERR, 0]);
  accepted(await peer.session.request(submit('0001')));
  while (simulator.deliveriesWaiting > 0) await new Promise(setImmediate);
  assert.deepEqual([simulator.counters.receiptsSent, simulator.counters.receiptsAcknowledged], [4, 2]);
});

describe('simulator: receipts as carriers write them', () => {
  const dates: readonly (readonly [string, RegExp])[] = [
    ['9901', /^\d{10}$/],
    ['9929', /^\d{12}$/],
    ['9963', /^20\d{12}$/],
    ['9964', /^\d{12}028\+$/],
  ];
  for (const [digits, form] of dates) {
    test(`${digits}: dates of the form ${form.source}`, async () => {
      const { read } = await receiptOf(digits);
      assert.match(read.submitDate ?? '', form);
      assert.match(read.doneDate ?? '', form);
    });
  }

  const errors: readonly (readonly [string, string])[] = [
    ['9963', '0000'],
    ['9965', '1B'],
    ['9990', '012'],
    ['9991', '11'],
    ['9992', '260'],
  ];
  for (const [digits, error] of errors) {
    test(`${digits}: the error ${error}`, async () => assert.equal((await receiptOf(digits)).read.error, error));
  }

  const evidence: readonly (readonly [string, Receipt['evidence'], number])[] = [
    ['9966', 'text', 0],
    ['9988', 'tlv', 0],
    ['9998', 'esm_class', 0x20],
    ['9999', 'esm_class', 0x04],
  ];
  for (const [digits, what, esm_class] of evidence) {
    test(`${digits}: esm_class ${esm_class}, told by ${what}`, async () => {
      const { pdu, read } = await receiptOf(digits);
      assert.ok('esm_class' in pdu);
      assert.deepEqual([read.evidence, pdu.esm_class], [what, esm_class]);
      if (digits === '9998') assert.equal(read.final, false);
    });
  }

  test('9989: the text and the TLV spell the id differently', async () => {
    const { read } = await receiptOf('9989');
    assert.match(read.textId ?? '', /^0{4}\d{16}$/);
  });

  test('9993: the TLV has no NUL', async () => {
    const { pdu } = await receiptOf('9993');
    const value = pdu.tlvs.find(({ tag }) => tag === 0x001e)?.value;
    assert.match(Buffer.from(value ?? []).toString('latin1'), /^\d{16}$/);
  });

  test('9994: octets after the receipt are reported as an oddity', async () => {
    const { met, handlers } = meeting();
    await receiptOf('9994', handlers);
    assert.match(met.oddities.join(), /3 octets at the end are not a TLV/);
  });

  test('9996: two receipts under one number', async () => {
    await using simulator = await start();
    await using peer = await client(simulator);
    accepted(await peer.session.request(submit('9996')));
    const numbers = (await peer.hears(2)).map((pdu) => pdu.sequence_number);
    assert.equal(numbers[0], numbers[1]);
    while (simulator.deliveriesWaiting > 0) await new Promise(setImmediate);
  });

  test('9997: the dates are days late, and hours ahead of UTC', async () => {
    const { read } = await receiptOf('9997');
    assert.notEqual(read.submitDate?.slice(0, 6), read.doneDate?.slice(0, 6));
    const { read: ours } = await receiptOf('9901');
    assert.notEqual(read.doneDate?.slice(0, 8), ours.doneDate?.slice(0, 8));
  });

  test('9987: the receipt comes on another link if there is one', async () => {
    for (const others of [0, 1]) {
      await using simulator = await start();
      await using sender = await client(simulator);
      await using other = await (others === 1 ? client(simulator) : Promise.resolve(sender));
      for (let turn = 0; turn < 5; turn++) accepted(await sender.session.request(submit('9987')));
      await other.hears(5);
      assert.equal(sender.heard.length, others === 1 ? 0 : 5);
    }
  });
});

test('simulator: inbound messages in the codings of carriers', async () => {
  const rows: readonly (readonly [string, string])[] = [
    ['9885', '0 0 69643a203132333435206973206d79206f726465722c20737461743a2077616974696e67'],
    ['9886', '0 4 0001feff1b'],
    ['9887', '64 0 0325010141070b'],
    ['9888', '0 241 5468616e6b'],
    ['9889', '0 3 4d657263692c207265e7'],
    ['9890', '0 0 5474d8'],
    ['9891', '0 8 2104'],
    ['9892', '0 8 fffe2104'],
  ];
  await using simulator = await start();
  for (const [digits, expected] of rows) {
    await using peer = await client(simulator);
    accepted(await peer.session.request(submit(digits, { registered_delivery: 0 })));
    const [pdu] = await peer.hears(1);
    assert.ok(pdu?.command === 'deliver_sm');
    assert.equal(readReceipt(pdu), undefined, digits);
    const given = `${pdu.esm_class} ${pdu.data_coding} ${Buffer.from(pdu.short_message).toString('hex')}`;
    assert.ok(given.startsWith(expected), `${digits}: ${given}`);
  }
});

test('simulator: long inbound messages, complete, incomplete and out of order', async () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['9893', ['3/3', '2/3', '1/3']],
    ['9894', ['1/2', '2/2']],
    ['9895', ['payload of 368']],
    ['9896', ['1/2']],
    ['9897', ['1/2', '1/2', '2/2']],
  ];
  await using simulator = await start();
  for (const [digits, expected] of rows) {
    await using peer = await client(simulator);
    accepted(await peer.session.request(submit(digits, { registered_delivery: 0 })));
    await peer.hears(expected.length);
    while (simulator.deliveriesWaiting > 0) await new Promise(setImmediate);
    assert.deepEqual(peer.heard.map(partOf), expected, digits);
  }
});

function partOf(pdu: PduOf<RequestName>): string {
  assert.ok(pdu.command === 'deliver_sm');
  const payload = readTlv(pdu, 'message_payload');
  if (payload !== undefined) return `payload of ${payload.length}`;
  const total = readTlv(pdu, 'sar_total_segments');
  if (total !== undefined) return `${readTlv(pdu, 'sar_segment_seqnum')}/${total}`;
  const header = pdu.short_message.subarray(0, (pdu.short_message[0] ?? 0) + 1);
  return `${header.at(-1)}/${header.at(-2)}`;
}
