/**
 * A hostile client for `npm run bench -- pipeline`, in a separate process: `pipeline-attack.ts KIND PORT CONNECTIONS
 * SECONDS`. The client opens CONNECTIONS connections, ends after SECONDS seconds, and prints how many octets of
 * answers arrived.
 */
import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** Octets of requests that the client keeps ready for each connection, so that the gateway always has more to read. */
const outputMax = 256 * 1024;
const burstOctets = 64 * 1024;

const openApi = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500);
const health = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';

const kinds: Readonly<Record<string, (socket: Socket) => void>> = {
  /** Pipelines requests with long answers, and reads no answer. */
  unread: (socket) => {
    socket.pause();
    const fill = (): void => {
      while (socket.writable && socket.writableLength < outputMax) socket.write(openApi);
    };
    socket.on('drain', fill);
    fill();
  },
  /** Sends in one write as many short requests as the gateway reads at once, and reads the answers. */
  burst: (socket) => {
    socket.write(health.repeat(Math.floor(burstOctets / health.length)));
    socket.resume();
  },
  /** Sends a request that never ends. */
  half: (socket) => {
    socket.write('GET /admin/v1/status HTTP/1.1\r\nHost: x\r\n');
    socket.resume();
  },
};

const [kind = '', port, connections, seconds] = process.argv.slice(2);
const attack = kinds[kind];
if (!attack) throw new Error(`${kind} must be one of ${Object.keys(kinds).join(', ')}`);
let octets = 0;
for (let count = 0; count < Number(connections); count++) {
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  socket.on('connect', () => attack(socket));
  socket.on('data', (chunk) => (octets += chunk.length));
  socket.on('error', () => undefined);
}
setTimeout(
  () => {
    process.stdout.write(`${JSON.stringify({ octets })}\n`, () => process.exit(0));
  },
  Number(seconds) * 1_000,
);
