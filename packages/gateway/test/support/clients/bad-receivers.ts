import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { listenAnywhere } from '../listen.ts';

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
  const port = await listenAnywhere(server);
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
/** Receivers that write a text and wait, that write it and end, and that write it and then the octets without end. */
const writes = (text: string | Uint8Array) => (socket: Socket) => void socket.write(text);
const ends = (text: string) => (socket: Socket) => void socket.end(text);
const floods = (text: string, octets?: Uint8Array) => (socket: Socket) => {
  socket.write(text);
  flood(socket, octets);
};
const drips = (text: string, more: string) => (socket: Socket) => {
  socket.write(text);
  drip(socket, more);
};

interface BadReceiver {
  readonly name: string;
  readonly behave: Behave;
  readonly becomes: 'delivered' | 'later' | 'gone';
  readonly says: RegExp;
  readonly notBeforeMs?: number | undefined;
}

type Row = readonly [string, Behave, BadReceiver['becomes'], RegExp, number?];

const ok = 'HTTP/1.1 200 OK\r\n';
const processing = 'HTTP/1.1 102 Processing\r\n\r\n';
const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';
const none = /^no answer within/;
const [early, odd] = [/closed the connection/, /invalid HTTP/];
const earlyOrOdd = /closed the connection|invalid HTTP/;
const halfHead = 'HTTP/1.1 200 OK\r\nContent-';
const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n';
const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n';
const pieces = `HTTP/1.1 100\r\nDate: x\r\n\r\n${goOn}${answer('500 Oh')}`;
const elsewhere = '302 Found\r\nLocation: http://169.254.169.254/latest/meta-data';

const rows: readonly Row[] = [
  ['hangs before its headers', () => undefined, 'later', none],
  ['hangs in the middle of its headers', writes(halfHead), 'later', none],
  ['hangs after its headers', writes(`${ok}Content-Length: 5\r\n\r\n`), 'delivered', /^200$/],
  ['answers 500', writes(answer('500 No')), 'later', /^500$/],
  ['answers 429 with Retry-After', writes(answer('429 Slow\r\nRetry-After: 120')), 'later', /^429$/, 120_000],
  ['asks for a year', writes(answer('503 No\r\nRetry-After: 31536000')), 'later', /^503$/, 4 * 3_600_000],
  ['answers 410', writes(answer('410 Gone')), 'gone', /^410/],
  ['redirects to a private address', writes(answer(elsewhere)), 'later', /does not follow redirects/],
  ['answers with gigabytes', floods(`${ok}Content-Length: ${8 * 1024 ** 3}\r\n\r\n`), 'delivered', /^200$/],
  ['answers with a body without end', floods(`${ok}Connection: close\r\n\r\n`), 'delivered', /^200$/],
  [
    'sends its body octet by octet, without end',
    drips(`${ok}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'),
    'delivered',
    /^200$/,
  ],
  ['sends its headers octet by octet, without end', drips(ok, 'X-Drip: x\r\n'), 'later', none],
  ['closes early', (socket) => socket.end(), 'later', early],
  ['closes in the middle of its headers', ends(halfHead), 'later', earlyOrOdd],
  ['resets the connection', (socket) => socket.resetAndDestroy(), 'later', /(?:reset|closed) the connection/],
  ['speaks HTTP/1.0', ends('HTTP/1.0 200 OK\r\n\r\nthank you'), 'delivered', /^200$/],
  ['answers 102, and then nothing', writes(processing), 'later', none],
  ['answers 102 again and again', floods('', Buffer.from(processing.repeat(2_400))), 'later', /interim answers/],
  ['answers 103, and then 204', writes(hints), 'delivered', /^204$/],
  ['answers 100 without an Expect header, and then 200', writes(goOn + answer('200 OK')), 'delivered', /^200$/],
  ['answers 100, and a long answer', writes(goOn + answer('200 OK', 'x'.repeat(32_000))), 'delivered', /^200$/],
  ['answers 100 twice in small pieces, and then 500', (socket) => void piecemeal(socket, pieces), 'later', /^500$/],
  ['answers 100, and then nothing', writes(goOn), 'later', none],
  ['answers 100, and ends the connection', ends(`${goOn}HTTP`), 'later', earlyOrOdd],
  ['answers 100 again and again', floods('', Buffer.from(goOn.repeat(2_400))), 'later', /interim answers/],
  [
    'answers 100 with headers without end',
    writes(`HTTP/1.1 100 Continue\r\n${'X-More: y\r\n'.repeat(1_000)}`),
    'later',
    /no answer/,
  ],
  ['speaks another protocol', writes('220 mail.example.com ESMTP ready\r\n'), 'later', odd],
  ['answers with binary octets', writes(Buffer.from([0, 0, 0, 16, 0x80, 0, 0, 0, 0, 0, 0, 0])), 'later', odd],
  [
    'answers with a header line that is too long',
    writes(`${ok}X-Long: ${'x'.repeat(100_000)}\r\n\r\n`),
    'later',
    /headers of the answer are too long/,
  ],
  ['answers a request twice', writes(answer('200 OK') + answer('200 OK')), 'delivered', /^200$/],
  ['switches protocols', writes(upgrade), 'later', /./],
];

/** The receivers: what each does, and the result of a delivery attempt to it. */
export const badReceivers: readonly BadReceiver[] = rows.map(([name, behave, becomes, says, notBeforeMs]) => ({
  name,
  behave,
  becomes,
  says,
  notBeforeMs,
}));
