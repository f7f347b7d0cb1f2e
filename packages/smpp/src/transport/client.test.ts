import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ConnectOptions, connect, ConnectError } from './client.ts';
import type { Encodable, Pdu } from '../codec/pdu.ts';
import type { Respond, Session } from '../session/session-contract.ts';
import type { CloseReason } from '../session/session-state.ts';
import { statuses } from '../codec/statuses.ts';
import { writeTlv } from '../codec/tlvs.ts';
import { type Answering, carrier, polite, send, submit } from './transport.fixture.ts';

function options(port: number, more: Partial<ConnectOptions> = {}): ConnectOptions {
  return {
    host: '127.0.0.1',
    port,
    bind: { command: 'bind_transceiver', system_id: 'us', password: 'secret' },
    onRequest: (_pdu, respond) => void respond(0),
    ...more,
  };
}

async function failure(promise: Promise<Session>): Promise<[string, number | undefined]> {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    assert.doesNotMatch(error.message, /secret/);
    return [error.failure, error.command_status];
  }
  throw new Error('it connected');
}

const refusal: Answering = ({ sequence_number }, socket) =>
  send(socket, { command: 'bind_transceiver_resp', command_status: 0x0e, sequence_number });
const silent: Answering = () => undefined;

describe('client: no session', () => {
  const rows: readonly (readonly [what: string, Answering, Partial<ConnectOptions>, string, number?])[] = [
    ['the bind is refused', refusal, {}, 'bind_refused', 0x0e],
    ['the bind has no answer', silent, { bindTimeoutMs: 30 }, 'bind_timeout'],
    ['the carrier hangs up', (_pdu, socket) => void socket.end(), {}, 'closed'],
    ['the TLS handshake has no answer', silent, { tls: {}, connectTimeoutMs: 30 }, 'connect_timeout'],
    ['the caller aborts before the bind', silent, { signal: AbortSignal.abort() }, 'aborted'],
  ];
  for (const [what, answer, more, ...expected] of rows) {
    test(what, async () => {
      await using peer = await carrier(answer);
      assert.deepEqual(await failure(connect(options(peer.port, more))), [expected[0], expected[1]]);
    });
  }

  test('no listener', async () => {
    const gone = await carrier(polite());
    await gone[Symbol.asyncDispose]();
    assert.deepEqual(await failure(connect(options(gone.port))), ['not_connected', undefined]);
    await assert.rejects(connect(options(gone.port)), { message: 'not_connected: ECONNREFUSED' });
  });

  test('the caller aborts during the bind', async () => {
    const during = new AbortController();
    await using peer = await carrier(() => during.abort());
    assert.deepEqual(await failure(connect(options(peer.port, { signal: during.signal }))), ['aborted', undefined]);
  });
});

describe('client: binds', () => {
  const versions: readonly (readonly [number | undefined, number | undefined, number])[] = [
    // Our version, the sc_interface_version in the answer, and the resulting version of the session.
    [0x33, undefined, 0x33],
    [0x33, 0x50, 0x33],
    [0x34, undefined, 0x34],
    [0x34, 0x33, 0x33],
    [0x34, 0x00, 0x34],
    [0x34, 0x04, 0x34],
    [0x50, 0x34, 0x34],
    [0x50, 0x50, 0x50],
    [undefined, 0x50, 0x34],
    [0x00, undefined, 0x34],
  ];
  for (const command of ['bind_transmitter', 'bind_receiver', 'bind_transceiver'] as const) {
    test(`${command} in every version and with all its fields, and never a TLV`, async () => {
      for (const [interface_version, theirs, version] of versions) {
        await using peer = await carrier((pdu, socket) => {
          const { sequence_number } = pdu;
          const tlvs = theirs === undefined ? [] : [writeTlv('sc_interface_version', theirs)];
          if (pdu.command === command) send(socket, { command: `${command}_resp`, sequence_number, tlvs });
          else polite()(pdu, socket);
        });
        const bind = {
          command,
          system_id: 'us',
          password: 'secret',
          system_type: 'VMA',
          ...(interface_version !== undefined && { interface_version }),
          addr_ton: 1,
          addr_npi: 1,
          address_range: '^4670',
        } as const;
        await using session = await connect(options(peer.port, { bind }));
        assert.equal(session.version, version, `${interface_version} ${theirs}`);
        const { interface_version: said = 0x34, ...fields } = bind;
        const header = { command_status: 0, sequence_number: 1, tlvs: [] };
        assert.deepEqual(peer.heard[0], { ...header, ...fields, interface_version: said });
        assert.equal(session.boundAs, command);
      }
    });
  }
});

