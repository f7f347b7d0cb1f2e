import type { Server, Socket } from 'node:net';
import { networkOf } from '@morsel/smpp';

export interface ConnectionLimits {
  readonly max: number;
  /** Of one IPv4 address, or of the 64 bits of an IPv6 network that one customer has. */
  readonly maxOfNetwork: number;
  /** Whether it may be ended for a newcomer. */
  readonly mayGo: (socket: Socket) => boolean;
  /** Whether many clients share this address, so that the second limit does not hold for it. */
  readonly isShared: (address: string) => boolean;
}

/**
 * Bounds the connections of a server. Where there are as many as may be, the oldest that may go makes room for the newest: of the
 * newcomer's network if that has all it may have, else of the network with the most. Without one the newcomer is ended.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const { max, maxOfNetwork, mayGo, isShared } = limits;
  /** A set keeps the order of coming. */
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
