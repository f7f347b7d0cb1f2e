/**
 * A client that means harm, for `npm run bench -- pipeline`, in a process of its own: `pipeline-attack.ts KIND PORT CONNECTIONS SECONDS`.
 * It opens so many connections to this machine, ends after so many seconds, and prints how many answers began to come.
 */
import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** What a client keeps in its own memory for each connection: enough that the gateway always has more to read. */
const outputMax = 256 * 1024;
const burstOctets = 64 * 1024;

const openApi = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500);
const health = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';

const kinds: Readonly<Record<string, (socket: Socket) => void>> = {
  /** Pipelines requests with long answers and reads none of them. */
  unread: (socket) => {
    socket.pause();
    const fill = (): void => {
      while (socket.writable && socket.writableLength < outputMax) socket.write(openApi);
    };
    socket.on('drain', fill);
    fill();
  },
  /** As many short requests as one read of the gateway holds, in one write; reads the answers. */
  burst: (socket) => {
    socket.write(health.repeat(Math.floor(burstOctets / health.length)));
    socket.resume();
  },
  /** A request that never ends. */
  half: (socket) => {
    socket.write('GET /admin/status HTTP/1.1\r\nHost: x\r\n');
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
