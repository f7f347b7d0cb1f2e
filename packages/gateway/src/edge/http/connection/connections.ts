import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { lingerMs } from './limits.ts';

/*
 * The state of each HTTP connection: which requests are not answered yet, and how the connection ends without losing their
 * answers.
 */

/** One connection. */
export class Connection {
  readonly address: string;
  readonly #socket: Socket;
  /** Complete requests that are not answered yet. */
  #pending = 0;
  /** A request that was answered before its body was complete. */
  #answeredEarly: IncomingMessage | undefined;
  /** The last answer, which waits for the answers to earlier requests. */
  #parting: string | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    const address = socket.remoteAddress ?? '';
    // An IPv4 client on a socket that listens on IPv6 (RFC 4291 section 2.5.5.2).
    this.address = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  }

  /** Whether a request that is complete now may run. It may not once the connection's last answer is set. */
  begin(): boolean {
    if (this.#parting !== undefined) return false;
    this.#pending++;
    return true;
  }

  /** Call after `response.end()` of a request that `begin` let run. */
  finish(response: ServerResponse): void {
    this.#pending--;
    if (this.#pending === 0 && this.#parting !== undefined) response.once('finish', () => this.#end());
  }

  /** Call when a request is answered. If it is not complete, `part` will not answer it again. */
  noteAnswered(request: IncomingMessage): void {
    if (!request.complete) this.#answeredEarly = request;
  }

  /**
   * Ends the connection with an answer to octets that are not a request. Earlier requests on the connection are answered first.
   * Otherwise the client would take this answer for one of theirs, and believe that an accepted message was refused.
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
