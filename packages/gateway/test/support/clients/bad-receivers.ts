import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';

/* Clients' webhook receivers that misbehave: each answers with raw octets on a real socket. */

export interface Receiver extends AsyncDisposable {
  readonly port: number;
  /** The number of requests that the receiver got. */
  readonly requests: () => number;
  /** The number of open connections to the receiver. */
  readonly open: () => number;
}

type Behave = (socket: Socket, place: { readonly port: number }) => void;

const tlsFolder = join(import.meta.dirname, '../../../../smpp/vectors/tls');
export const testCa = readFileSync(join(tlsFolder, 'ca.pem'), 'utf8');

/** Starts a receiver, which calls `behave` for each request as soon as the request's headers are complete. */
export async function receiver(behave: Behave, tls?: 'carrier' | 'expired'): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let requests = 0;
  const serve = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      if (!chunk.includes('\r\n\r\n')) return;
      requests += 1;
      behave(socket, { port });
    });
  };
  const server =
    tls === undefined
      ? createServer(serve)
      : createTlsServer({ cert: pem(`${tls}.pem`), key: pem(`${tls}.key`) }, serve).on(
          'tlsClientError',
          () => undefined,
        );
  const port = await listen(server);
  return {
    port,
    requests: () => requests,
    open: () => sockets.size,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function pem(name: string): string {
  return readFileSync(join(tlsFolder, name), 'utf8');
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A socket that listens on TCP has an address with a port.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (server.address() as AddressInfo).port;
}

const huge = Buffer.alloc(64 * 1024, 0x61);

/** Writes a text a few characters at a time. */
async function piecemeal(socket: Socket, text: string): Promise<void> {
  for (let at = 0; at < text.length; at += 5) {
    socket.write(text.slice(at, at + 5));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Writes the octets again and again, for as long as the gateway reads. */
function flood(socket: Socket, octets: Uint8Array = huge): void {
  const write = () => {
    while (!socket.destroyed && socket.write(octets));
  };
  socket.on('drain', write);
  write();
}

/** Writes the text one octet at a time, without end. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 20);
  socket.on('close', () => clearInterval(timer));
}

const answer = (head: string, body = '') => `HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** The receivers: what each does, and the result of a delivery attempt to it. */
export const badReceivers: readonly {
  readonly name: string;
  readonly behave: Behave;
  readonly becomes: 'delivered' | 'later' | 'gone';
  readonly says: RegExp;
  readonly notBeforeMs?: number;
}[] = [
  { name: 'hangs before its headers', behave: () => undefined, becomes: 'later', says: /^no answer within/ },
  {
    name: 'hangs in the middle of its headers',
    behave: (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-'),
    becomes: 'later',
    says: /^no answer within/,
  },
  {
    name: 'hangs after its headers',
    behave: (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'),
    becomes: 'delivered',
    says: /^200$/,
  },
  { name: 'answers 500', behave: (socket) => socket.write(answer('500 No')), becomes: 'later', says: /^500$/ },
  {
    name: 'answers 429 with Retry-After in seconds',
    behave: (socket) => socket.write(answer('429 Slow\r\nRetry-After: 120')),
    becomes: 'later',
    says: /^429$/,
    notBeforeMs: 120_000,
  },
  {
    name: 'answers 503 with Retry-After of a year',
    behave: (socket) => socket.write(answer('503 No\r\nRetry-After: 31536000')),
    becomes: 'later',
    says: /^503$/,
    notBeforeMs: 4 * 3_600_000,
  },
  { name: 'answers 410', behave: (socket) => socket.write(answer('410 Gone')), becomes: 'gone', says: /^410/ },
  {
    name: 'redirects to a private address',
    behave: (socket) => socket.write(answer('302 Found\r\nLocation: http://169.254.169.254/latest/meta-data')),
    becomes: 'later',
    says: /does not follow redirects/,
  },
  {
    name: 'answers with gigabytes',
    behave: (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${8 * 1024 ** 3}\r\n\r\n`);
      flood(socket);
    },
    becomes: 'delivered',
    says: /^200$/,
  },
  {
    name: 'answers with a body without end',
    behave: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n');
      flood(socket);
    },
    becomes: 'delivered',
    says: /^200$/,
  },
  {
    name: 'sends its body octet by octet, without end',
    behave: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      drip(socket, '1\r\nx\r\n');
    },
    becomes: 'delivered',
    says: /^200$/,
  },
  {
    name: 'sends its headers octet by octet, without end',
    behave: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      drip(socket, 'X-Drip: x\r\n');
    },
    becomes: 'later',
    says: /^no answer within/,
  },
  { name: 'closes early', behave: (socket) => socket.end(), becomes: 'later', says: /closed the connection/ },
  {
    name: 'closes in the middle of its headers',
    behave: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-'),
    becomes: 'later',
    says: /closed the connection|invalid HTTP/,
  },
  {
    name: 'resets the connection',
    behave: (socket) => socket.resetAndDestroy(),
    becomes: 'later',
    says: /reset the connection|closed the connection/,
  },
  {
    name: 'speaks HTTP/1.0',
    behave: (socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nthank you'),
    becomes: 'delivered',
    says: /^200$/,
  },
  {
    name: 'answers 102, and then nothing',
    behave: (socket) => socket.write('HTTP/1.1 102 Processing\r\n\r\n'),
    becomes: 'later',
    says: /^no answer within/,
  },
  {
    name: 'answers 102 again and again',
    behave: (socket) => flood(socket, Buffer.from('HTTP/1.1 102 Processing\r\n\r\n'.repeat(2_400))),
    becomes: 'later',
    says: /interim answers/,
  },
  {
    name: 'answers 103, and then 204',
    behave: (socket) => socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'),
    becomes: 'delivered',
    says: /^204$/,
  },
  {
    name: 'answers 100 without an Expect header, and then 200',
    behave: (socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${answer('200 OK')}`),
    becomes: 'delivered',
    says: /^200$/,
  },
  {
    name: 'answers 100, and a long answer right after it',
    behave: (socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${answer('200 OK', 'x'.repeat(32_000))}`),
    becomes: 'delivered',
    says: /^200$/,
  },
  {
    name: 'answers 100 twice in small pieces, with headers, and then 500',
    behave: (socket) =>
      void piecemeal(socket, `HTTP/1.1 100\r\nDate: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${answer('500 Oh')}`),
    becomes: 'later',
    says: /^500$/,
  },
  {
    name: 'answers 100, and then nothing',
    behave: (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
    becomes: 'later',
    says: /^no answer within/,
  },
  {
    name: 'answers 100, and ends the connection',
    behave: (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\nHTTP'),
    becomes: 'later',
    says: /closed the connection|invalid HTTP/,
  },
  {
    name: 'answers 100 again and again',
    behave: (socket) => flood(socket, Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(2_400))),
    becomes: 'later',
    says: /interim answers/,
  },
  {
    name: 'answers 100 with headers without end',
    behave: (socket) => socket.write(`HTTP/1.1 100 Continue\r\n${'X-More: y\r\n'.repeat(1_000)}`),
    becomes: 'later',
    says: /no answer/,
  },
  {
    name: 'speaks another protocol',
    behave: (socket) => socket.write('220 mail.example.com ESMTP ready\r\n'),
    becomes: 'later',
    says: /invalid HTTP/,
  },
  {
    name: 'answers with binary octets',
    behave: (socket) => socket.write(Buffer.from([0, 0, 0, 16, 0x80, 0, 0, 0, 0, 0, 0, 0])),
    becomes: 'later',
    says: /invalid HTTP/,
  },
  {
    name: 'answers with a header line that is too long',
    behave: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      socket.write(`X-Long: ${'x'.repeat(100_000)}\r\n\r\n`);
    },
    becomes: 'later',
    says: /headers of the answer are too long/,
  },
  {
    name: 'answers a request twice',
    behave: (socket) => socket.write(answer('200 OK') + answer('200 OK')),
    becomes: 'delivered',
    says: /^200$/,
  },
  {
    name: 'switches protocols',
    behave: (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    becomes: 'later',
    says: /./,
  },
];

/** A receiver that answers correctly. `told` lists the webhook-id of each notification that it got. */
export async function goodReceiver(delayMs = 0): Promise<AsyncDisposable & { port: number; told: string[] }> {
  const told: string[] = [];
  const server = createHttpServer((request, response) => {
    request.resume();
    request.on('end', () => {
      told.push(String(request.headers['webhook-id']));
      setTimeout(() => response.end('thank you'), delayMs);
    });
  });
  const port = await listen(server);
  return {
    port,
    told,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
