import { once } from 'node:events';
import type { Server } from 'node:net';

/** Lets a server listen on any free port of this machine. Returns the port. */
export async function listenAnywhere(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return portOf(server);
}

/** The port of a server that listens on TCP. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
