import type { Server, Socket } from 'node:net';
import { networkOf } from '@morsel/smpp';

/* Limits how many connections a server has, in total and from one network of clients. */

export interface ConnectionLimits {
  readonly max: number;
  /** The limit for one IPv4 address, or for one /64 network of IPv6, which is usually one customer. */
  readonly maxOfNetwork: number;
  /** Whether the server may close this connection to accept a new one. */
  readonly mayGo: (socket: Socket) => boolean;
  /**
   * Whether many clients share this IP address, as behind a proxy. The limit `maxOfNetwork` does not apply to a shared address.
   */
  readonly isShared: (address: string) => boolean;
}

/**
 * At a limit the server accepts a new connection by closing the oldest connection that `mayGo` allows to close. If the network of
 * the new connection is at its own limit, the server closes a connection from this network. If only the total limit is reached,
 * the server closes a connection from the network with the most connections. If no connection may be closed, the server closes
 * the new one.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const { max, maxOfNetwork, mayGo, isShared } = limits;
  /** The sockets of each network, in the order in which they connected. */
  const networks = new Map<string, Set<Socket>>();
  let count = 0;

  const leave = (network: string, socket: Socket): void => {
    const sockets = networks.get(network);
    if (!sockets?.delete(socket)) return;
    count -= 1;
    if (sockets.size === 0) networks.delete(network);
  };
  const makeRoom = (network: string, sockets: ReadonlySet<Socket>): boolean => {
    for (const socket of sockets) {
      if (!mayGo(socket)) continue;
      leave(network, socket);
      socket.destroy();
      return true;
    }
    return false;
  };
  const largest = (): [string, ReadonlySet<Socket>] => {
    let found: [string, ReadonlySet<Socket>] = ['', new Set()];
    for (const entry of networks) if (entry[1].size > found[1].size) found = entry;
    return found;
  };

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const network = networkOf(address);
    const sockets = networks.get(network) ?? new Set<Socket>();
    const isOver = sockets.size >= maxOfNetwork && !isShared(address);
    if ((isOver && !makeRoom(network, sockets)) || (count >= max && !makeRoom(...largest()))) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    networks.set(network, sockets);
    count += 1;
    socket.once('close', () => leave(network, socket));
  });
}
