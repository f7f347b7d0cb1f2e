import { createServer } from 'node:net';
import type { Server as NetServer, Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { createServer as createTlsServer } from 'node:tls';
import type { Server as TlsServer } from 'node:tls';
import { Connection } from './connection.ts';
import { encode } from '../codec/encode.ts';
import type { Sink } from './outbox.ts';
import type { PduOf } from '../codec/pdu.ts';
import type { Session, SessionAdjustment, SessionHandlers, SessionOptions } from '../session/session-contract.ts';
import type { BindName, Version } from '../session/session-state.ts';
import { statuses } from '../codec/statuses.ts';
import type { ServerTls } from './tls.ts';
import { serverTlsOptions, tlsMaterialProblem } from './tls.ts';
import { Lobby } from './lobby.ts';
import type { Guest, Place } from './lobby.ts';

/*
 * The server end: accepts connections, with or without TLS, and asks its owner about each bind.
 */

/** The decision about a bind. */
export type Admission =
  /** `handlers` is called just before the peer gets the answer, and makes the handlers of this session. */
  | {
      readonly kind: 'admitted';
      readonly handlers: (session: Session, socket: Socket) => SessionHandlers;
      /** Options of this session that differ from those of the server. */
      readonly limits?: SessionAdjustment;
    }
  /** The peer gets this status, then the connection ends. */
  | { readonly kind: 'refused'; readonly command_status: number };

export interface BindAttempt {
  readonly bind: PduOf<BindName>;
  readonly address: string;
  readonly port: number;
}

export interface ServerOptions extends SessionOptions {
  /** 0 for any free port; see `Server.port`. */
  readonly port: number;
  /** Default: all addresses. */
  readonly host?: string;
  readonly tls?: ServerTls;
  /** Our system_id, for the answer to a bind. */
  readonly system_id: string;
  /** The newest version that we speak. Default: 5.0. */
  readonly version?: Version;
  /** Receives our octets instead of the socket, so that a simulator can send wrong ones. */
  sink?(socket: Socket): Sink;
  /** The most connections, bound or not. Further ones are closed at once. Default: 1,000. */
  readonly connectionsMax?: number;
  /**
   * The most connections without a bind, in all and from one address. With TLS they count from before the handshake.
   * A new connection replaces the oldest that has sent no bind, or one of an address that has more; otherwise it is
   * closed. Default: connectionsMax.
   */
  readonly unboundMax?: number;
  readonly unboundOfAddressMax?: number;
  /**
   * Decides about a bind. The bind timeout keeps running. If the promise rejects, the peer gets ESME_RSYSERR, which
   * clients take for a temporary error, and `onError` gets the error.
   */
  authenticate(attempt: BindAttempt): Promise<Admission>;
  onError?(error: unknown): void;
}

export interface Server {
  readonly port: number;
  /** The bound sessions. */
  readonly sessions: readonly Session[];
  /** How many connections there are, bound or not. */
  readonly connections: number;
  /** How many connections are not bound, those in a TLS handshake included. */
  readonly unbound: number;
  /**
   * Sets new certificates for later connections; present ones keep theirs. Throws RangeError and changes nothing if the
   * certificates cannot be used or the server has no TLS.
   */
  renewTls(tls: ServerTls): void;
  /** Stops listening and unbinds every session after its requests in flight. Ends within `drainMs` (default: 10 s). */
  close(drainMs?: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const defaultConnectionsMax = 1000;
const defaultDrainMs = 10_000;
const defaultBindTimeoutMs = 10_000;
const newest: Version = 0x50;

/** Listens for SMPP sessions. Rejects if the port is not available, or our system_id or certificate cannot be used. */
export async function listen(options: ServerOptions): Promise<Server> {
  encode({ command: 'bind_transceiver_resp', sequence_number: 0, system_id: options.system_id });
  const problem = options.tls === undefined ? undefined : tlsMaterialProblem(options.tls);
  if (problem !== undefined) throw new RangeError(`tls: ${problem}`);
  const listener = new Listener(options);
  await listener.open();
  return listener;
}

class Listener implements Server {
  readonly #options: ServerOptions;
  readonly #net: NetServer;
  readonly #tls: TlsServer | undefined;
  readonly #lobby: Lobby;
  readonly #connections = new Set<Connection>();
  readonly #bound = new Set<Connection>();
  /**
   * The TCP socket of each peer and its place in the lobby. Until a TLS handshake is over, a peer has no connection
   * here.
   */
  readonly #carrying = new Map<string, { readonly socket: Socket; readonly place: Place }>();

  constructor(options: ServerOptions) {
    this.#options = options;
    const { tls, bindTimeoutMs = defaultBindTimeoutMs, connectionsMax = defaultConnectionsMax } = options;
    const { unboundMax: max = connectionsMax, unboundOfAddressMax: maxOfAddress = connectionsMax } = options;
    this.#lobby = new Lobby({ max, maxOfAddress, now: () => performance.now() });
    this.#tls = tls && createTlsServer({ ...serverTlsOptions(tls), handshakeTimeout: bindTimeoutMs });
    this.#net = this.#tls ?? createServer();
    this.#net.on('connection', (socket: Socket) => this.#enter(socket));
    this.#net.on(this.#tls ? 'secureConnection' : 'connection', (socket: Socket) => this.#accept(socket));
    this.#net.maxConnections = connectionsMax;
  }

  async open(): Promise<void> {
    const { port, host } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#net.once('error', reject);
    this.#net.listen({ port, ...(host !== undefined && { host }) }, () => {
      this.#net.off('error', reject);
      // A failed accept, for example without free file descriptors, is no reason to stop listening.
      this.#net.on('error', (error) => this.#options.onError?.(error));
      resolve();
    });
    return promise;
  }

  get port(): number {
    const address = this.#net.address();
    return address === null || typeof address === 'string' ? 0 : address.port;
  }

  get sessions(): readonly Session[] {
    return [...this.#bound];
  }

  get connections(): number {
    return this.#connections.size;
  }

  get unbound(): number {
    return this.#lobby.size;
  }

  renewTls(tls: ServerTls): void {
    const problem = this.#tls ? tlsMaterialProblem(tls) : 'this server has no TLS';
    if (problem !== undefined) throw new RangeError(`tls: ${problem}`);
    this.#tls?.setSecureContext(serverTlsOptions(tls));
  }

  async close(drainMs = defaultDrainMs): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    // The callback comes when the last connection is closed.
    this.#net.close(() => resolve());
    const timer = setTimeout(() => {
      for (const connection of this.#connections) connection.destroy();
      for (const { socket } of this.#carrying.values()) socket.destroy();
    }, drainMs);
    await Promise.all([...this.#connections].map((connection) => connection.unbind()));
    await promise;
    clearTimeout(timer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #enter(socket: Socket): void {
    const guest: Guest = { isSilent: () => true, drop: () => void socket.destroy() };
    const place = this.#lobby.enter(socket.remoteAddress ?? '', guest);
    if (place === undefined) {
      socket.destroy();
      return;
    }
    const peer = peerOf(socket);
    this.#carrying.set(peer, { socket, place });
    socket.once('close', () => {
      this.#lobby.leave(place);
      if (this.#carrying.get(peer)?.socket === socket) this.#carrying.delete(peer);
    });
  }

  #accept(socket: Socket): void {
    const place = this.#carrying.get(peerOf(socket))?.place;
    if (place === undefined) {
      socket.destroy();
      return;
    }
    const connection: Connection = new Connection('server', {
      socket,
      options: this.#options,
      sink: this.#options.sink?.(socket),
      handlers: unboundHandlers,
      hooks: {
        decide: (bind) => void this.#decide(connection, bind, socket),
        bound: () => {
          this.#bound.add(connection);
          this.#lobby.leave(place);
        },
        closed: () => {
          this.#connections.delete(connection);
          this.#bound.delete(connection);
        },
      },
    });
    place.guest = {
      isSilent: () => connection.phase === 'open' || connection.phase === 'closed',
      drop: () => void socket.destroy(),
    };
    this.#connections.add(connection);
  }

  async #decide(connection: Connection, bind: PduOf<BindName>, socket: Socket): Promise<void> {
    const { address, port } = connection.peer;
    const { system_id, version = newest } = this.#options;
    try {
      const admission = await this.#options.authenticate({ bind, address, port });
      if (connection.phase !== 'binding') return;
      if (admission.kind === 'refused') connection.refuse(bind, admission.command_status);
      else {
        if (admission.limits) connection.adjust(admission.limits);
        connection.admit(bind, { system_id, version, handlers: admission.handlers(connection, socket) });
      }
    } catch (error) {
      connection.refuse(bind, statuses.ESME_RSYSERR);
      this.#options.onError?.(error);
    }
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Handlers of a connection before its bind. No request reaches them in practice. */
const unboundHandlers: SessionHandlers = {
  onRequest(_pdu, respond) {
    respond(statuses.ESME_RINVBNDSTS);
  },
};
