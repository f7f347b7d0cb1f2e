import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { parseRange } from '@morsel/api/values/address-range.ts';
import { proxyHeader } from '../../../../smpp/vectors/proxy-header.ts';
import { hiBytes, startTestSite } from '../../../test/support/clients/http-site.ts';

/* The client API behind load balancers that name the client (PROXY protocol). The site knows only clients at 127.0.0.1. */

const balancer = '127.0.0.9';
const pems = join(import.meta.dirname, '../../../../smpp/vectors/tls');
const tls = { host: '127.0.0.1', port: 0, cert: join(pems, 'carrier.pem'), key: join(pems, 'carrier.key') };

const known = proxyHeader({ source: '127.0.0.1' });
const rows: readonly (readonly [what: string, from: string, header: Buffer, statuses: readonly string[]])[] = [
  ['a client that the balancer names', balancer, known, ['200', '200']],
  ['a client with another address', balancer, proxyHeader({ source: '192.0.2.1' }), ['403', '403']],
  ['a client over IPv6', balancer, proxyHeader({ source: '2001:db8:0:0:0:0:0:1' }), ['403', '403']],
  ['the balancer itself', balancer, proxyHeader({}), ['403', '403']],
  ['a client without the balancer', '127.0.0.1', Buffer.alloc(0), ['200', '200']],
  ['a client that names another itself', '127.0.0.8', known, ['400']],
  ['a balancer without a header', balancer, Buffer.alloc(0), []],
];

/** Sends two messages on a new connection, the first one for node:http and the second one for the lane. Returns the answers. */
async function sendTwo(
  { port, isTls }: { port: number; isTls: boolean },
  from: string,
  header: Buffer,
): Promise<string> {
  const plain = connect({ host: '127.0.0.1', port, localAddress: from, allowHalfOpen: true });
  plain.write(header);
  const socket = isTls ? connectTls({ socket: plain, rejectUnauthorized: false }) : plain;
  socket.end(Buffer.concat([hiBytes, hiBytes]));
  const chunks: unknown[] = await socket.toArray().catch(() => []);
  plain.destroy();
  return chunks.join('');
}

describe('behind a load balancer', () => {
  for (const isTls of [false, true]) {
    for (const [what, from, header, statuses] of rows) {
      it(`${what} is answered ${statuses.join() || 'nothing'}${isTls ? ', over TLS' : ''}`, async () => {
        const balancers = [balancer].flatMap((address) => parseRange(address) ?? []);
        await using site = await startTestSite({}, tls, { balancers });
        const port = (isTls ? site.tlsPort : site.port) ?? 0;
        const answers = await sendTwo({ port, isTls }, from, header);
        const found = [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
        assert.deepEqual(found, isTls && statuses[0] === '400' ? [] : statuses, answers);
      });
    }
  }
});
