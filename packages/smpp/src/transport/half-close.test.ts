import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { pem } from '../../vectors/tls.ts';
import { encode } from '../codec/encode.ts';
import type { ServerOptions } from './server.ts';
import type { Answer, Respond, Session } from '../session/session-contract.ts';
import type { SessionEvent } from '../session/session-state.ts';
import { ask, bindPdu, bound, hear, open, play, submit, tick, unbind } from '../session/session.fixture.ts';
import { bindOctets, host, peerOf, type Peer, serve, until } from './transport.fixture.ts';

/*
 * Tests of peers that end their side of the connection (FIN in TCP) right after their last request.
 */

const ended = (now = 0): SessionEvent => ({ kind: 'peer_ended', now });
const responded: SessionEvent = { kind: 'responded', now: 0 };

describe('half-close: the session', () => {
  test('a client gets its answers but no enquire_link, our requests are abandoned, and the session ends', () => {
    const state = bound('server');
    ask(state, 'a');
    ask(state, 'b');
    play(state, [
      [hear(submit(4)), 'request submit_sm 4'],
      [hear(submit(5)), 'request submit_sm 5'],
      [ended(29_000), 'abandon a b'],
      [tick(30_001)],
      [responded],
      [responded, 'close disconnected flush'],
    ]);
  });

  test('a session ends at once if no request is unanswered, and otherwise at the deadline', () => {
    play(bound('server'), [[ended(), 'close disconnected flush']]);
    play(open('server'), [[ended(), 'close disconnected flush']]);
    play(bound('server'), [
      [hear(submit(4)), 'request submit_sm 4'],
      [ended(100)],
      [tick(10_099)],
      [tick(10_100), 'close handler_stalled'],
    ]);
  });

  test('a bind is answered first', () => {
    const bind = bindPdu('bind_transceiver', 0x34);
    const decided: readonly (readonly [SessionEvent, ...string[]])[] = [
      [{ kind: 'pdu', pdu: bind, now: 0 }, 'decide bind_transceiver'],
      [ended()],
    ];
    play(open('server'), [
      ...decided,
      [{ kind: 'refuse', bind, command_status: 0x0e }, 'send bind_transceiver_resp 9 14', 'close bind_refused flush'],
    ]);
    play(open('server'), [...decided, [tick(5_000), 'close bind_timeout']]);
  });

  test('an unbind continues if it needs no answer of the peer', () => {
    const theirs = bound('server');
    ask(theirs, 'a');
    play(theirs, [
      [hear(submit(4)), 'request submit_sm 4'],
      [hear(unbind)],
      [ended(), 'abandon a'],
      [responded, 'send unbind_resp 8 0', 'close peer_unbound flush'],
    ]);
    play(bound('server'), [
      [hear(submit(4)), 'request submit_sm 4'],
      [{ kind: 'unbind', now: 0 }, 'send unbind 1 0'],
      [hear({ command: 'unbind_resp', sequence_number: 1 })],
      [ended()],
      [responded, 'close unbound flush'],
    ]);
    const ours = bound('server');
    ask(ours, 'a');
    play(ours, [
      [{ kind: 'unbind', now: 0 }],
      [hear(submit(4)), 'send submit_sm_resp 4 8'],
      [ended(), 'abandon a', 'close disconnected flush'],
    ]);
  });

  test('a carrier that closes its side sends no more answers, so the session ends', () => {
    const state = bound('client');
    ask(state, 'a');
    play(state, [[ended(), 'close disconnected a']]);
  });
});

const cutOff = encode(submit(9)).subarray(0, 20);

function connectHalf(port: number): Socket {
  return connectTcp({ port, host, allowHalfOpen: true });
}

/** A server whose requests wait for the test, and a bound peer that may end its side of the connection. */
async function bindPeer(options: Partial<ServerOptions>, openTo = connectHalf) {
  const requests: Respond[] = [];
  const server = await serve(options, (_pdu, respond) => void requests.push(respond));
  const peer = peerOf(openTo(server.port));
  peer.socket.write(bindOctets);
  await until('it is bound', () => server.sessions.length === 1);
  const [session] = server.sessions;
  assert.ok(session);
  return { server, requests, peer, session };
}

/** Sends the last requests of a peer, and waits until they and the end of its side have come. */
async function endWith({ socket }: Peer, octets: Uint8Array, session: Session): Promise<void> {
  socket.end(octets);
  await until('its side has ended', () => session.phase === 'unbinding');
}

const ways: readonly (readonly [string, Partial<ServerOptions>, (port: number) => Socket])[] = [
  ['TCP', {}, connectHalf],
  ...(['TLSv1.2', 'TLSv1.3'] as const).map((version) => {
    const versions = { minVersion: version, maxVersion: version };
    const openTls = (port: number) => connectTls({ socket: connectHalf(port), rejectUnauthorized: false, ...versions });
    return [version, { tls: pem.carrier }, openTls] as const;
  }),
];

