import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** Answers a request; `nth` is its number, from 0. */
export type Answerer = (socket: Socket, request: string, nth: number) => void;

/** A server that answers with any bytes, one request a connection. */
export class RawServer implements AsyncDisposable {
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(answer: Answerer) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      let text = '';
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        text += chunk.toString('utf8');
        const [head = '', body] = text.split('\r\n\r\n');
        const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
        if (body === undefined || Buffer.byteLength(body) < length) return;
        const request = text;
        text = '';
        answer(socket, request, this.requests.push(request) - 1);
      });
    });
  }

  static async open(answer: Answerer): Promise<RawServer> {
    const server = new RawServer(answer);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('it listens on no port');
    return address.port;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The bodies of all requests, read as JSON. */
  bodies(): Readonly<Record<string, unknown>>[] {
    return this.requests.map((request) => JSON.parse(request.slice(request.indexOf('\r\n\r\n') + 4)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** The bytes of a whole answer, after which the connection ends. */
export function answerText(status: number, body: string, headers: Readonly<Record<string, string>> = {}): string {
  const all = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} Whatever`, ...lines, '', body].join('\r\n');
}

/** The body of the service's answer to a send. */
export const accepted = JSON.stringify({
  msgId: '1021343289970688',
  numParts: 1,
  totalCost: 0.0075,
  clientBalance: 99.9925,
  clientCurrency: 'EUR',
});

export function problemText(code: string, status: number, more: object = {}): string {
  return JSON.stringify({
    type: `urn:morsel:problem:${code}`,
    title: 'No',
    status,
    detail: 'No.',
    code,
    requestId: 'r-1',
    ...more,
  });
}
