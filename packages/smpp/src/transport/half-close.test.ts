import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { decode } from '../codec/decode.ts';
import { encode } from '../codec/encode.ts';
import { Framer } from '../codec/framer.ts';
import type { Encodable } from '../codec/pdu.ts';
import { type ServerOptions, listen } from './server.ts';
import type { Answer, Respond, Session } from '../session/session-contract.ts';
import type { CloseReason, SessionEvent } from '../session/session-state.ts';
import { ask, bindPdu, bound, hear, open, play, submit, tick, unbind } from '../session/session.fixture.ts';

/*
 * Tests of peers that end their side of the connection (FIN in TCP) right after their last request.
 */

const ended = (now = 0): SessionEvent => ({ kind: 'peer_ended', now });
const responded: SessionEvent = { kind: 'responded', now: 0 };

describe('half-close: the session', () => {
  test('a client gets its answers, our requests are abandoned, and the session ends', () => {
    const state = bound('server');
    ask(state, 'a');
    ask(state, 'b');
    play(state, [
      [hear(submit(4)), 'request submit_sm 4'],
      [hear(submit(5)), 'request submit_sm 5'],
      [ended(), 'abandon a b'],
      [tick(9_999)],
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

  test('the peer gets no enquire_link', () => {
    play(bound('server'), [
      [hear(submit(4), 5_000), 'request submit_sm 4'],
      [ended(34_999)],
      [tick(35_001)],
      [responded, 'close disconnected flush'],
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
    const answered = bound('server');
    play(answered, [
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

const pems = join(import.meta.dirname, '../../vectors/tls');
const carrier = { cert: readFileSync(join(pems, 'carrier.pem')), key: readFileSync(join(pems, 'carrier.key')) };
const bind: Encodable = {
  command: 'bind_transceiver',
  sequence_number: 1,
  system_id: 'them',
  password: 'secret',
  interface_version: 0x34,
};
const cutOff = encode(submit(9)).subarray(0, 20);

/** A server whose requests are answered when the test calls their `respond`. */
async function serve(more: Partial<ServerOptions> = {}) {
  const requests: Respond[] = [];
  const closes: CloseReason[] = [];
  const sessions: Session[] = [];
  const server = await listen({
    port: 0,
    host: '127.0.0.1',
    system_id: 'us',
    authenticate: () =>
      Promise.resolve({
        kind: 'admitted',
        handlers: (session) => {
          sessions.push(session);
          return {
            onRequest: (_pdu, respond) => void requests.push(respond),
            onClose: (reason) => void closes.push(reason),
          };
        },
      }),
    ...more,
  });
  return { server, requests, closes, sessions };
}

/** The commands, numbers and statuses that a socket gets. */
function listenTo(socket: Socket): { readonly heard: string[]; readonly closed: Promise<unknown> } {
  const heard: string[] = [];
  const framer = new Framer();
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    for (const frame of framer.push(chunk)) {
      const decoded = 'bytes' in frame ? decode(frame.bytes) : undefined;
      if (decoded?.ok !== true) continue;
      const { command, sequence_number, command_status } = decoded.pdu;
      heard.push(`${command} ${sequence_number} ${command_status}`);
    }
  });
  socket.on('end', () => heard.push('end'));
  return { heard, closed: new Promise((resolve) => void socket.once('close', resolve)) };
}

async function turnsUntil(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!isSo()) {
    assert.ok(performance.now() < deadline, `never: ${isSo.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function connectHalf(port: number): Socket {
  return connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true });
}

const ways: readonly (readonly [string, Partial<ServerOptions>, (port: number) => Socket | TLSSocket])[] = [
  ['TCP', {}, connectHalf],
  ...(['TLSv1.2', 'TLSv1.3'] as const).map((version) => {
    const openTls = (port: number) =>
      connectTls({
        socket: connectHalf(port),
        rejectUnauthorized: false,
        minVersion: version,
        maxVersion: version,
      });
    return [version, { tls: carrier }, openTls] as const;
  }),
];

for (const [name, options, openTo] of ways) {
  test(`half-close: over ${name} earlier requests are answered in order, then the connection ends`, async () => {
    const { server, requests, closes, sessions } = await serve(options);
    await using _ = server;
    const socket = openTo(server.port);
    const { heard, closed } = listenTo(socket);
    socket.write(encode(bind));
    await turnsUntil(() => sessions.length === 1);
    const [session] = sessions;
    assert.ok(session);
    const ours: Answer[] = [];
    session.ask({ command: 'deliver_sm' }, (answer) => void ours.push(answer));
    await turnsUntil(() => heard.length === 2);
    socket.end(
      Buffer.concat([
        encode(submit(2)),
        encode(submit(3)),
        encode({ command: 'enquire_link', sequence_number: 4 }),
        cutOff,
      ]),
    );
    await turnsUntil(() => session.phase === 'unbinding');
    assert.deepEqual(ours, [{ kind: 'closed', written: true }], 'a request of ours will have no answer');
    assert.deepEqual([session.room, server.connections], [0, 1]);
    session.ask({ command: 'deliver_sm' }, (answer) => void ours.push(answer));
    assert.deepEqual(ours.slice(1), [{ kind: 'closed', written: false }], 'nor is another one sent');
    for (const respond of requests) assert.equal(respond(0, { message_id: 'x' }), true);
    await closed;
    assert.deepEqual(heard, [
      'bind_transceiver_resp 1 0',
      'deliver_sm 1 0',
      'enquire_link_resp 4 0',
      'submit_sm_resp 2 0',
      'submit_sm_resp 3 0',
      'end',
    ]);
    assert.deepEqual(closes, ['disconnected']);
    await turnsUntil(() => server.connections === 0);
  });
}

describe('half-close: a connection', () => {
  test('that ends before its bind is closed when its requests are answered', async () => {
    const { server } = await serve();
    await using _ = server;
    for (const [sent, expected] of [
      [Buffer.alloc(0), ['end']],
      [cutOff, ['end']],
      [encode({ command: 'enquire_link', sequence_number: 4 }), ['enquire_link_resp 4 0', 'end']],
    ] as const) {
      const socket = connectHalf(server.port);
      const { heard, closed } = listenTo(socket);
      socket.end(sent);
      await closed;
      assert.deepEqual(heard, expected);
      await turnsUntil(() => server.unbound === 0);
    }
  });

  test('that ends in its TLS handshake is closed', async () => {
    const { server } = await serve({ tls: carrier });
    await using _ = server;
    for (const sent of ['', '1603010200']) {
      const socket = connectHalf(server.port);
      const { closed } = listenTo(socket);
      await once(socket, 'connect');
      await turnsUntil(() => server.unbound === 1);
      socket.end(Buffer.from(sent, 'hex'));
      await closed;
      await turnsUntil(() => server.unbound === 0);
    }
  });

  test('that ends after its bind gets the answer to the bind, and no requests', async () => {
    const asked = Promise.withResolvers<void>();
    const decided = Promise.withResolvers<void>();
    const log: unknown[] = [];
    const { server } = await serve({
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
    await using _ = server;
    const socket = connectHalf(server.port);
    const { heard, closed } = listenTo(socket);
    socket.end(encode(bind));
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
      const { server, requests, closes, sessions } = await serve({ responseTimeoutMs });
      await using _ = server;
      const socket = connectHalf(server.port);
      const { closed } = listenTo(socket);
      socket.write(encode(bind));
      await turnsUntil(() => sessions.length === 1);
      socket.end(encode(submit(2)));
      await turnsUntil(() => requests.length === 1 && sessions[0]?.phase !== 'bound_trx');
      if (closesServer) await server.close(10);
      await closed;
      await turnsUntil(() => closes.length === 1);
      assert.deepEqual(closes, [reason]);
      assert.equal(requests[0]?.(0), false);
    }
  });

  // We no longer read after the end of the peer's side, so we notice a reset only when we write, or at the deadline.
  test('with a reset after the end of its side is closed when we write an answer', async () => {
    const { server, requests, closes, sessions } = await serve();
    await using _ = server;
    const socket = connectHalf(server.port);
    const { closed } = listenTo(socket);
    socket.write(encode(bind));
    await turnsUntil(() => sessions.length === 1);
    socket.end(Buffer.concat([encode(submit(2)), encode(submit(3))]));
    await turnsUntil(() => requests.length === 2 && sessions[0]?.phase !== 'bound_trx');
    socket.resetAndDestroy();
    await closed;
    requests[0]?.(0);
    await turnsUntil(() => server.connections === 0 || closes.length === 1);
    assert.equal(requests[1]?.(0), false);
    assert.deepEqual(closes, ['socket_error']);
  });

  test('that ends its side and reads nothing is closed at outputMaxOctets', async () => {
    const { server, requests, closes, sessions } = await serve({ peerWindowMax: 10_000, outputMaxOctets: 32 * 1024 });
    await using _ = server;
    const socket = connectHalf(server.port);
    const { closed } = listenTo(socket);
    socket.write(encode(bind));
    await turnsUntil(() => sessions.length === 1);
    socket.pause();
    socket.end(Buffer.concat(Array.from({ length: 5_000 }, (_none, at) => encode(submit(at + 2)))));
    await turnsUntil(() => requests.length === 5_000 && sessions[0]?.phase === 'unbinding');
    const tlvs = [{ tag: 0x1400, value: new Uint8Array(8_000) }];
    for (const respond of requests) if (!respond(0, { message_id: 'x', tlvs })) break;
    await turnsUntil(() => closes.length === 1);
    assert.deepEqual(closes, ['output_limit']);
    socket.resume();
    await closed;
  });
});
