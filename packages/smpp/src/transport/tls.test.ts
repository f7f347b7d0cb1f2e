import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { pem } from '../../vectors/tls.ts';
import { type ConnectOptions, connect, ConnectError } from './client.ts';
import { type Server, listen } from './server.ts';
import type { Session } from '../session/session-contract.ts';
import { type ClientTls, type ServerTls, tlsMaterialProblem } from './tls.ts';

/** Tests of TLS on real sockets, with the certificates of vectors/tls. */

function serve(tls: ServerTls): Promise<Server> {
  return listen({
    port: 0,
    host: '127.0.0.1',
    system_id: 'carrier',
    tls,
    authenticate: () =>
      Promise.resolve({
        kind: 'admitted',
        handlers: () => ({ onRequest: (_pdu, respond) => void respond(0, { message_id: '1' }) }),
      }),
  });
}

function bindTo(port: number, tls: ClientTls, more: Partial<ConnectOptions> = {}): Promise<Session> {
  return connect({
    host: '127.0.0.1',
    port,
    tls,
    bind: { command: 'bind_transceiver', system_id: 'us', password: 'secret' },
    onRequest: (_pdu, respond) => void respond(0),
    ...more,
  });
}

async function failure(attempt: Promise<Session>): Promise<string> {
  try {
    (await attempt).destroy();
  } catch (error) {
    assert.ok(error instanceof ConnectError);
    assert.doesNotMatch(error.message, /secret/);
    return error.message;
  }
  return 'bound';
}

const trusting: ClientTls = { ca: pem.ca };
const unknown = "tls: the peer's certificate comes from an unknown authority";
const otherName = "tls: the peer's certificate does not have the name that we connect to";

describe('TLS: accepted peers, and the errors for all others', () => {
  const { carrier, expired, client, ca } = pem;
  const asking: ServerTls = { ...carrier, ca, requestClientCertificate: true };
  const rows: readonly (readonly [string, ServerTls, ClientTls, string])[] = [
    ['an authority that we are given', carrier, trusting, 'bound'],
    ['and as a Buffer', carrier, { ca: Buffer.from(ca) }, 'bound'],
    ['the name we asked for', carrier, { ...trusting, servername: 'carrier.test' }, 'bound'],
    ['an address that the certificate has', carrier, { ...trusting, servername: '127.0.0.1' }, 'bound'],
    ['an authority that the system does not know', carrier, {}, unknown],
    ['the same, not verified', carrier, { verify: false }, 'bound'],
    ['another name', carrier, { ...trusting, servername: 'other.test' }, otherName],
    ['another address', carrier, { ...trusting, servername: '127.0.0.9' }, otherName],
    ['another name, not verified', carrier, { servername: 'other.test', verify: false }, 'bound'],
    ['an old certificate', expired, trusting, "tls: the peer's certificate has expired, or our clock is fast"],
    ['our certificate, which is asked for', asking, { ...trusting, ...client }, 'bound'],
    ['our certificate, which is not asked for', carrier, { ...trusting, ...client }, 'bound'],
    ['none of ours', asking, trusting, 'tls: the peer requires a certificate from us'],
    // Node's server closes the connection without a TLS alert.
    ['one of ours that is old', asking, { ...trusting, ...expired }, 'closed: disconnected'],
  ];
  for (const [name, server, tls, expected] of rows) {
    test(name, async () => {
      await using peer = await serve(server);
      assert.equal(await failure(bindTo(peer.port, tls)), expected);
    });
  }
});

test('TLS: our own certificates and keys are checked before anything is sent', async () => {
  const { carrier, client, ca } = pem;
  const rows: readonly (readonly [ClientTls, string | undefined])[] = [
    [{}, undefined],
    [{ ca, ...client }, undefined],
    [{ ca: 'no PEM' }, 'the certificate of the authority (ca) is not in PEM format'],
    [{ ...client, cert: 'no PEM' }, 'our certificate is not in PEM format'],
    [{ cert: client.key, key: client.cert }, 'our certificate is not in PEM format'],
    [{ ...client, key: 'no PEM' }, 'our key must be in PEM format and without a passphrase'],
    [{ cert: client.cert }, 'our certificate is set without its key'],
    [{ key: client.key }, 'our key is set without its certificate'],
    [{ cert: client.cert, key: carrier.key }, 'our key does not belong to our certificate'],
  ];
  for (const [tls, problem] of rows) {
    assert.equal(tlsMaterialProblem(tls), problem);
    if (problem !== undefined) assert.equal(await failure(bindTo(1, tls)), `tls: ${problem}`);
  }
  await assert.rejects(serve({ cert: 'no PEM', key: carrier.key }), /our certificate is not in PEM format/);
});

test('TLS: an error names the option that may help', async () => {
  const { carrier, client, ca } = pem;
  await using plain = await serve(carrier);
  await using asking = await serve({ ...carrier, ca, requestClientCertificate: true });
  const rows = [
    [plain, {}, 'ca'],
    [plain, { ca, servername: 'other.test' }, 'servername'],
    [asking, { ca }, 'cert'],
    [plain, { ca, cert: client.cert, key: carrier.key }, undefined],
  ] as const;
  for (const [peer, tls, expected] of rows) {
    const error: unknown = await bindTo(peer.port, tls).then(
      () => undefined,
      (fault: unknown) => fault,
    );
    assert.ok(error instanceof ConnectError);
    assert.equal(error.tlsNeed, expected, error.message);
  }
});

describe('TLS: peers without TLS', () => {
  const rows: readonly (readonly [string, string | undefined, RegExp])[] = [
    ['plain SMPP', '\0\0\0\u0010\0\0\0\u0015\0\0\0\0\0\0\0\u0001', /^tls: the peer does not speak TLS on this port$/],
    ['HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n', /^tls: the peer does not speak TLS on this port$/],
    ['one that hangs up', undefined, /^not_connected: ECONNRESET$/],
  ];
  for (const [name, answer, expected] of rows) {
    test(name, async () => {
      const server = createServer((socket) => {
        socket
          .on('error', () => undefined)
          .once('data', () => (answer === undefined ? socket.end() : socket.write(answer)));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      assert.ok(address !== null && typeof address === 'object');
      assert.match(await failure(bindTo(address.port, trusting)), expected);
      await new Promise((resolve) => server.close(resolve));
    });
  }

  test('a client that never finishes its handshake delays neither other clients nor the close of the server', async () => {
    const server = await serve(pem.carrier);
    const silent = connectTcp({ port: server.port, host: '127.0.0.1' }).on('error', () => undefined);
    await once(silent, 'connect');
    const ended = once(silent, 'close');
    const session = await bindTo(server.port, trusting);
    assert.equal(session.phase, 'bound_trx');
    await server.close(200);
    await ended;
    assert.equal(await session.closed, 'peer_unbound');
  });
});

test('TLS: a session works and ends as without TLS', async () => {
  await using server = await serve(pem.carrier);
  const session = await bindTo(server.port, trusting, { windowMax: 100 });
  const payload = { tag: 0x0424, value: new Uint8Array(60_000) };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      session.request({ command: 'submit_sm', destination_addr: '46700000001', tlvs: [payload] }),
    ),
  );
  assert.ok(answers.every((answer) => answer.kind === 'answered' && answer.pdu.command_status === 0));
  assert.equal(await session.unbind(), 'unbound');
});