test('client: a bind that cannot be written leaves nothing open', async () => {
  await using peer = await carrier(polite());
  const bind = { command: 'bind_transceiver', system_id: 'x'.repeat(100), password: 'secret' } as const;
  await assert.rejects(connect(options(peer.port, { bind })), /system_id/);
  while (peer.sockets[0]?.closed !== true) await new Promise(setImmediate);
});

describe('client: requests', () => {
  test('requests of one turn of the event loop leave in one write, and may be answered in any order', async () => {
    const chunks: number[] = [];
    const asked: Pdu[] = [];
    await using peer = await carrier(
      polite((pdu, socket) => {
        asked.push(pdu);
        if (asked.length < 10) return;
        const answers = asked.toReversed().map((one): Encodable => ({
          command: 'submit_sm_resp',
          sequence_number: one.sequence_number,
          message_id: `id ${one.sequence_number}`,
        }));
        send(socket, ...answers);
      }),
    );
    await using session = await connect(options(peer.port));
    peer.sockets[0]?.on('data', (chunk: Buffer) => chunks.push(chunk.length));
    const answers = await Promise.all(Array.from({ length: 10 }, () => session.request(submit)));
    assert.equal(chunks.length, 1);
    assert.deepEqual(
      answers.map((answer) => answer.kind === 'answered' && 'message_id' in answer.pdu && answer.pdu.message_id),
      asked.map((pdu) => `id ${pdu.sequence_number}`),
    );
    assert.equal(session.peer.system_id, 'them');
  });

  test('the answer is delivered before later PDUs of the same read', async () => {
    await using peer = await carrier(
      polite((pdu, socket) => {
        if (pdu.command !== 'submit_sm') return;
        const { sequence_number } = pdu;
        const receipt: Encodable = { command: 'deliver_sm', sequence_number, short_message: Buffer.from('id:1') };
        send(socket, { command: 'submit_sm_resp', sequence_number, message_id: '1' }, receipt);
      }),
    );
    const heard: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const onRequest = (pdu: Pdu, respond: Respond) => {
      heard.push(pdu.command);
      respond(0);
      resolve();
    };
    await using session = await connect(options(peer.port, { onRequest }));
    session.ask(submit, (answer) => heard.push(answer.kind));
    await promise;
    assert.deepEqual(heard, ['answered', 'deliver_sm']);
  });

  test('a request without room throws, and an answer frees the room', async () => {
    await using peer = await carrier(
      polite((pdu, socket) => send(socket, { command: 'submit_sm_resp', sequence_number: pdu.sequence_number })),
    );
    let rooms = 0;
    await using session = await connect(options(peer.port, { windowMax: 2, onRoom: () => void rooms++ }));
    const first = [session.request(submit), session.request(submit)];
    assert.equal(session.room, 0);
    await assert.rejects(session.request(submit), RangeError);
    await Promise.all(first);
    assert.deepEqual([session.room, rooms], [2, 1]);
  });

  test('a request with a field that the standard does not allow takes no room', async () => {
    await using peer = await carrier(polite());
    await using session = await connect(options(peer.port));
    await assert.rejects(session.request({ ...submit, destination_addr: 'x'.repeat(30) }), /destination_addr/);
    assert.deepEqual([session.room, session.inFlight], [10, 0]);
  });

  test('a request without an answer times out, and a late answer is reported', async () => {
    const late = Promise.withResolvers<[Pdu, boolean]>();
    await using peer = await carrier(polite());
    await using session = await connect(
      options(peer.port, { responseTimeoutMs: 30, onStray: (pdu, isLate) => late.resolve([pdu, isLate]) }),
    );
    const answer = await session.request(submit);
    assert.ok(answer.kind === 'timeout');
    const [socket] = peer.sockets;
    assert.ok(socket);
    send(socket, { command: 'submit_sm_resp', sequence_number: answer.sequence_number, message_id: 'x' });
    const [pdu, isLate] = await late.promise;
    assert.deepEqual([pdu.sequence_number, isLate], [answer.sequence_number, true]);
  });

  test('the outcomes at the end say which requests were written', async () => {
    const got = Promise.withResolvers<void>();
    await using peer = await carrier(polite(() => got.resolve()));
    const reasons: CloseReason[] = [];
    const session = await connect(options(peer.port, { onClose: (reason) => reasons.push(reason) }));
    const written = session.request(submit);
    await got.promise;
    const unwritten = session.request(submit);
    session.destroy();
    assert.deepEqual(await Promise.all([written, unwritten, session.request(submit)]), [
      { kind: 'closed', written: true },
      { kind: 'closed', written: false },
      { kind: 'closed', written: false },
    ]);
    assert.deepEqual([await session.closed, reasons, session.room], ['destroyed', ['destroyed'], 0]);
    assert.equal(peer.heard.filter((pdu) => pdu.command === 'submit_sm').length, 1);
  });
});

