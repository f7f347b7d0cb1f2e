import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import {
  accepted,
  hi,
  hiBytes,
  holdMessages,
  startTestSite,
  type TestSite,
} from '../../../test/support/clients/http-site.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';

/* The client API over TLS, on the port beside the plain one. */

const pems = join(import.meta.dirname, '../../../../smpp/vectors/tls');
const folder = mkdtempSync(join(tmpdir(), 'morsel-http-tls-'));
after(() => rmSync(folder, { recursive: true }));
const place = { host: '127.0.0.1', port: 0, cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
/** More connections than the site accepts from one address. */
const hostileMax = 80;

function install(name: string): void {
  copyFileSync(join(pems, `${name}.pem`), place.cert);
  copyFileSync(join(pems, `${name}.key`), place.key);
}

function openSite(): Promise<TestSite> {
  install('carrier');
  return startTestSite({}, place);
}

function portOf({ tlsPort }: TestSite): number {
  return tlsPort ?? assert.fail('TLS is off');
}

/** Sends a message on a new connection. Returns the answer's status and body. */
async function send(port: number): Promise<readonly [status: number | undefined, body: string]> {
  const agent = new Agent();
  const to = { port, host: '127.0.0.1', path: '/sms/send', method: 'POST', agent, rejectUnauthorized: false };
  const [answer]: IncomingMessage[] = await once(request(to).end(JSON.stringify(hi)), 'response');
  assert.ok(answer);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.ok(answer.headers['x-request-id']);
  const body = (await answer.toArray()).join('');
  agent.destroy();
  return [answer.statusCode, body];
}

async function serialAt(port: number): Promise<string> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

it('accepts messages over TLS, while half handshakes wait', async () => {
  await using site = await openSite();
  const port = portOf(site);
  const hostile = Array.from({ length: hostileMax }, () => connect(port, '127.0.0.1'));
  for (const socket of hostile) socket.on('error', () => undefined).write(Buffer.from('1603010200', 'hex'));
  await Promise.all(hostile.map((socket) => once(socket, 'connect')));
  const [status, body] = await send(port);
  assert.deepEqual([status, JSON.parse(body).msgId], [200, accepted.msgId.toString()]);
  assert.equal(site.calls.length, 1);
  for (const socket of hostile) socket.destroy();
});

it('uses a renewed certificate for new connections', async () => {
  await using site = await openSite();
  const port = portOf(site);
  const before = await serialAt(port);
  install('client');
  process.emit('SIGHUP');
  await waitUntil('the new certificate is in use', async () => (await serialAt(port)) !== before);
});

it('answers a message over TLS whose client has closed its half of the connection', async () => {
  await using site = await openSite();
  const { came, letGo } = holdMessages(site);
  const socket = connectTls({ port: portOf(site), host: '127.0.0.1', rejectUnauthorized: false });
  socket.end(hiBytes);
  await came;
  // The end of the client's half has arrived, too, when a later connection was answered.
  await serialAt(portOf(site));
  letGo();
  assert.match((await socket.toArray()).join(''), /^HTTP\/1\.1 200 /);
});

it('does not open without a usable certificate', async () => {
  const cert = join(pems, 'ca.pem');
  await assert.rejects(
    startTestSite({}, { ...place, cert }),
    /the HTTP API over TLS: our key does not belong to our certificate/,
  );
});
