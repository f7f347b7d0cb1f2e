import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { encode } from '../codec/encode.ts';
import type { Respond } from '../session/session-contract.ts';
import type { CloseReason } from '../session/session-state.ts';
import { readTlv } from '../codec/tlvs.ts';
import { bindOctets, client, login, plainPeer, serve, submit, until } from './transport.fixture.ts';

/*
 * Tests of the server end: binds, limits and closing, over real sockets.
 */

describe('server: binds', () => {
  test('the right password binds, and the answer has our version', async () => {
    await using server = await serve();
    const { socket, pdus, heard } = await plainPeer(server, bindOctets, encode({ ...submit, sequence_number: 2 }));
    await until('both are answered', () => heard.length === 2);
    // The submit_sm arrived before the decision about the bind, and was answered before it.
    assert.deepEqual(heard, ['submit_sm_resp 2 4', 'bind_transceiver_resp 1 0']);
    const answer = pdus.find((pdu) => pdu.command === 'bind_transceiver_resp');
    assert.ok(answer);
    assert.deepEqual([answer.system_id, readTlv(answer, 'sc_interface_version')], ['us', 0x34]);
    assert.equal(server.sessions.length, 1);
    socket.destroy();
  });

  test('a wrong password does not bind', async () => {
    await using server = await serve();
    const bind = encode({ ...login, sequence_number: 1, password: 'guess' });
    const { heard, closed } = await plainPeer(server, bind);
    await closed;
    assert.deepEqual(heard.slice(0, 1), ['bind_transceiver_resp 1 14']);
    assert.deepEqual([server.sessions.length, server.closes], [0, []]);
  });

  test('our own error is ESME_RSYSERR, which clients treat as temporary', async () => {
    const errors: unknown[] = [];
    await using server = await serve({
      authenticate: () => Promise.reject(new Error('no database')),
      onError: (error) => errors.push(error),
    });
    const { heard, closed } = await plainPeer(server, bindOctets);
    await closed;
    assert.deepEqual([heard[0], errors.length], ['bind_transceiver_resp 1 8', 1]);
  });

  test('a client that disconnects before the decision about its bind is forgotten', async () => {
    const asked = Promise.withResolvers<void>();
    const decided = Promise.withResolvers<{ kind: 'refused'; command_status: number }>();
    await using server = await serve({
      authenticate() {
        asked.resolve();
        return decided.promise;
      },
    });
    const { socket } = await plainPeer(server, bindOctets);
    await asked.promise;
    socket.resetAndDestroy();
    await until('it is forgotten', () => server.connections === 0);
    decided.resolve({ kind: 'refused', command_status: 0x0e });
  });

  test('a connection over the limit is closed', async () => {
    await using server = await serve({ connectionsMax: 1 });
    await using session = await client(server);
    const { closed } = await plainPeer(server);
    await closed;
    assert.equal(session.phase, 'bound_trx');
  });

  test('a port in use is an error', async () => {
    await using server = await serve();
    await assert.rejects(serve({ port: server.port }), { code: 'EADDRINUSE' });
    await assert.rejects(serve({ system_id: 'x'.repeat(100) }), /system_id/);
  });
});

describe('server: sessions', () => {
  test('requests are sent in both directions', async () => {
    await using server = await serve();
    const heard: string[] = [];
    await using session = await client(server, {
      onRequest: (pdu, respond) => void (heard.push(pdu.command), respond(0)),
    });
    const answer = await session.request(submit);
    assert.ok(answer.kind === 'answered' && answer.pdu.command === 'submit_sm_resp');
    assert.equal(answer.pdu.message_id, '1');
    const [other] = server.sessions;
    assert.ok(other);
    const receipt = await other.request({ command: 'deliver_sm', short_message: Buffer.from('id:1') });
    assert.ok(receipt.kind === 'answered');
    assert.deepEqual([receipt.pdu.command, heard, other.peer.system_id], ['deliver_sm_resp', ['deliver_sm'], 'them']);
  });

  test('a close first answers earlier requests', async () => {
    const waiting: Respond[] = [];
    const server = await serve({}, (_pdu, respond) => void waiting.push(respond));
    const session = await client(server);
    const first = session.request(submit);
    await until('it has come', () => waiting.length === 1);
    const closing = server.close();
    waiting[0]?.(0, { message_id: 'x' });
    const answer = await first;
    assert.equal(answer.kind === 'answered' && answer.pdu.command_status, 0);
    await closing;
    assert.deepEqual([await session.closed, server.connections], ['peer_unbound', 0]);
  });

  test('a close does not wait longer than its limit', async () => {
    const server = await serve({ authenticate: () => new Promise(() => undefined) });
    const { socket } = await plainPeer(server, bindOctets);
    await server.close(10);
    assert.equal(server.connections, 0);
    socket.destroy();
  });
});

