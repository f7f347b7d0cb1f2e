import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Lobby, Place, Standing } from '@morsel/smpp';
import { PlainAnswer } from '../lane.ts';
import type { Head } from '../request/head.ts';
import { lingerMs } from './limits.ts';

/* Counts the unanswered requests of each HTTP connection, and ends a connection without losing their answers. */

export interface ConnectionNeeds {
  readonly lobby: Lobby;
  /** Whether all requests that have arrived completely are answered. */
  readonly isIdle: (socket: Socket) => boolean;
  /** Whether a newer connection may replace a connection that is not idle. */
  readonly unanswered: Standing;
  /** Further headers of all answers on a connection, as name, value, name, value. */
  readonly headersOf?: (socket: Socket) => readonly string[];
}

export class Connection {
  readonly address: string;
  readonly headers: readonly string[];
  readonly #socket: Socket;
  readonly #lobby: Lobby;
  /** Undefined if the client has already closed the connection. */
  readonly #place: Place | undefined;
  /** The number of requests whose answers are not written yet. */
  #pending = 0;
  /** A request that was answered before its body had arrived completely. */
  #answeredEarly: Head | undefined;
  /** The last answer, which waits for the answers to earlier requests. */
  #parting: string | undefined;

  constructor(socket: Socket, { lobby, isIdle, unanswered, headersOf }: ConnectionNeeds) {
    this.#socket = socket;
    this.headers = headersOf?.(socket) ?? [];
    this.#lobby = lobby;
    this.#place = lobby.placeOf(socket);
    if (this.#place) {
      lobby.hear(this.#place);
      this.#place.standing = () => (isIdle(socket) ? 'idle' : unanswered);
    }
    const address = this.#place?.client.address ?? socket.remoteAddress ?? '';
    // The prefix `::ffff:` marks the address of an IPv4 client on a socket that listens on IPv6 (RFC 4291 section 2.5.5.2).
    this.address = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  }

  /** Gives the connection a place of this party. Returns false if the party has too many. */
  admit(party: string): boolean {
    return !this.#place || this.#lobby.admit(this.#place, party);
  }

  /** Returns false after the last answer of the connection was chosen: no further request may run then. */
  begin(): boolean {
    if (this.#parting !== undefined) return false;
    this.#pending++;
    return true;
  }

  /** Call after `response.end()`, for each request for which `begin` returned true. */
  finish(response: ServerResponse | PlainAnswer): void {
    const written = () => {
      this.#pending--;
      if (this.#pending === 0 && this.#parting !== undefined) this.#end();
    };
    if (response instanceof PlainAnswer || response.writableFinished) written();
    else response.once('finish', written);
  }

  /** Call when a request is answered. If its body is still incomplete, `part` does not answer the request again. */
  noteAnswered(request: Head): void {
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

/** Finds the connection of a socket. The connection is made with its first request. */
export function rememberConnections(needs: ConnectionNeeds): (socket: Socket) => Connection {
  const known = new WeakMap<Socket, Connection>();
  return (socket) => {
    let connection = known.get(socket);
    if (!connection) known.set(socket, (connection = new Connection(socket, needs)));
    return connection;
  };
}