describe('client: requests of the carrier', () => {
  test('are answered later and out of order', async () => {
    const waiting: Respond[] = [];
    const all = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    await using peer = await carrier(
      polite(() => {
        if (peer.heard.filter((pdu) => pdu.command === 'deliver_sm_resp').length === 3) answered.resolve();
      }),
    );
    await using session = await connect(
      options(peer.port, {
        onRequest(_pdu, respond) {
          if (waiting.push(respond) === 3) all.resolve();
        },
      }),
    );
    const [socket] = peer.sockets;
    assert.ok(socket);
    send(socket, ...[7, 8, 9].map((n): Encodable => ({ command: 'deliver_sm', sequence_number: n })));
    await all.promise;
    assert.equal(session.peerUnanswered, 3);
    assert.throws(() => waiting[2]?.(0, { message_id: 'x'.repeat(100) }), /message_id/);
    for (const respond of waiting.toReversed()) assert.equal(respond(statuses.ESME_RX_T_APPN), true);
    assert.throws(() => waiting[0]?.(0), /was already answered/);
    await answered.promise;
    assert.deepEqual(
      peer.heard.slice(1).map((pdu) => [pdu.command, pdu.sequence_number, pdu.command_status]),
      [9, 8, 7].map((n) => ['deliver_sm_resp', n, 0x64]),
    );
  });

  test('a request in the same chunk as the answer to the bind gets to the handler', async () => {
    await using peer = await carrier((pdu, socket) => {
      if (pdu.command !== 'bind_transceiver') return polite()(pdu, socket);
      const { sequence_number } = pdu;
      send(
        socket,
        { command: 'bind_transceiver_resp', sequence_number },
        { command: 'deliver_sm', sequence_number: 1 },
      );
    });
    const early = Promise.withResolvers<string>();
    await using session = await connect(
      options(peer.port, {
        onRequest(pdu, respond) {
          respond(0);
          early.resolve(pdu.command);
        },
      }),
    );
    assert.equal(await early.promise, 'deliver_sm');
    assert.equal(session.phase, 'bound_trx');
  });
});

