import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';
import { pem } from '../../vectors/tls.ts';
import { ConnectError } from './client.ts';
import type { Session } from '../session/session-contract.ts';
import { type ClientTls, type ServerTls, tlsMaterialProblem } from './tls.ts';
import { client, plainPeer, serve, submit } from './transport.fixture.ts';

/** Tests of TLS on real sockets, with the certificates of vectors/tls. */

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
  const { carrier, expired, client: ours, ca } = pem;
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
    ['our certificate, which is asked for', asking, { ...trusting, ...ours }, 'bound'],
    ['our certificate, which is not asked for', carrier, { ...trusting, ...ours }, 'bound'],
    ['none of ours', asking, trusting, 'tls: the peer requires a certificate from us'],
    // Node's server closes the connection without a TLS alert.
    ['one of ours that is old', asking, { ...trusting, ...expired }, 'closed: disconnected'],
  ];
  for (const [name, server, tls, expected] of rows) {
    test(name, async () => {
      await using peer = await serve({ tls: server });
      assert.equal(await failure(client(peer, { tls })), expected);
    });
  }
});

test('TLS: our own certificates and keys are checked before anything is sent', async () => {
  const { carrier, client: ours, ca } = pem;
  const rows: readonly (readonly [ClientTls, string | undefined])[] = [
    [{}, undefined],
    [{ ca, ...ours }, undefined],
    [{ ca: 'no PEM' }, 'the certificate of the authority (ca) is not in PEM format'],
    [{ ...ours, cert: 'no PEM' }, 'our certificate is not in PEM format'],
    [{ cert: ours.key, key: ours.cert }, 'our certificate is not in PEM format'],
    [{ ...ours, key: 'no PEM' }, 'our key must be in PEM format and without a passphrase'],
    [{ cert: ours.cert }, 'our certificate is set without its key'],
    [{ key: ours.key }, 'our key is set without its certificate'],
    [{ cert: ours.cert, key: carrier.key }, 'our key does not belong to our certificate'],
  ];
  for (const [tls, problem] of rows) {
    assert.equal(tlsMaterialProblem(tls), problem);
    if (problem !== undefined) assert.equal(await failure(client({ port: 1 }, { tls })), `tls: ${problem}`);
  }
  await assert.rejects(serve({ tls: { cert: 'no PEM', key: carrier.key } }), /our certificate is not in PEM format/);
});

test('TLS: an error names the option that may help', async () => {
  const { carrier, client: ours, ca } = pem;
  await using plain = await serve({ tls: carrier });
  await using asking = await serve({ tls: { ...carrier, ca, requestClientCertificate: true } });
  const rows = [
    [plain, {}, 'ca'],
    [plain, { ca, servername: 'other.test' }, 'servername'],
    [asking, { ca }, 'cert'],
    [plain, { ca, cert: ours.cert, key: carrier.key }, undefined],
  ] as const;
  for (const [peer, tls, expected] of rows) {
    const error: unknown = await client(peer, { tls }).then(
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
      assert.match(await failure(client(address, { tls: trusting })), expected);
      await new Promise((resolve) => server.close(resolve));
    });
  }

  test('a client that never finishes its handshake delays neither other clients nor the close of the server', async () => {
    const server = await serve({ tls: pem.carrier });
    const { closed } = await plainPeer(server);
    const session = await client(server, { tls: trusting });
    assert.equal(session.phase, 'bound_trx');
    await server.close(200);
    await closed;
    assert.equal(await session.closed, 'peer_unbound');
  });
});

test('TLS: a session works and ends as without TLS', async () => {
  await using server = await serve({ tls: pem.carrier });
  const session = await client(server, { tls: trusting, windowMax: 100 });
  const payload = { tag: 0x0424, value: new Uint8Array(60_000) };
  const answers = await Promise.all(Array.from({ length: 8 }, () => session.request({ ...submit, tlvs: [payload] })));
  assert.ok(answers.every((answer) => answer.kind === 'answered' && answer.pdu.command_status === 0));
  assert.equal(await session.unbind(), 'unbound');
});
