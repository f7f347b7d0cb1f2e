import type { Server, Socket } from 'node:net';
import { networkOf } from '@morsel/smpp';

export interface ConnectionLimits {
  readonly max: number;
  /** For one IPv4 address, or for the /64 network that one IPv6 customer has. */
  readonly maxOfNetwork: number;
  /** Whether a connection may be ended for a newcomer. */
  readonly mayGo: (socket: Socket) => boolean;
  /** Whether many clients share this address. `maxOfNetwork` does not apply to it. */
  readonly isShared: (address: string) => boolean;
}

/**
 * Limits the connections of a server. At a limit the oldest connection that may go is ended for the newcomer: one of the
 * newcomer's network if that is at its own limit, otherwise one of the network with the most connections. If none may go, the
 * newcomer is ended.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const { max, maxOfNetwork, mayGo, isShared } = limits;
  /** Each set is in the order of arrival. */
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
