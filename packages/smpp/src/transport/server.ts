import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { Connection } from './connection.ts';
import { encode } from '../codec/encode.ts';
import type { PduOf } from '../codec/pdu.ts';
import type { Session, SessionAdjustment, SessionHandlers, SessionOptions } from '../session/session-contract.ts';
import type { BindName, Phase, Version } from '../session/session-state.ts';
import { statuses } from '../codec/statuses.ts';
import { type ServerTls, serverTlsOptions, tlsMaterialProblem } from './tls.ts';
import { Lobby, type Balancers, type Standing } from './lobby.ts';

/*
 * The SMPP server: accepts connections, with or without TLS, and calls `authenticate` for each bind.
 */

/** The server's decision about a bind. */
export type Admission =
  /**
   * The server accepts the bind. Before the server answers, it calls `handlers` to get the handlers of the new session.
   */
  | {
      readonly kind: 'admitted';
      readonly handlers: (session: Session, socket: Socket) => SessionHandlers;
      /** Options of this session that differ from the options of the server. */
      readonly limits?: SessionAdjustment;
    }
  /** The server answers with this status and closes the connection. */
  | { readonly kind: 'refused'; readonly command_status: number };

export interface BindAttempt {
  readonly bind: PduOf<BindName>;
  readonly address: string;
  readonly port: number;
}

export interface ServerOptions extends SessionOptions {
  /** The TCP port. 0 selects any free port; `Server.port` returns it. */
  readonly port: number;
  /** Default: all addresses. */
  readonly host?: string;
  readonly tls?: ServerTls;
  /** The server's system_id, which it sends in the answer to a bind. */
  readonly system_id: string;
  /** The newest SMPP version that the server supports. Default: 5.0. */
  readonly version?: Version;
  /** The most connections, bound or not. Default: 1,000. */
  readonly connectionsMax?: number;
  /**
   * The most connections that are not bound, in total and for each address. Connections in a TLS handshake count as
   * well. At this limit and at connectionsMax, a new connection replaces the oldest connection without a bind, or else a
   * connection from the address with the most connections. If no connection can be replaced, the new connection is
   * closed. Default: connectionsMax.
   */
  readonly unboundMax?: number;
  readonly unboundOfAddressMax?: number;
  /** Load balancers that name the client in a PROXY protocol header (version 2), before TLS. Default: none. */
  readonly balancers?: Balancers | undefined;
  /**
   * Decides about a bind; the time that it takes counts toward bindTimeoutMs. If the promise rejects, the client gets
   * ESME_RSYSERR, a temporary error, and `onError` gets the error.
   */
  authenticate(attempt: BindAttempt): Promise<Admission>;
  onError?(error: unknown): void;
}

export interface Server {
  readonly port: number;
  /** The bound sessions. */
  readonly sessions: readonly Session[];
  /** The number of connections, bound or not. */
  readonly connections: number;
  /** The number of connections that are not bound, including connections in a TLS handshake. */
  readonly unbound: number;
  /**
   * Sets new certificates for new connections; open connections continue to use the old certificates. Throws RangeError
   * and changes nothing if the certificates cannot be used or the server has no TLS.
   */
  renewTls(tls: ServerTls): void;
  /**
   * Stops listening, waits for the requests in flight of each session, and unbinds. Closes remaining connections after
   * `drainMs` (default: 10 s).
   */
  close(drainMs?: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const defaultConnectionsMax = 1000;
const defaultDrainMs = 10_000;
const defaultBindTimeoutMs = 10_000;
const newest: Version = 0x50;

/**
 * Starts an SMPP server. Rejects if the port is not available, or if the system_id or the certificate of `options`
 * cannot be used.
 */
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
  /** The TCP socket of each peer. Also contains peers in a TLS handshake, which are not in `#connections` yet. */
  readonly #sockets = new Set<Socket>();

  constructor(options: ServerOptions) {
    this.#options = options;
    const { tls, bindTimeoutMs = defaultBindTimeoutMs, connectionsMax = defaultConnectionsMax } = options;
    const { unboundMax: guestsMax = connectionsMax, unboundOfAddressMax: guestsOfNetworkMax = connectionsMax } =
      options;
    const guests = { guestsMax, guestsOfNetworkMax, balancers: options.balancers };
    this.#lobby = new Lobby({ max: connectionsMax, ...guests, now: () => performance.now() });
    this.#tls = tls && createTlsServer({ ...serverTlsOptions(tls), handshakeTimeout: bindTimeoutMs });
    this.#net = this.#tls ?? createServer();
    this.#net.on(this.#tls ? 'secureConnection' : 'connection', (socket: Socket) => this.#accept(socket));
    this.#lobby.watch(this.#net);
    this.#net.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    // Node leaves the connection open, also if the handshake takes longer than its limit.
    this.#tls?.on('tlsClientError', (_fault, socket) => void socket.destroy());
  }

  async open(): Promise<void> {
    const { port, host } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#net.once('error', reject);
    this.#net.listen({ port, ...(host !== undefined && { host }) }, () => {
      this.#net.off('error', reject);
      // The server continues to listen if accepting a connection fails, for example because no file descriptors are
      // free.
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
    // Node calls this callback after the last connection is closed.
    this.#net.close(() => resolve());
    const timer = setTimeout(() => {
      for (const connection of this.#connections) connection.destroy();
      for (const socket of this.#sockets) socket.destroy();
    }, drainMs);
    await Promise.all([...this.#connections].map((connection) => connection.unbind()));
    await promise;
    clearTimeout(timer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #accept(socket: Socket): void {
    const place = this.#lobby.placeOf(socket);
    if (place === undefined) {
      socket.destroy();
      return;
    }
    const connection: Connection = new Connection('server', {
      socket,
      peer: place.client,
      options: this.#options,
      handlers: unboundHandlers,
      hooks: {
        decide: (bind) => {
          this.#lobby.hear(place);
          void this.#decide(connection, bind, socket);
        },
        bound: () => {
          this.#bound.add(connection);
          this.#lobby.admit(place, 'bound');
        },
        closed: () => {
          this.#connections.delete(connection);
          this.#bound.delete(connection);
        },
      },
    });
    place.standing = () => standings[connection.phase] ?? 'busy';
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

/** The standing of a connection in each phase. A bound session is never replaced. */
const standings: { readonly [P in Phase]?: Standing } = { open: 'idle', closed: 'idle', binding: 'waiting' };

/**
 * The handlers of a connection before its bind. The session refuses requests before the bind, so these handlers are
 * never called in practice.
 */
const unboundHandlers: SessionHandlers = {
  onRequest(_pdu, respond) {
    respond(statuses.ESME_RINVBNDSTS);
  },
};
