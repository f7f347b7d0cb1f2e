import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { lingerMs } from './limits.ts';

/** What we know of a connection besides its bytes. */
export class Connection {
  readonly address: string;
  readonly #socket: Socket;
  /** Requests that came whole and are not answered yet. */
  #pending = 0;
  /** A request that was answered before its body came to its end. */
  #answeredEarly: IncomingMessage | undefined;
  /** The last thing to say, once whoever came before is answered. */
  #parting: string | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    const address = socket.remoteAddress ?? '';
    // An IPv4 client of a socket that listens on IPv6 (RFC 4291 section 2.5.5.2).
    this.address = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  }

  /** Whether the request that just came whole may go on; not after the connection's last answer was said or promised. */
  begin(): boolean {
    if (this.#parting !== undefined) return false;
    this.#pending++;
    return true;
  }

  /** A request of `begin` is answered by `response`, whose end was called. */
  finish(response: ServerResponse): void {
    this.#pending--;
    if (this.#pending === 0 && this.#parting !== undefined) response.once('finish', () => this.#end());
  }

  /** A request is answered; when it is not complete, nothing more is said about it. */
  noteAnswered(request: IncomingMessage): void {
    if (!request.complete) this.#answeredEarly = request;
  }

  /**
   * Ends the connection with an answer to what could not be read as a request. Requests before it on the same
   * connection are answered first: otherwise their client would take this for the answer to one of them, and think a
   * message refused that was accepted.
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

/** The connections of a server. */
export class Connections {
  readonly #known = new WeakMap<Socket, Connection>();

  of(socket: Socket): Connection {
    const known = this.#known.get(socket);
    if (known) return known;
    const connection = new Connection(socket);
    this.#known.set(socket, connection);
    return connection;
  }
}
