import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { connect, type ConnectOptions } from './client.ts';
import { decode } from '../codec/decode.ts';
import { encode } from '../codec/encode.ts';
import { Framer } from '../codec/framer.ts';
import type { Encodable, Pdu } from '../codec/pdu.ts';
import { type Server, type ServerOptions, listen } from './server.ts';
import type { Respond, Session } from '../session/session-contract.ts';
import type { CloseReason } from '../session/session-state.ts';
import { readTlv } from '../codec/tlvs.ts';

/*
 * Tests of the server end: binds, limits and closing, over real sockets.
 */

interface Closes {
  readonly closes: CloseReason[];
}

async function serve(more: Partial<ServerOptions> = {}): Promise<Server & Closes> {
  const closes: CloseReason[] = [];
  const server = await listen({
    port: 0,
    host: '127.0.0.1',
    system_id: 'us',
    authenticate: ({ bind }) =>
      Promise.resolve(
        bind.password === 'secret'
          ? {
              kind: 'admitted',
              handlers: () => ({
                onRequest: (_pdu, respond) => void respond(0, { message_id: '1' }),
                onClose: (reason) => void closes.push(reason),
              }),
            }
          : { kind: 'refused', command_status: 0x0e },
      ),
    ...more,
  });
  return Object.assign(server, { closes });
}

function client(server: Server, more: Partial<ConnectOptions> = {}): Promise<Session> {
  return connect({
    host: '127.0.0.1',
    port: server.port,
    bind: { command: 'bind_transceiver', system_id: 'them', password: 'secret' },
    onRequest: (_pdu, respond) => void respond(0),
    ...more,
  });
}

/** Sends bytes over a plain connection, as a hostile peer could. */
async function bare(server: Server, ...bytes: (Uint8Array | string)[]): Promise<{ socket: Socket; answers: Pdu[] }> {
  const socket = connectTcp({ port: server.port, host: '127.0.0.1' });
  const answers: Pdu[] = [];
  const framer = new Framer();
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    for (const frame of framer.push(chunk)) {
      const decoded = 'bytes' in frame ? decode(frame.bytes) : undefined;
      if (decoded?.ok === true) answers.push(decoded.pdu);
    }
  });
  await once(socket, 'connect');
  for (const one of bytes) socket.write(one);
  return { socket, answers };
}

const bind: Encodable = {
  command: 'bind_transceiver',
  sequence_number: 1,
  system_id: 'them',
  password: 'secret',
  interface_version: 0x34,
};
const submit: Encodable = { command: 'submit_sm', sequence_number: 2, destination_addr: '46700000001' };