for (const [name, options, openTo] of ways) {
  test(`half-close: over ${name} earlier requests are answered in order, then the connection ends`, async () => {
    const { server, requests, peer, session } = await bindPeer(options, openTo);
    await using _ = server;
    const ours: Answer[] = [];
    session.ask({ command: 'deliver_sm' }, (answer) => void ours.push(answer));
    await until('our request has come', () => peer.heard.length === 2);
    const enquiry = encode({ command: 'enquire_link', sequence_number: 4 });
    await endWith(peer, Buffer.concat([encode(submit(2)), encode(submit(3)), enquiry, cutOff]), session);
    assert.deepEqual(ours, [{ kind: 'closed', written: true }], 'a request of ours will have no answer');
    assert.deepEqual([session.room, server.connections], [0, 1]);
    session.ask({ command: 'deliver_sm' }, (answer) => void ours.push(answer));
    assert.deepEqual(ours.slice(1), [{ kind: 'closed', written: false }], 'nor is another one sent');
    for (const respond of requests) assert.equal(respond(0, { message_id: 'x' }), true);
    await peer.closed;
    const answers = ['enquire_link_resp 4 0', 'submit_sm_resp 2 0', 'submit_sm_resp 3 0'];
    assert.deepEqual(peer.heard, ['bind_transceiver_resp 1 0', 'deliver_sm 1 0', ...answers, 'end']);
    assert.deepEqual(server.closes, ['disconnected']);
    await until('it is forgotten', () => server.connections === 0);
  });
}

describe('half-close: a connection', () => {
  test('that ends before its bind is closed when its requests are answered', async () => {
    await using server = await serve();
    for (const [sent, expected] of [
      [Buffer.alloc(0), ['end']],
      [cutOff, ['end']],
      [encode({ command: 'enquire_link', sequence_number: 4 }), ['enquire_link_resp 4 0', 'end']],
    ] as const) {
      const { socket, heard, closed } = peerOf(connectHalf(server.port));
      socket.end(sent);
      await closed;
      assert.deepEqual(heard, expected);
      await until('its place is free', () => server.unbound === 0);
    }
  });

  test('that ends in its TLS handshake is closed', async () => {
    await using server = await serve({ tls: pem.carrier });
    for (const sent of ['', '1603010200']) {
      const { socket, closed } = peerOf(connectHalf(server.port));
      await once(socket, 'connect');
      await until('it has a place', () => server.unbound === 1);
      socket.end(Buffer.from(sent, 'hex'));
      await closed;
      await until('its place is free', () => server.unbound === 0);
    }
  });

  test('that ends after its bind gets the answer to the bind, and no requests', async () => {
    const asked = Promise.withResolvers<void>();
    const decided = Promise.withResolvers<void>();
    const log: unknown[] = [];
    await using server = await serve({
      authenticate: async () => {
        asked.resolve();
        await decided.promise;
        return {
          kind: 'admitted',
          handlers: (session) => ({
            onBound: () => log.push(session.phase, session.room),
            onRequest: () => undefined,
            onClose: (reason) => log.push(reason),
          }),
        };
      },
    });
    const { socket, heard, closed } = peerOf(connectHalf(server.port));
    socket.end(bindOctets);
    await asked.promise;
    // The end of the peer's side arrives some turns after its bind.
    setTimeout(() => decided.resolve(), 30);
    await closed;
    assert.deepEqual(heard, ['bind_transceiver_resp 1 0', 'end']);
    assert.deepEqual(log, ['bound_trx', 0, 'disconnected']);
  });

  test('that gets no answer is closed at the deadline, or when the server closes', async () => {
    for (const [responseTimeoutMs, closesServer, reason] of [
      [50, false, 'handler_stalled'],
      [60_000, true, 'destroyed'],
    ] as const) {
      const { server, requests, peer, session } = await bindPeer({ responseTimeoutMs });
      await using _ = server;
      await endWith(peer, encode(submit(2)), session);
      if (closesServer) await server.close(10);
      await peer.closed;
      await until('the session ends', () => server.closes.length === 1);
      assert.deepEqual(server.closes, [reason]);
      assert.equal(requests[0]?.(0), false);
    }
  });

  // We no longer read after the end of the peer's side, so we notice a reset only when we write, or at the deadline.
  test('with a reset after the end of its side is closed when we write an answer', async () => {
    const { server, requests, peer, session } = await bindPeer({});
    await using _ = server;
    await endWith(peer, Buffer.concat([encode(submit(2)), encode(submit(3))]), session);
    peer.socket.resetAndDestroy();
    await peer.closed;
    requests[0]?.(0);
    await until('the session ends', () => server.closes.length === 1);
    assert.equal(requests[1]?.(0), false);
    assert.deepEqual(server.closes, ['socket_error']);
  });

  test('that ends its side and reads nothing is closed at outputMaxOctets', async () => {
    const limits = { peerWindowMax: 10_000, outputMaxOctets: 32 * 1024 };
    const { server, requests, peer, session } = await bindPeer(limits);
    await using _ = server;
    peer.socket.pause();
    const all = Buffer.concat(Array.from({ length: 5_000 }, (_none, at) => encode(submit(at + 2))));
    await endWith(peer, all, session);
    const tlvs = [{ tag: 0x1400, value: new Uint8Array(8_000) }];
    for (const respond of requests) if (!respond(0, { message_id: 'x', tlvs })) break;
    await until('the session ends', () => server.closes.length === 1);
    assert.deepEqual(server.closes, ['output_limit']);
    peer.socket.resume();
    await peer.closed;
  });
});
