import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { limitConnections } from './connection-limits.ts';

/**
 * In the order of arrival: from 127.0.0.1 (a), 127.0.0.2 (b) or 127.0.0.3 (c), in capitals if it may not be ended for
 * another.
 */
const rows: readonly (readonly [what: string, come: string, stay: string])[] = [
  ['all are let in while there is room', 'aabb', 'aabb'],
  ['the oldest of its own network makes room', 'abaaa', 'baaa'],
  ['the oldest that may go makes room', 'Abaaa', 'Abaa'],
  ['where none of its network may go the newest is ended', 'AAAa', 'AAA'],
  ['where all are full the network with the most makes room', 'baaabc', 'baabc'],
  ['where none of that network may go the newest is ended', 'bAAAbc', 'bAAAb'],
  ['an address that many share has no limit of its own', 'sssss', 'sssss'],
];

const addresses: Readonly<Record<string, string>> = { a: '127.0.0.1', b: '127.0.0.2', c: '127.0.0.3', s: '127.0.0.4' };

describe(
  'connections, five at most and three of a network',
  { skip: process.platform !== 'linux' && 'needs all of 127/8' },
  () => {
    for (const [what, come, stay] of rows) {
      it(`${what}: ${come} leaves ${stay}`, async () => {
        const names = new Map<Socket, string>();
        let next = '';
        const server = createServer();
        server.on('connection', (socket: Socket) => names.set(socket, next));
        limitConnections(server, {
          max: 5,
          maxOfNetwork: 3,
          mayGo: (socket) => names.get(socket)?.toLowerCase() === names.get(socket),
          isShared: (address) => address === addresses['s'],
        });
        await once(server.listen(0, '127.0.0.1'), 'listening');
        const address = server.address();
        assert.ok(typeof address === 'object' && address);
        const clients: Socket[] = [];
        for (const name of come) {
          next = name;
          const localAddress = addresses[name.toLowerCase()];
          const client = connect({ port: address.port, host: '127.0.0.1', ...(localAddress && { localAddress }) });
          clients.push(client);
          client.on('error', () => undefined);
          await once(server, 'connection');
        }
        const left = [...names].filter(([socket]) => !socket.destroyed).map(([, name]) => name);
        assert.equal(left.join(''), stay);
        for (const client of clients) client.destroy();
        server.close();
        await once(server, 'close');
      });
    }
  },
);
