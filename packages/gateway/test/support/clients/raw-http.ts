import { connect, type Socket } from 'node:net';

/* HTTP as octets, for requests that no HTTP client would write; `http-client.ts` writes all others. */

/** The time in which a server must start to answer octets that are no request, or not a whole request. */
const quietMs = 300;

export interface Reply {
  readonly status: number;
  /** The headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Bytes = string | Buffer;

/** The place of a request on its connection. The first one never goes to the lane, and a later one does if it is plain. */
export interface Place {
  readonly isLater?: boolean;
}

export const places = [
  ['first', { isLater: false }],
  ['later', { isLater: true }],
] as const satisfies readonly (readonly [string, Place])[];

/** A connection that sends octets as they are and reads the answers. */
export class Talk implements Disposable {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => {};

  /** What is sent after the answer to the first request. */
  #waiting: Bytes[] | undefined;

  constructor(port: number, { isLater }: Place = {}) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.setNoDelay(true);
    if (isLater) {
      this.send(request('GET /health'));
      this.#waiting = [];
    }
    this.#socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      if (this.#waiting && this.#take(false)) {
        const waiting = this.#waiting;
        this.#waiting = undefined;
        for (const bytes of waiting) this.send(bytes);
      }
      this.#wake();
    });
    for (const event of ['end', 'error', 'close']) {
      this.#socket.on(event, () => {
        this.#ended = true;
        this.#wake();
      });
    }
  }

  send(bytes: Bytes): void {
    if (this.#waiting) this.#waiting.push(bytes);
    else this.#socket.write(bytes);
  }

  /** The next reply; undefined when the connection ends first. An answer to HEAD has no body whatever its length. */
  async reply({ toHead = false } = {}): Promise<Reply | undefined> {
    for (;;) {
      const reply = this.#take(toHead);
      if (reply || this.#ended) return reply;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** All octets until the server closes the connection or is quiet; the first ones may take `firstMs`. */
  async everything(firstMs = quietMs): Promise<string> {
    let had = -1;
    for (let waitMs = firstMs; !this.#ended && had !== this.#received.length; waitMs = quietMs) {
      had = this.#received.length;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#received.toString('latin1');
  }

  /** Whether the server ends the connection without sending more. */
  async ends(): Promise<boolean> {
    return (await this.reply()) === undefined && this.#received.length === 0;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #take(toHead: boolean): Reply | undefined {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return undefined;
    const [first = '', ...lines] = this.#received.toString('latin1', 0, headEnd).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    );
    const bodyEnd = headEnd + 4 + (toHead ? 0 : Number(headers['content-length']));
    if (this.#received.length < bodyEnd) return undefined;
    const body = this.#received.toString('utf8', headEnd + 4, bodyEnd);
    this.#received = this.#received.subarray(bodyEnd);
    return { status: Number(first.split(' ')[1]), headers, body };
  }
}

/** Sends one request on a new connection, as its first or its second one. Returns the reply. */
export async function ask(port: number, bytes: Bytes, place?: Place): Promise<Reply> {
  using talk = new Talk(port, place);
  talk.send(bytes);
  const reply = await talk.reply({ toHead: bytes.toString('latin1').startsWith('HEAD ') });
  if (!reply) throw new Error('the connection ended without an answer');
  return reply;
}

export interface RequestParts {
  readonly headers?: readonly string[];
  readonly body?: Bytes;
}

/** A request as octets, with Host and, when it has a body, Content-Length. */
export function request(line: string, { headers = [], body }: RequestParts = {}): Buffer {
  const octets = Buffer.from(body ?? '');
  const length = body === undefined ? [] : [`Content-Length: ${octets.length}`];
  const head = [`${line} HTTP/1.1`, 'Host: localhost', ...headers, ...length].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), octets]);
}

/** Writes octets on a new connection. Returns all octets until the server closes the connection or is quiet. */
export async function exchangeRaw(port: number, octets: string | Uint8Array, firstMs?: number): Promise<string> {
  using talk = new Talk(port);
  talk.send(typeof octets === 'string' ? octets : Buffer.from(octets));
  return await talk.everything(firstMs);
}
