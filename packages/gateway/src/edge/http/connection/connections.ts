import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { lingerMs } from './limits.ts';

/* Counts the unanswered requests of each HTTP connection, and ends a connection without losing their answers. */

export class Connection {
  readonly address: string;
  /** The headers that all answers on this connection have, as name, value, name, value. */
  readonly headers: readonly string[];
  readonly #socket: Socket;
  /** The number of complete requests that are not answered yet. */
  #pending = 0;
  /** A request that was answered before its body had arrived completely. */
  #answeredEarly: IncomingMessage | undefined;
  /** The last answer, which waits for the answers to earlier requests. */
  #parting: string | undefined;

  constructor(socket: Socket, headers: readonly string[]) {
    this.#socket = socket;
    this.headers = headers;
    const address = socket.remoteAddress ?? '';
    // The prefix `::ffff:` marks the address of an IPv4 client on a socket that listens on IPv6 (RFC 4291 section 2.5.5.2).
    this.address = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  }

  /** Returns false after the last answer of the connection was chosen: no further request may run then. */
  begin(): boolean {
    if (this.#parting !== undefined) return false;
    this.#pending++;
    return true;
  }

  /** Call after `response.end()`, for each request for which `begin` returned true. */
  finish(response: ServerResponse): void {
    this.#pending--;
    if (this.#pending > 0 || this.#parting === undefined) return;
    if (response.writableFinished) this.#end();
    else response.once('finish', () => this.#end());
  }

  /** Call when a request is answered. If its body is still incomplete, `part` does not answer the request again. */
  noteAnswered(request: IncomingMessage): void {
    if (!request.complete) this.#answeredEarly = request;
  }

  /**
   * Refuses octets that are not an HTTP request, after the answers to earlier requests. Otherwise the client could take
   * the refusal for the answer to an accepted message.
   */
  part(answer: string): void {
    if (this.#parting !== undefined) return;
    this.#parting = this.#answeredEarly?.complete === false ? '' : answer;
    if (this.#pending === 0) this.#end();
  }

  #end(): void {
    const socket = this.#socket;
    socket.end(this.#parting ?? '');
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  }
}

export class Connections {
  readonly #known = new WeakMap<Socket, Connection>();
  readonly #headersOf: (socket: Socket) => readonly string[];

  constructor(headersOf: (socket: Socket) => readonly string[] = () => []) {
    this.#headersOf = headersOf;
  }

  of(socket: Socket): Connection {
    const known = this.#known.get(socket);
    if (known) return known;
    const connection = new Connection(socket, this.#headersOf(socket));
    this.#known.set(socket, connection);
    return connection;
  }
}
