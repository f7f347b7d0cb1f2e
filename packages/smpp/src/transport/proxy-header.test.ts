import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, SocketAddress, type Socket } from 'node:net';
import { describe, mock, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import * as fc from 'fast-check';
import { proxyHeader } from '../../vectors/proxy-header.ts';
import { pem } from '../../vectors/tls.ts';
import type { Balancers } from './lobby.ts';
import { proxyHeaderMs, readProxyHeader } from './proxy-header.ts';
import type { BindAttempt, ServerOptions } from './server.ts';
import { bindOctets, host, peerOf, serve, type Peer as TestPeer } from './transport.fixture.ts';

const word = fc.integer({ min: 0, max: 0xff_ff });
const v4 = fc.tuple(...Array.from({ length: 4 }, () => fc.integer({ min: 0, max: 255 }))).map((all) => all.join('.'));
const v6 = fc
  .tuple(...Array.from({ length: 8 }, () => word))
  .map((all) => all.map((each) => each.toString(16)).join(':'));
const rest = fc.uint8Array({ maxLength: 200 });

describe('a PROXY protocol header', () => {
  test('names the client, whatever follows the addresses', () => {
    fc.assert(
      fc.property(fc.oneof(v4, v6), word, rest, rest, (source, port, fields, after) => {
        const octets = proxyHeader({ source, port, rest: fields });
        const family = source.includes(':') ? 'ipv6' : 'ipv4';
        const { address } = new SocketAddress({ address: source, family });
        assert.deepEqual(readProxyHeader(Buffer.concat([octets, after])), { client: { address, port } });
        const { length } = octets;
        for (const part of [octets.subarray(0, 15), octets.subarray(0, -1)]) {
          const { wants } = { wants: 0, ...readProxyHeader(part) };
          assert.ok(wants > part.length && wants <= length);
        }
      }),
    );
  });

  test('has a client whose address is written as that of a socket', () => {
    for (const [source, address] of [
      ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
      ['0:0:0:0:0:ffff:c000:201', '::ffff:192.0.2.1'],
      ['192.0.2.1', '192.0.2.1'],
    ] as const)
      assert.deepEqual(readProxyHeader(proxyHeader({ source, port: 9 })), { client: { address, port: 9 } });
  });

  test('that names nobody is taken, as checks of HAProxy and AWS send it', () => {
    const nobody = { client: undefined };
    assert.deepEqual(readProxyHeader(proxyHeader({})), nobody);
    assert.deepEqual(readProxyHeader(proxyHeader({ command: 0x21 })), nobody, 'PROXY without addresses');
    assert.deepEqual(
      readProxyHeader(proxyHeader({ source: '192.0.2.1', command: 0x20 })),
      nobody,
      'LOCAL with addresses',
    );
    assert.deepEqual(readProxyHeader(proxyHeader({ command: 0x20, family: 0x31, rest: Buffer.alloc(216) })), nobody);
  });

  const wrong: readonly (readonly [octets: Buffer, fault: RegExp])[] = [
    [Buffer.from('PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n'), /^a header of version 1, not 2$/],
    [Buffer.from('GET /health HTTP/1.1\r\n\r\n'), /^no header$/],
    [Buffer.from(bindOctets), /^no header$/],
    [proxyHeader({ source: '192.0.2.1', command: 0x31 }), /^a header of version 3, not 2$/],
    [proxyHeader({ source: '192.0.2.1', command: 0x22 }), /^an unknown command 2$/],
    [proxyHeader({ source: '192.0.2.1', family: 0x12 }), /^a client without TCP over IPv4 or IPv6 \(family 0x12\)$/],
    [proxyHeader({ source: '192.0.2.1', family: 0x21 }), /^12 octets, too few for the addresses$/],
    [proxyHeader({ source: '192.0.2.1', rest: Buffer.alloc(4085) }), /^a header of 4097 octets, more than 4096$/],
  ];
  for (const [octets, fault] of wrong) {
    test(`is refused: ${fault.source.replaceAll(/[\\^$]/g, '')}`, () => {
      assert.match({ fault: '', ...readProxyHeader(octets) }.fault, fault);
    });
  }

  test('with any changed octet is a header, wants more within its limit, or is refused', () => {
    const change = fc.tuple(fc.nat(27), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const octets = proxyHeader({ source: '192.0.2.1' });
        for (const [at, value] of changes) octets[at] = value;
        const read = readProxyHeader(octets);
        if ('wants' in read) assert.ok(read.wants > octets.length && read.wants <= 16 + 4096);
        else assert.ok('fault' in read || read.client === undefined || read.client.address !== '');
      }),
      { numRuns: 2000 },
    );
  });
});

const balancer = '127.0.0.9';

