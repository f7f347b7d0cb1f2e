import { createServer } from 'node:net';
import type { Socket } from 'node:net';

/*
 * A client's system for `npm run bench -- webhook`, in a separate process. The system answers each request 200 after
 * 5 ms, and counts repeated requests. It needs little CPU, because it understands only requests with a length.
 */

const answerAfterMs = 5;
const reportEveryMs = 100;
const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const idPattern = /webhook-id: (\S+)/;
const lengthPattern = /content-length: (\d+)/;

const ids = new Set<string>();
let requests = 0;
let connections = 0;

const server = createServer((socket) => {
  connections += 1;
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  let held = '';
  socket.on('data', (chunk) => {
    held = take(socket, held + chunk.toString('latin1'));
  });
});

/** Answers the complete requests, and returns the rest. */
function take(socket: Socket, text: string): string {
  let rest = text;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return rest;
    const length = end + 4 + Number(lengthPattern.exec(rest)?.[1] ?? 0);
    if (rest.length < length) return rest;
    requests += 1;
    ids.add(idPattern.exec(rest)?.[1] ?? '');
    setTimeout(() => socket.write(answer), answerAfterMs);
    rest = rest.slice(length);
  }
}

const tell = (what: object) => process.send?.(what);
setInterval(() => tell({ requests, distinct: ids.size, connections }), reportEveryMs).unref();
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  tell({ port: typeof address === 'object' ? address?.port : 0 });
});
