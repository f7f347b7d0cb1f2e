import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encode } from '../codec/encode.ts';
import type { Respond } from '../session/session-contract.ts';
import { bound, deliver, enquire, hear, play, submit } from '../session/session.fixture.ts';
import { statuses } from '../codec/statuses.ts';
import { carrier, client, polite } from './transport.fixture.ts';

/*
 * Tests of peers that send faster than they get answers, over real sockets.
 */

const ok = statuses.ESME_ROK;
const temporaryError = statuses.ESME_RX_T_APPN;
const responded = { kind: 'responded', now: 0 } as const;

describe('session: a peer that sends faster than it gets answers', () => {
  test('after too long a pause, the surplus is read and refused until everything is read', () => {
    play(bound('client'), [
      [hear(deliver(1)), 'request deliver_sm 1'],
      [hear(deliver(2)), 'request deliver_sm 2'],
      [hear(deliver(3)), 'request deliver_sm 3'],
      [hear(deliver(4)), 'request deliver_sm 4', 'pause'],
      [{ kind: 'behind' }, 'resume'],
      [hear(deliver(5)), `send deliver_sm_resp 5 ${temporaryError}`],
      [hear(enquire), 'send enquire_link_resp 77 0'],
      [responded],
      [responded, 'resume'],
      [hear(deliver(6)), 'request deliver_sm 6'],
      [hear(deliver(7)), 'request deliver_sm 7', 'pause'],
      [hear(deliver(8)), `send deliver_sm_resp 8 ${temporaryError}`],
      [{ kind: 'caught_up' }, 'pause'],
      // Requests in the same read are still accepted, because they are few.
      [hear(deliver(9)), 'request deliver_sm 9'],
    ]);
  });

  test('a server refuses the surplus with ESME_RMSGQFUL, and counts it', () => {
    const state = bound('server');
    for (const number of [1, 2, 3, 4])
      play(state, [[hear(submit(number)), `request submit_sm ${number}`, ...(number === 4 ? ['pause'] : [])]]);
    play(state, [
      [{ kind: 'behind' }, 'resume'],
      [hear(submit(5)), `send submit_sm_resp 5 ${statuses.ESME_RMSGQFUL}`],
    ]);
    assert.equal(state.peerRefused, 1);
    assert.equal(state.peerUnanswered, 4);
  });
});

const receipts = 20_000;
const peerWindowMax = 100;

/** A carrier that sends all its receipts and then an enquire_link at once, and notes the client's answers. */
async function flood() {
  const refused = new Set<number>();
  const taken = new Set<number>();
  const enquired = Promise.withResolvers<void>();
  const all = Promise.withResolvers<void>();
  const short_message = new Uint8Array(100);
  const peer = await carrier((pdu, socket) => {
    const { command, sequence_number, command_status } = pdu;
    polite()(pdu, socket);
    if (command === 'bind_transceiver') {
      for (let number = 1; number <= receipts; number++)
        socket.write(encode({ command: 'deliver_sm', sequence_number: number, short_message }));
      socket.write(encode(enquire));
    } else if (command === 'enquire_link_resp') enquired.resolve();
    else if (command === 'deliver_sm_resp') {
      assert.ok(!refused.has(sequence_number) && !taken.has(sequence_number), 'it was answered twice');
      if (command_status === ok) taken.add(sequence_number);
      else if (command_status === temporaryError) refused.add(sequence_number);
      if (taken.size + refused.size === receipts) all.resolve();
    }
  });
  return Object.assign(peer, { refused, taken, enquired: enquired.promise, all: all.promise });
}

const waitFor = (waiting: Respond[]) => (_pdu: unknown, respond: Respond) => void waiting.push(respond);

describe('client: a flood of receipts that cannot be stored as fast', () => {
  test('an enquire_link after the receipts is answered, the surplus is refused, and each receipt has one answer', async () => {
    await using peer = await flood();
    const waiting: Respond[] = [];
    await using session = await client(peer, { onRequest: waitFor(waiting), peerWindowMax, peerBehindMs: 50 });
    // Until here, the handler has answered no receipt.
    await peer.enquired;
    assert.equal(peer.taken.size, 0);
    assert.equal(session.peerUnanswered + session.peerRefused, receipts);
    // One read of the socket has at most 64 KiB, some 500 receipts.
    assert.ok(session.peerUnanswered < peerWindowMax + 1_000, `${session.peerUnanswered} were taken`);
    for (const respond of waiting) respond(ok);
    await peer.all;
    assert.equal(peer.taken.size, waiting.length);
    assert.equal(peer.refused.size, session.peerRefused);
  });

  test('after a short flood, reading only pauses for a while', async () => {
    await using peer = await flood();
    const waiting: Respond[] = [];
    await using session = await client(peer, { onRequest: waitFor(waiting), peerWindowMax, peerBehindMs: 60_000 });
    const timer = setInterval(() => {
      for (const respond of waiting.splice(0)) respond(ok);
    }, 1);
    await Promise.all([peer.all, peer.enquired]);
    clearInterval(timer);
    assert.equal(session.peerRefused, 0);
    assert.equal(peer.taken.size, receipts);
  });
});
