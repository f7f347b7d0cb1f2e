import { request as parsedBy } from 'node:http';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { forbiddenHost, ofCallback, readWebhookUrl } from '../../core/notification/webhook-url.ts';
import { answerMaxMs, answerTo, closedEarly, wordsFor, type WebhookAnswer } from './exchange.ts';
import { readPlainAnswer } from './plain-answer.ts';
import { safeLookup, type SafeLookupNeeds } from './safe-lookup.ts';

/*
 * Sends requests to webhooks over connections that are kept. Plain answers are read at once, and only the others by
 * node:http, which would cost 30 us for each request (decision 6).
 */

/** The most octets of an answer's headers. An answer with longer headers counts as failed. */
const headersMaxOctets = 16 * 1024;
/** An idle connection is closed after this time, or earlier if the receiver's Keep-Alive header says so. */
const idleMs = 4 * secondMs;
/** The time limit for a connection to one of several addresses of the host name. Then the next address is tried. */
const addressMaxMs = 4 * secondMs;
const keepAliveDelayMs = 30 * secondMs;

export interface ConnectionsNeeds extends Omit<SafeLookupNeeds, 'allowed'> {
  /** Further certificate authorities to trust, in addition to those of the system. */
  readonly ca?: string | undefined;
}

export interface OutwardRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  /** Null for none. */
  readonly body: string | null;
  /** The time limit from the start of the connection to the last header of the answer. */
  readonly limitMs?: number | undefined;
}

export interface Target {
  /** Resolves when the connection is free again or closed. Never rejects. */
  readonly send: (request: OutwardRequest) => Promise<WebhookAnswer>;
  readonly path: string;
  readonly query: string;
}

/** Connections to public and allowed addresses. Requests to the same host share connections. */
export class Connections {
  readonly #allowed: readonly AddressRange[];
  readonly #clock: ConnectionsNeeds['clock'];
  readonly #options;
  readonly #all = new Set<Connection>();
  /** Idle connections by their origins, the newest last. */
  readonly #free = new Map<string, Connection[]>();
  /** The newest session of TLS, which makes the next connection to the same host cheaper. */
  #session: { readonly origin: string; readonly octets: Buffer } | undefined;