describe('server: hostile peers', () => {
  test('HTTP gets a generic_nack and ends the connection, before and after the bind', async () => {
    await using server = await serve();
    for (const first of [[], [bindOctets]]) {
      const { heard, closed } = await plainPeer(server, ...first, 'GET / HTTP/1.1\r\nHost: example.com\r\n\r\n');
      await closed;
      assert.ok(heard.includes('generic_nack 0 2'));
    }
    await until('all are gone', () => server.connections === 0);
  });

  test('an unknown command and a body that is cut off do not change the session', async () => {
    await using server = await serve();
    const cut = Buffer.from(encode({ ...submit, sequence_number: 2 }).subarray(0, 20));
    cut.writeUInt32BE(20, 0);
    const { socket, heard } = await plainPeer(server, bindOctets);
    await once(socket, 'data');
    socket.write(Buffer.concat([Buffer.from('00000010000000990000000000000000', 'hex'), cut]));
    socket.write(encode({ command: 'enquire_link', sequence_number: 3 }));
    await until('all are answered', () => heard.length === 4);
    assert.deepEqual(heard.slice(1), ['generic_nack 0 3', 'submit_sm_resp 2 1', 'enquire_link_resp 3 0']);
    socket.destroy();
  });

  const unbound: [string, (socket: Socket) => NodeJS.Timeout | undefined][] = [
    ['silence', () => undefined],
    [
      'a byte at a time',
      (socket) => {
        let at = 0;
        return setInterval(() => socket.write(bindOctets.subarray(at, ++at)), 10);
      },
    ],
  ];
  for (const [name, play] of unbound) {
    test(`${name} is closed at bindTimeoutMs`, async () => {
      await using server = await serve({ bindTimeoutMs: 50 });
      const { socket, closed } = await plainPeer(server);
      const timer = play(socket);
      await closed;
      clearInterval(timer);
      assert.equal(server.sessions.length, 0);
    });
  }

  test('sending single bytes does not keep a session alive', async () => {
    await using server = await serve({ enquireLinkMs: 20, responseTimeoutMs: 20 });
    const { socket, closed } = await plainPeer(server, bindOctets);
    const bytes = encode({ ...submit, sequence_number: 2, short_message: new Uint8Array(255) });
    let at = 0;
    const timer = setInterval(() => socket.write(bytes.subarray(at, ++at)), 5);
    await closed;
    clearInterval(timer);
    assert.deepEqual(server.closes, ['silent']);
  });

  test('a peer that sends requests and never reads cannot make memory grow', async () => {
    await using server = await serve({ outputMaxOctets: 64 * 1024 }, () => undefined);
    const { socket } = await plainPeer(server, bindOctets);
    await once(socket, 'data');
    socket.pause();
    const flood = Buffer.concat(
      Array.from({ length: 4000 }, (_, n) => encode({ command: 'enquire_link', sequence_number: n + 1 })),
    );
    const timer = setInterval(() => socket.write(flood), 1);
    await until('it ends', () => server.closes.length === 1);
    clearInterval(timer);
    assert.deepEqual(server.closes, ['output_limit'] satisfies CloseReason[]);
    socket.destroy();
  });

  test('the room for requests to a peer that never reads becomes 0, and then the session ends', async () => {
    await using server = await serve({ windowMax: 100_000, outputHighOctets: 32 * 1024, outputStallMs: 50 });
    const { socket } = await plainPeer(server, bindOctets);
    await once(socket, 'data');
    socket.pause();
    const [session] = server.sessions;
    assert.ok(session);
    const message_payload = { tag: 0x0424, value: new Uint8Array(8000) };
    const answers = new Set<string>();
    const timer = setInterval(() => {
      while (session.room > 0) {
        void session.request({ command: 'deliver_sm', tlvs: [message_payload] }).then(({ kind }) => answers.add(kind));
      }
    }, 1);
    assert.equal(await session.closed, 'output_stalled');
    clearInterval(timer);
    await new Promise(setImmediate);
    assert.deepEqual([...answers], ['closed']);
    socket.destroy();
  });
});
