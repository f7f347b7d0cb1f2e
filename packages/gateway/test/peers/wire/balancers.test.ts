import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { join } from 'node:path';
import { it } from 'node:test';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { statuses } from '@morsel/smpp';
import { done } from '../../support/done.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { bindOctets, SmppSite } from '../../smpp/gateway.ts';
import { makeFolder, missing } from '../needs.ts';
import { PeerProcess } from '../peer-process.ts';

/*
 * HAProxy in front of all listeners for clients, which passes TLS on, and names the client in a PROXY protocol header.
 */

const skip = missing('/usr/sbin/haproxy');
const pems = join(import.meta.dirname, '../../../../smpp/vectors/tls');

it('clients behind HAProxy have their own addresses, over HTTP and SMPP, with and without TLS', { skip }, async () => {
  const network = `127.${randomInt(1, 255)}.${randomInt(255)}`;
  const [balancer, client, other] = [`${network}.1`, `${network}.7`, `${network}.8`];
  using folder = makeFolder();
  const tls = Object.fromEntries(
    ['HTTP', 'SMPP'].flatMap((of) => [
      [`MORSEL_${of}_TLS_PORT`, '0'],
      [`MORSEL_${of}_TLS_CERT`, join(pems, 'carrier.pem')],
      [`MORSEL_${of}_TLS_KEY`, join(pems, 'carrier.key')],
      [`MORSEL_${of}_BALANCERS`, balancer],
    ]),
  );
  await using site = await SmppSite.open(tls);
  const { gateway, operator } = site;
  done(await operator.login.set({ systemId: site.systemId, from: client }));
  const { token } = done(await operator.token.add({ account: 'acme', from: client }));
  const ports = {
    1001: gateway.httpPort,
    1002: gateway.httpTlsPort,
    1003: gateway.smppPort,
    1004: gateway.smppTlsPort,
  };
  const file = join(folder.path, 'haproxy.cfg');
  const servers = Object.entries(ports).map(
    ([at, port]) => `listen at${at}\n  bind ${balancer}:${at}\n  server gw 127.0.0.1:${port} source ${balancer}`,
  );
  const defaults = `defaults
  mode tcp
  timeout connect 2s
  timeout client 1m
  timeout server 1m
  default-server send-proxy-v2 check inter 100ms`;
  writeFileSync(file, `${[defaults, ...servers].join('\n')}\n`);
  await using haproxy = new PeerProcess(['/usr/sbin/haproxy', '-db', '-f', file], 'stderr');

  const send = async (isTls: boolean, localAddress: string): Promise<number> => {
    const agent = isTls ? new TlsAgent({ rejectUnauthorized: false }) : new Agent();
    const port = isTls ? 1002 : 1001;
    const path = `/sms/balance?auth=${token}`;
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const ask = isTls ? tlsRequest : request;
    ask({ host: balancer, port, path, agent, localAddress }, (answer) => resolve(answer.resume().statusCode ?? 0))
      .on('error', reject)
      .end();
    return promise.finally(() => agent.destroy());
  };
  /** Binds on a new connection. Returns the status, and the socket of the session. */
  const bind = async (isTls: boolean, localAddress: string) => {
    const plain = connect({ host: balancer, port: isTls ? 1004 : 1003, localAddress });
    const socket = isTls ? connectTls({ socket: plain, rejectUnauthorized: false }) : plain;
    socket.write(bindOctets(site));
    const [answer]: Buffer[] = await once(socket, 'data');
    return { status: answer?.readUInt32BE(8), [Symbol.dispose]: () => void plain.destroy() };
  };
  await waitUntil('HAProxy listens', async () => {
    assert.equal(haproxy.isOver, false, haproxy.lines.join('\n'));
    return (await send(false, client).catch(() => 0)) !== 0;
  });
  for (const isTls of [false, true]) {
    assert.deepEqual([await send(isTls, client), await send(isTls, other)], [200, 403]);
    using bound = await bind(isTls, client);
    assert.equal(bound.status, 0);
    const [{ address } = { address: '' }] = await site.sessions();
    assert.match(address, new RegExp(`^${client}:`));
    using refusal = await bind(isTls, other);
    assert.equal(refusal.status, statuses.ESME_RINVPASWD);
    bound[Symbol.dispose]();
    await waitUntil('the session has ended', async () => (await site.sessions()).length === 0);
  }
  const refused = site.log.filter(
    ({ msg }) => msg === 'bind refused' || msg === 'connection of a load balancer refused',
  );
  assert.deepEqual(
    refused.map(({ address, reason }) => [address, reason]),
    [
      [other, 'address not allowed'],
      [other, 'address not allowed'],
    ],
  );
});
