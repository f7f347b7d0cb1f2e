import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Server as NetServer } from 'node:net';
import type { Lobby, ServerTls } from '@morsel/smpp';
import { createServer } from 'node:tls';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Tools } from '../../../flow/ports.ts';
import { certificateFor, CertificateWatch, type CertificatePort } from '../../certificates.ts';

/* The port of a listener for connections with TLS. The listener's HTTP server serves its connections. */

/** A TLS handshake needs two round trips, so this time is enough for any client. */
const handshakeTimeout = 5 * secondMs;

export interface TlsPortNeeds extends Pick<Tools, 'clock' | 'log'> {
  readonly lobby: Lobby;
  /** The listener, for errors and log lines. */
  readonly name: 'the HTTP API' | 'the operator API';
}

export interface TlsPort {
  readonly port: number;
  /** Resolves when the HTTP server has closed the connections. */
  close(): Promise<void>;
}

/** Rejects if the port is in use, or with `CertificateRefused`. */
export async function openTlsPort(
  http: Server,
  { host, port, ...files }: CertificatePort,
  { clock, log, lobby, name }: TlsPortNeeds,
): Promise<TlsPort> {
  const listener = `${name} over TLS` as const;
  const certificate = await certificateFor(listener, files);
  const server = createServer({ ...certificate, handshakeTimeout, noDelay: true });
  lobby.watch(server);
  // From here on the HTTP server handles the connection as if it had accepted the connection itself.
  server.on('secureConnection', (socket) => {
    // A client that closes its half of the connection after a request still gets the answer.
    socket.allowHalfOpen = true;
    http.emit('connection', socket);
  });
  // This client speaks no TLS, refuses the certificate, or does not complete its handshake in time.
  server.on('tlsClientError', (_fault, socket) => socket.destroy());
  server.listen(port, host);
  await once(server, 'listening');
  const renew = (tls: ServerTls) => server.setSecureContext(tls);
  const watch = await CertificateWatch.start({ files, clock, log, renew, listener });
  return {
    port: portOf(server),
    close: async () => {
      watch[Symbol.dispose]();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

export function portOf(server: NetServer): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the HTTP server did not get a port');
  return address.port;
}
