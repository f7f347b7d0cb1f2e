import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import type { Gateway } from '../../app.ts';
import { startOn } from '../../../test/support/gateway/gateway.ts';

/* Connections without a key do not lock operators out of the ports of the operator's API. */

const pems = join(import.meta.dirname, '../../../../smpp/vectors/tls');
const folder = mkdtempSync(join(tmpdir(), 'morsel-tls-port-'));
const environment = {
  MORSEL_ADMIN_TLS_CERT: join(pems, 'carrier.pem'),
  MORSEL_ADMIN_TLS_KEY: join(pems, 'carrier.key'),
  MORSEL_ADMIN_TLS_PORT: '0',
};
/** More connections than both ports together allow. */
const hostileMax = 110;
let gateway: Gateway;

before(async () => {
  gateway = await startOn(folder, { environment });
});
after(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

/**
 * Requests the status with the key of the data directory. Returns the answer's status, and whether the connection was
 * already open.
 */
async function status(agent: Agent): Promise<readonly [status: number | undefined, isReused: boolean]> {
  const key = readFileSync(join(folder, 'operator-key'), 'utf8').trim();
  const headers = { authorization: `Bearer ${key}` };
  const { adminTlsPort: port } = gateway;
  const asked = request({
    port,
    host: '127.0.0.1',
    path: '/admin/v1/status',
    headers,
    agent,
    rejectUnauthorized: false,
  });
  const [answer]: IncomingMessage[] = await once(asked.end(), 'response');
  assert.ok(answer);
  await once(answer.resume(), 'end');
  return [answer.statusCode, asked.reusedSocket];
}

async function hostile(port: number | null, octets: string): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: hostileMax }, () => connect(port ?? assert.fail('TLS is off'), '127.0.0.1'));
  for (const socket of sockets) socket.on('error', () => undefined).write(Buffer.from(octets, 'hex'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return sockets;
}

for (const [what, octets, port] of [
  ['half handshakes', '1603010200', () => gateway.adminTlsPort],
  ['connections that say nothing', '', () => gateway.adminTlsPort],
  ['connections to the plain port with half a request', '474554202f', () => gateway.adminPort],
] as const) {
  it(`${hostileMax} ${what} lock nobody out, and connections with a key stay open`, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    assert.deepEqual(await status(agent), [200, false]);
    const sockets = await hostile(port(), octets);
    assert.deepEqual(await status(agent), [200, true], 'its connection was kept');
    const other = new Agent({ keepAlive: true });
    assert.deepEqual(await status(other), [200, false], 'a new connection gets in');
    for (const socket of sockets) socket.destroy();
    for (const each of [agent, other]) each.destroy();
  });
}
