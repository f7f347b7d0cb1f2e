import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readReceipt } from '@morsel/smpp';
import type { JournalEntry } from '../src/journal.ts';
import type { HeldAnswer } from '../src/options.ts';
import type { Behaviour } from '../src/plans.ts';
import { accepted, client, receipt, start, statusesOf, submit } from './client.ts';

/*
 * Tests of the hooks with which other tests script a carrier: `behaviourOf` and `holdAnswer`.
 */

const receipts = [{ state: 'DELIVERED' }] as const;

/** A simulator whose receiver 0007 has this behaviour. */
function scripted(behaviour: Behaviour, journal: JournalEntry[] = []) {
  return start({
    behaviourOf: ({ destination_addr }) => (destination_addr.endsWith('0007') ? behaviour : undefined),
    journal: (entry) => void journal.push(entry),
  });
}

describe('simulator: a scripted behaviour', () => {
  test('replaces the octets of one answer, but not of the answers before and after it', async () => {
    await using simulator = await scripted({
      answer: { octets: (answer) => Buffer.concat([answer, answer]) },
      receipts,
    });
    const strays: number[] = [];
    await using peer = await client(simulator, { onStray: (pdu) => void strays.push(pdu.sequence_number) });
    const answers = await Promise.all(['0001', '0007', '0002'].map((digits) => peer.session.request(submit(digits))));
    assert.deepEqual(statusesOf(answers), [0, 0, 0]);
    await peer.hears(3);
    assert.deepEqual(strays, [3], 'the bind has the number 1');
  });

  test('ends the connection after half of an answer; the receipt waits for the next session', async () => {
    const answer = { octets: (whole: Buffer) => whole.subarray(0, whole.length / 2), end: 'fin' } as const;
    await using simulator = await scripted({ answer, receipts });
    const { session } = await client(simulator);
    assert.deepEqual(await session.request(submit('0007')), { kind: 'closed', written: true });
    assert.equal(await session.closed, 'disconnected');
    await using again = await client(simulator);
    assert.equal(receipt((await again.hears(1))[0])[0], 'DELIVERED');
  });

  test('resets the connection at the first attempt only', async () => {
    await using simulator = await scripted({ answer: { command_status: null, end: 'rst' }, times: 1, receipts });
    const { session } = await client(simulator);
    assert.deepEqual(await session.request(submit('0007')), { kind: 'closed', written: true });
    assert.match(await session.closed, /^(socket_error|disconnected)$/);
    await using again = await client(simulator);
    accepted(await again.session.request(submit('0007')));
  });

  test('stops all PDUs on an open connection; the journal has the PDUs that came after that', async () => {
    const journal: JournalEntry[] = [];
    await using simulator = await scripted({ answer: { command_status: null, end: 'silence' }, receipts }, journal);
    const { session } = await client(simulator, { enquireLinkMs: 30, responseTimeoutMs: 30 });
    const answers = [session.request(submit('0007')), session.request(submit('0001'))];
    assert.equal(await session.closed, 'silent');
    assert.deepEqual(statusesOf(await Promise.all(answers)), ['timeout', 'timeout']);
    const read = journal.map(({ event }) => event).filter((event) => event !== 'bind');
    assert.deepEqual(read, ['submit', 'unheard']);
  });

  test('writes ids and receipts in other forms, and the journal has these ids', async () => {
    const journal: JournalEntry[] = [];
    const behaviour: Behaviour = {
      answer: { spell: () => 'A1' },
      receipts: [{ state: 'DELIVERED', spell: () => 'a1', rewrite: (pdu) => ({ ...pdu, tlvs: [], esm_class: 0 }) }],
    };
    await using simulator = await scripted(behaviour, journal);
    await using peer = await client(simulator);
    assert.equal(accepted(await peer.session.request(submit('0007'))), 'A1');
    const [pdu] = await peer.hears(1);
    assert.ok(pdu?.command === 'deliver_sm');
    assert.deepEqual([readReceipt(pdu)?.id, readReceipt(pdu)?.evidence], ['a1', 'text']);
    const ids = journal.flatMap((entry) => ('message_id' in entry ? [entry.message_id] : []));
    assert.deepEqual(ids.slice(0, 2), ['A1', 'a1']);
  });
});

test('simulator: a held answer is sent, lost, or ends the connection, and the journal shows which', async () => {
  const journal: JournalEntry[] = [];
  const held: HeldAnswer[] = [];
  await using simulator = await start({
    holdAnswer: (each) => held.push(each) > 0,
    journal: (entry) => void journal.push(entry),
  });
  const { session } = await client(simulator);
  const answers = ['0001', '9930', '0002'].map((digits) => session.request(submit(digits, { registered_delivery: 0 })));
  while (held.length < 3) await new Promise(setImmediate);
  assert.equal(session.inFlight, 3);
  held[0]?.send();
  held[1]?.send();
  held[2]?.lose();
  held[2]?.end('fin');
  assert.deepEqual(statusesOf(await Promise.all(answers)), [0, 11, 'closed']);
  assert.equal(held[0]?.isGone, true);
  const noted = journal.flatMap((entry) => (entry.event === 'submit' ? [entry.command_status] : []));
  assert.deepEqual(noted, [0, 11, null]);
});
