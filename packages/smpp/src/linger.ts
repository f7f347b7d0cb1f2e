import type { Socket } from 'node:net';

// After our last words, for the peer to read them; a connection closed with octets unread would take them back.
const lingerMs = 1000;

/** Ends a connection after what was written to it. */
export function endLater(socket: Socket): void {
  socket.resume().end();
  const linger = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(linger));
}