describe('client: the end', () => {
  test('changed limits apply at once', async () => {
    await using peer = await carrier((pdu, socket) => {
      if (pdu.command === 'bind_transceiver') polite()(pdu, socket);
    });
    const room: number[] = [];
    const session = await connect(options(peer.port, { windowMax: 1, onRoom: () => room.push(session.room) }));
    const first = session.request(submit);
    assert.equal(session.room, 0);
    session.adjust({ windowMax: 3 });
    assert.deepEqual([session.room, room], [2, [2]]);
    session.adjust({ windowMax: 1, responseTimeoutMs: 20, enquireLinkMs: 20 });
    assert.equal(session.room, 0);
    assert.equal(await session.closed, 'silent');
    assert.deepEqual(await first, { kind: 'closed', written: true });
  });

  test('a handler that never answers ends the session at its limit', async () => {
    await using peer = await carrier(polite());
    const session = await connect(
      options(peer.port, { peerWindowMax: 1, handlerStallMs: 30, enquireLinkMs: 100, onRequest: () => undefined }),
    );
    const [socket] = peer.sockets;
    assert.ok(socket);
    send(socket, { command: 'deliver_sm', sequence_number: 1 });
    assert.equal(await session.closed, 'handler_stalled');
  });

  for (const [end, read] of [
    ['silent', [true, false, false]],
    ['reset', [true, false, false]],
    ['closed', [true, false, false]],
    ['unbound', [true, true, true]],
  ] as const) {
    // A request of the peer proves nothing: the peer may have sent it before it read the answer.
    test(`an answer is read if the peer answered a later request of ours, or unbound: ${end}`, async () => {
      const answered: number[] = [];
      await using peer = await carrier((pdu, socket) => {
        const { sequence_number } = pdu;
        if (pdu.command === 'bind_transceiver') {
          polite()(pdu, socket);
          send(socket, { command: 'deliver_sm', sequence_number: 1 });
        }
        if (pdu.command === 'enquire_link' && answered.length === 1) {
          send(
            socket,
            { command: 'enquire_link_resp', sequence_number },
            { command: 'deliver_sm', sequence_number: 2 },
          );
        }
        if (pdu.command !== 'deliver_sm_resp') return;
        answered.push(sequence_number);
        if (sequence_number === 2) send(socket, { command: 'deliver_sm', sequence_number: 3 });
        if (sequence_number !== 3) return;
        if (end === 'reset') socket.resetAndDestroy();
        else if (end === 'closed') socket.end();
        else if (end === 'unbound') send(socket, { command: 'unbind', sequence_number: 4 });
      });
      const found: (readonly [number, boolean])[] = [];
      const session = await connect(
        options(peer.port, {
          enquireLinkMs: 50,
          responseTimeoutMs: 50,
          onRequest: ({ sequence_number }, respond) =>
            void respond(0, {}, (isRead) => void found.push([sequence_number, isRead])),
        }),
      );
      await session.closed;
      assert.deepEqual(answered, [1, 2, 3]);
      assert.deepEqual(
        found,
        [...read.entries()].map(([at, isRead]) => [at + 1, isRead]),
      );
    });
  }

  test('if more answers are unread than the window of a peer allows, the oldest count as read', async () => {
    const all = 1_010;
    await using peer = await carrier((pdu, socket) => {
      polite()(pdu, socket);
      if (pdu.command === 'bind_transceiver')
        send(
          socket,
          ...Array.from({ length: all }, (_, at) => ({ command: 'deliver_sm', sequence_number: at + 1 }) as const),
        );
      if (pdu.sequence_number === all && pdu.command === 'deliver_sm_resp') socket.resetAndDestroy();
    });
    const counts = { read: 0, unread: 0 };
    const session = await connect(
      options(peer.port, {
        peerWindowMax: 2 * all,
        onRequest: (_pdu, respond) => void respond(0, {}, (isRead) => void (counts[isRead ? 'read' : 'unread'] += 1)),
      }),
    );
    await session.closed;
    assert.deepEqual(counts, { read: all - 1_000, unread: 1_000 });
  });

  test('after a reset, requests in flight are in doubt', async () => {
    await using peer = await carrier(polite((_pdu, socket) => void socket.resetAndDestroy()));
    const session = await connect(options(peer.port));
    assert.deepEqual(await session.request(submit), { kind: 'closed', written: true });
    assert.match(await session.closed, /socket_error|disconnected/);
  });
});