/** Resolves when the connection ends, even by a reset. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

function header(length: number, id: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32BE(length, 0);
  bytes.writeUInt32BE(id, 4);
  return bytes;
}

const summary = (pdu: Pdu): unknown[] => [pdu.command, pdu.sequence_number, pdu.command_status];

describe('server: binds', () => {
  test('the right password binds, and the answer has our version', async () => {
    await using server = await serve();
    const { socket, answers } = await bare(server, encode(bind), encode(submit));
    while (answers.length < 2) await once(socket, 'data');
    // The submit_sm arrived before the decision about the bind, and was answered before it.
    assert.deepEqual(answers.map(summary), [
      ['submit_sm_resp', 2, 4],
      ['bind_transceiver_resp', 1, 0],
    ]);
    const [answer] = answers.filter((pdu) => pdu.command === 'bind_transceiver_resp');
    assert.ok(answer);
    assert.deepEqual([answer.system_id, readTlv(answer, 'sc_interface_version')], ['us', 0x34]);
    assert.equal(server.sessions.length, 1);
    socket.destroy();
  });

  test('a wrong password does not bind', async () => {
    await using server = await serve();
    const { socket, answers } = await bare(server, encode({ ...bind, password: 'guess' }));
    await closed(socket);
    assert.deepEqual(answers.map(summary), [['bind_transceiver_resp', 1, 0x0e]]);
    assert.deepEqual([server.sessions.length, server.closes], [0, []]);
  });

  test('our own error is ESME_RSYSERR, which clients treat as temporary', async () => {
    const errors: unknown[] = [];
    await using server = await serve({
      authenticate: () => Promise.reject(new Error('no database')),
      onError: (error) => errors.push(error),
    });
    const { socket, answers } = await bare(server, encode(bind));
    await closed(socket);
    assert.deepEqual(answers.map(summary), [['bind_transceiver_resp', 1, 8]]);
    assert.equal(errors.length, 1);
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
    const { socket } = await bare(server, encode(bind));
    await asked.promise;
    socket.resetAndDestroy();
    while (server.connections > 0) await new Promise(setImmediate);
    decided.resolve({ kind: 'refused', command_status: 0x0e });
  });

  test('connections over the limit are closed', async () => {
    await using server = await serve({ connectionsMax: 1 });
    await using session = await client(server);
    const { socket } = await bare(server);
    await closed(socket);
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
      onRequest(pdu, respond) {
        heard.push(pdu.command);
        respond(0);
      },
    });
    const answer = await session.request({ command: 'submit_sm', destination_addr: '46700000001' });
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
    const asked = Promise.withResolvers<void>();
    const server = await serve({
      authenticate: () =>
        Promise.resolve({
          kind: 'admitted',
          handlers: () => ({
            onRequest(_pdu, respond) {
              waiting.push(respond);
              asked.resolve();
            },
          }),
        }),
    });
    const session = await client(server);
    const first = session.request({ command: 'submit_sm' });
    await asked.promise;
    const closing = server.close();
    waiting[0]?.(0, { message_id: 'x' });
    const answer = await first;
    assert.equal(answer.kind === 'answered' && answer.pdu.command_status, 0);
    await closing;
    assert.equal(await session.closed, 'peer_unbound');
    assert.equal(server.connections, 0);
  });

  test('a close does not wait longer than its limit', async () => {
    const server = await serve({ authenticate: () => new Promise(() => undefined) });
    const { socket } = await bare(server, encode(bind));
    await server.close(10);
    assert.equal(server.connections, 0);
    socket.destroy();
  });
});

describe('server: hostile peers', () => {
  const nonsense: [string, Uint8Array | string][] = [
    ['HTTP', 'GET / HTTP/1.1\r\nHost: example.com\r\n\r\n'],
    ['TLS', Buffer.from('16030100c8010000c40303', 'hex')],
    ['AMQP', Buffer.concat([Buffer.from('AMQP'), Buffer.from([0, 0, 9, 1])])],
    ['a length of 0', Buffer.alloc(16)],
    ['a length of 15', header(15, 4)],
    ['a length of 2 GiB', header(0x80000000, 4)],
  ];
  for (const [name, bytes] of nonsense) {
    test(`${name} gets a generic_nack and ends the connection`, async () => {
      await using server = await serve();
      for (const first of [[], [encode(bind)]]) {
        const { socket, answers } = await bare(server, ...first, bytes);
        await closed(socket);
        assert.deepEqual(answers.map(summary).at(-1), ['generic_nack', 0, 2]);
      }
      while (server.connections > 0) await new Promise(setImmediate);
    });
  }

  test('an unknown command and a body that is cut off do not change the session', async () => {
    await using server = await serve();
    const cut = Buffer.from(encode(submit).subarray(0, 20));
    cut.writeUInt32BE(20, 0);
    const { socket, answers } = await bare(server, encode(bind));
    await once(socket, 'data');
    socket.write(Buffer.concat([header(16, 0x99), cut]));
    socket.write(encode({ command: 'enquire_link', sequence_number: 3 }));
    while (answers.length < 4) await once(socket, 'data');
    assert.deepEqual(
      answers.map(summary).filter(([command]) => command !== 'bind_transceiver_resp'),
      [
        ['generic_nack', 0, 3],
        ['submit_sm_resp', 2, 1],
        ['enquire_link_resp', 3, 0],
      ],
    );
    socket.destroy();
  });

  const unbound: [string, (socket: Socket) => NodeJS.Timeout | undefined][] = [
    ['silence', () => undefined],
    [
      'half a header',
      (socket) => {
        socket.write(encode(bind).subarray(0, 9));
        return undefined;
      },
    ],
    [
      'a byte at a time',
      (socket) => {
        const bytes = encode(bind);
        let at = 0;
        return setInterval(() => socket.write(bytes.subarray(at, ++at)), 10);
      },
    ],
    [
      'enquire_link without end',
      (socket) => setInterval(() => socket.write(encode({ command: 'enquire_link', sequence_number: 1 })), 5),
    ],
  ];
  for (const [name, play] of unbound) {
    test(`${name} is closed at bindTimeoutMs`, async () => {
      await using server = await serve({ bindTimeoutMs: 50 });
      const { socket } = await bare(server);
      const timer = play(socket);
      await closed(socket);
      clearInterval(timer);
      assert.equal(server.sessions.length, 0);
    });
  }

  test('sending single bytes does not keep a session alive', async () => {
    await using server = await serve({ enquireLinkMs: 20, responseTimeoutMs: 20 });
    const { socket } = await bare(server, encode(bind));
    const bytes = encode({ ...submit, short_message: new Uint8Array(255) });
    let at = 0;
    const timer = setInterval(() => socket.write(bytes.subarray(at, ++at)), 5);
    await closed(socket);
    clearInterval(timer);
    assert.deepEqual(server.closes, ['silent']);
  });

  test('a peer that sends requests and never reads cannot make memory grow', async () => {
    const over = Promise.withResolvers<CloseReason>();
    await using server = await serve({
      outputMaxOctets: 64 * 1024,
      authenticate: () =>
        Promise.resolve({
          kind: 'admitted',
          handlers: () => ({ onRequest: () => undefined, onClose: (reason) => over.resolve(reason) }),
        }),
    });
    const { socket } = await bare(server, encode(bind));
    await once(socket, 'data');
    socket.pause();
    const flood = Buffer.concat(
      Array.from({ length: 4000 }, (_, n) => encode({ command: 'enquire_link', sequence_number: n + 1 })),
    );
    const timer = setInterval(() => socket.write(flood), 1);
    assert.equal(await over.promise, 'output_limit');
    clearInterval(timer);
    socket.destroy();
  });

  test('the room for requests to a peer that never reads becomes 0, and then the session ends', async () => {
    await using server = await serve({ windowMax: 100_000, outputHighOctets: 32 * 1024, outputStallMs: 50 });
    const { socket } = await bare(server, encode(bind));
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