  constructor(allowed: readonly AddressRange[], { clock, lookup, ca }: ConnectionsNeeds) {
    this.#allowed = allowed;
    this.#clock = clock;
    this.#options = {
      ca,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveDelayMs,
      lookup: safeLookup({ clock, lookup, allowed }),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: addressMaxMs,
    };
  }

  /** Returns undefined if the URL leads to an address that is neither public nor allowed. */
  targetOf(url: string): Target | undefined {
    const read = readWebhookUrl(url, ofCallback);
    if (!read.ok || forbiddenHost(read.value.host, this.#allowed) !== undefined) return undefined;
    const { origin, host, path, query } = read.value;
    const send: Target['send'] = async (request) => {
      const connection = this.#take(origin) ?? this.#open(origin, host);
      const answer = await connection.exchange(request);
      if (!connection.isClosed) this.#keep(origin, connection);
      return answer;
    };
    return { send, path, query };
  }

  destroy(): void {
    for (const connection of this.#all) connection.destroy();
  }

  #take(origin: string): Connection | undefined {
    const free = this.#free.get(origin);
    let connection = free?.pop();
    while (connection?.isClosed) connection = free?.pop();
    return connection;
  }

  #open(origin: string, host: string): Connection {
    const { host: hostHeader, port, protocol } = new URL(origin);
    const socket =
      protocol === 'https:'
        ? this.#openTls(origin, { host, port: Number(port || 443) })
        : connectPlain({ ...this.#options, host, port: Number(port || 80) });
    const connection = new Connection(socket, hostHeader, this.#clock);
    this.#all.add(connection);
    socket.on('close', () => {
      this.#all.delete(connection);
      const free = this.#free.get(origin)?.filter((each) => each !== connection) ?? [];
      if (free.length === 0) this.#free.delete(origin);
      else this.#free.set(origin, free);
    });
    return connection;
  }

  #openTls(origin: string, to: { readonly host: string; readonly port: number }): Socket {
    // The certificate must be for the host name in the URL, or for the IP address if the URL has one instead.
    const name = isIP(to.host) === 0 ? { servername: to.host.replace(/\.$/, '') } : {};
    const session = this.#session?.origin === origin ? { session: this.#session.octets } : {};
    const tls = { ALPNProtocols: ['http/1.1'], rejectUnauthorized: true };
    const socket = connectTls({ ...this.#options, ...tls, ...name, ...session, ...to });
    return socket.on('session', (octets) => (this.#session = { origin, octets }));
  }

  #keep(origin: string, connection: Connection): void {
    const free = this.#free.get(origin);
    if (free) free.push(connection);
    else this.#free.set(origin, [connection]);
  }
}

/** A connection to one host, which carries one request at a time. */
class Connection {
  readonly #socket: Socket;
  readonly #hostHeader: string;
  readonly #clock: ConnectionsNeeds['clock'];
  #request: OutwardRequest | undefined;
  #end: ((answer: WebhookAnswer) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sentAt = 0;
  #idleMs = idleMs;
  /** What Node's parser reads instead of the socket, once an answer is not plain. */
  #wire: Duplex | undefined;
  isClosed = false;

  constructor(socket: Socket, hostHeader: string, clock: ConnectionsNeeds['clock']) {
    this.#socket = socket;
    this.#hostHeader = hostHeader;
    this.#clock = clock;
    socket.setTimeout(idleMs, () => {
      if (!this.#request) this.destroy();
    });
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('end', () => (this.#wire ? this.#wire.push(null) : this.#giveUp(closedEarly)));
    socket.on('error', (fault) => (this.#wire ? this.#wire.destroy(fault) : this.#giveUp(wordsFor(fault))));
    socket.on('close', () => (this.#wire ? this.#wire.push(null) : this.#giveUp(closedEarly)));
  }

  exchange(request: OutwardRequest): Promise<WebhookAnswer> {
    const { method, path, headers, body, limitMs = answerMaxMs } = request;
    this.#request = request;
    let head = `${method} ${path} HTTP/1.1\r\nHost: ${this.#hostHeader}\r\n`;
    for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
    if (body !== null) head += `Content-Length: ${Buffer.byteLength(body)}\r\n`;
    this.#sentAt = this.#clock.monotonicMs();
    this.#timer = setTimeout(() => {
      this.#giveUp(`no ${this.#socket.connecting ? 'connection' : 'answer'} within ${limitMs / secondMs} s`);
    }, limitMs);
    this.#socket.write(`${head}Connection: keep-alive\r\n\r\n${body ?? ''}`);
    return new Promise((resolve) => (this.#end = resolve));
  }

  destroy(): void {
    this.#socket.destroy();
    this.#giveUp(closedEarly);
  }

  #read(chunk: Buffer): void {
    if (this.#wire) {
      if (!this.#wire.push(chunk)) this.#socket.pause();
      return;
    }
    const plain = this.#request && readPlainAnswer(chunk);
    if (plain) this.#settle(plain.answer, keptFor(plain.keepAlive));
    else if (this.#request) void this.#parse(this.#request, chunk);
    else this.destroy();
  }

  /** Has Node's parser read the answer that begins with these octets. */
  async #parse({ method, limitMs = answerMaxMs }: OutwardRequest, chunk: Buffer): Promise<void> {
    clearTimeout(this.#timer);
    let keptMs = 0;
    let hint: string | undefined;
    let isKept = false;
    const wire = new Duplex({
      read: () => this.#socket.resume(),
      write: (_octets, _encoding, done) => done(),
      // Node ends the connection after a complete answer, and destroys it otherwise.
      final: (done) => {
        keptMs = isKept ? keptFor(hint) : 0;
        done();
        wire.destroy();
      },
    });
    wire.on('error', () => undefined);
    this.#wire = wire;
    const parsed = parsedBy({ method, createConnection: () => wire, maxHeaderSize: headersMaxOctets });
    parsed.on('response', ({ headers, httpVersion }) => {
      hint = headers['keep-alive']?.toString();
      isKept = httpVersion === '1.1' && (headers.connection ?? 'keep-alive').toLowerCase() === 'keep-alive';
    });
    parsed.end();
    wire.push(chunk);
    const answer = await answerTo(parsed, { limitMs, leftMs: limitMs - (this.#clock.monotonicMs() - this.#sentAt) });
    this.#wire = undefined;
    this.#socket.resume();
    this.#settle(answer, this.#socket.readableEnded ? 0 : keptMs);
  }

  #giveUp(why: string): void {
    if (this.#wire) this.#wire.destroy();
    else this.#settle({ kind: 'failed', why }, 0);
  }

  /** Ends the exchange. The connection is kept for this time, or closed. */
  #settle(answer: WebhookAnswer, keptMs: number): void {
    clearTimeout(this.#timer);
    this.#request = undefined;
    if (keptMs === 0) {
      this.isClosed = true;
      this.#socket.destroy();
    } else if (keptMs !== this.#idleMs) this.#socket.setTimeout((this.#idleMs = keptMs));
    this.#end?.(answer);
    this.#end = undefined;
  }
}

/** How long an idle connection is kept, with the Keep-Alive header of an answer: a second less than its receiver says. */
function keptFor(hint: string | undefined): number {
  const seconds = /^timeout=(\d{1,6})/.exec(hint ?? '')?.[1];
  return seconds === undefined ? idleMs : Math.min(idleMs, Math.max(0, Number(seconds) - 1) * secondMs);
}