/** A server behind a balancer, whose binds and refused connections are noted. */
async function serveBehind(more: Partial<ServerOptions> = {}) {
  const binds: Pick<BindAttempt, 'address' | 'port'>[] = [];
  const refused: string[] = [];
  const balancers: Balancers = {
    includes: (address) => address === balancer,
    refused: (from, fault) => void refused.push(`${from}: ${fault}`),
  };
  const server = await serve({
    balancers,
    authenticate: async ({ address, port }) => {
      binds.push({ address, port });
      return { kind: 'refused', command_status: 13 };
    },
    ...more,
  });
  return { server, binds, refused, [Symbol.asyncDispose]: () => server.close() };
}

async function connectFrom(localAddress: string, port: number): Promise<Socket> {
  const socket = connectTcp({ host, port, localAddress });
  socket.setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

describe('a server behind a balancer', () => {
  const header = proxyHeader({ source: '192.0.2.1', port: 4711, rest: Buffer.alloc(300) });
  const sendings: readonly (readonly [string, readonly Uint8Array[]])[] = [
    ['in one packet with the bind', [Buffer.concat([header, bindOctets])]],
    ['octet by octet', Array.from(Buffer.concat([header, bindOctets]), (octet) => Buffer.from([octet]))],
  ];
  for (const [how, octets] of sendings) {
    test(`sees the address of the client, in a header ${how}`, async () => {
      await using behind = await serveBehind();
      const { socket, closed } = peerOf(await connectFrom(balancer, behind.server.port));
      for (const each of octets) {
        socket.write(each);
        await new Promise(setImmediate);
      }
      await closed;
      assert.deepEqual(behind.binds, [{ address: '192.0.2.1', port: 4711 }]);
    });
  }

  test('sees the address of the client before TLS', async () => {
    await using behind = await serveBehind({ tls: pem.carrier });
    const socket = await connectFrom(balancer, behind.server.port);
    socket.write(header);
    const tls: TestPeer = peerOf(connectTls({ socket, rejectUnauthorized: false }));
    tls.socket.write(bindOctets);
    await tls.closed;
    assert.deepEqual(behind.binds, [{ address: '192.0.2.1', port: 4711 }]);
  });

  test('takes connections of other addresses as they are, and of the balancer itself', async () => {
    await using behind = await serveBehind();
    const other = peerOf(await connectFrom('127.0.0.1', behind.server.port));
    other.socket.write(bindOctets);
    await other.closed;
    const own = peerOf(await connectFrom(balancer, behind.server.port));
    own.socket.write(Buffer.concat([proxyHeader({}), bindOctets]));
    await own.closed;
    const forged = peerOf(await connectFrom('127.0.0.1', behind.server.port));
    forged.socket.write(Buffer.concat([header, bindOctets]));
    await forged.closed;
    assert.deepEqual(
      behind.binds.map(({ address }) => address),
      ['127.0.0.1', balancer],
    );
  });

  test('limits the connections of a client, not of the balancer', async () => {
    await using behind = await serveBehind({ unboundOfAddressMax: 2 });
    const open = async (source: string) => {
      const peer = peerOf(await connectFrom(balancer, behind.server.port));
      peer.socket.write(proxyHeader({ source }));
      return peer;
    };
    const others = [await open('192.0.2.2'), await open('192.0.2.3'), await open('192.0.2.3')];
    const first = await open('192.0.2.1');
    for (let count = 0; count < 2; count++) await open('192.0.2.1');
    await first.closed;
    assert.deepEqual(
      others.map(({ socket }) => socket.closed),
      [false, false, false],
    );
  });

  test('closes a connection of the balancer without a header, or with a wrong one', async () => {
    await using behind = await serveBehind();
    const { port } = behind.server;
    for (const octets of [bindOctets, Buffer.alloc(20), header.subarray(0, 20)]) {
      const { socket, closed } = peerOf(await connectFrom(balancer, port));
      socket.end(octets);
      await closed;
    }
    const { socket, closed } = peerOf(await connectFrom(balancer, port));
    socket.end();
    await closed;
    assert.deepEqual(behind.refused, [
      `${balancer}: no header`,
      `${balancer}: no header`,
      `${balancer}: an incomplete header`,
    ]);
    assert.deepEqual([behind.binds, behind.server.unbound], [[], 0]);
  });

  test('closes a connection of the balancer whose header does not come in time', async () => {
    await using behind = await serveBehind();
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { socket, closed } = peerOf(await connectFrom(balancer, behind.server.port));
      socket.write(header.subarray(0, 20));
      while (behind.server.unbound === 0) await new Promise(setImmediate);
      mock.timers.tick(proxyHeaderMs - 1);
      assert.equal(behind.server.unbound, 1);
      mock.timers.tick(1);
      await closed;
      assert.deepEqual(behind.refused, [`${balancer}: no header within 5 s`]);
    } finally {
      mock.timers.reset();
    }
  });
});
