import { connect } from 'node:net';

/** How long a server is given to say something to bytes that are no request, or not a whole one. */
const quietMs = 300;

/**
 * Writes octets that no HTTP client would, and gives back all that comes until the server is quiet or hangs up; `firstMs` is how long
 * its first word may take.
 */
export function exchangeRaw(port: number, octets: string | Uint8Array, firstMs = quietMs): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let answer = '';
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    let timer = setTimeout(end, firstMs);
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      clearTimeout(timer);
      timer = setTimeout(end, quietMs);
    });
    socket.on('error', end);
    socket.on('close', end);
    socket.write(octets);
  });
}
