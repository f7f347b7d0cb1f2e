import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import { Connection } from './connection.ts';
import type { Session, SessionHandlers, SessionOptions } from './session-contract.ts';
import type { Bind, CloseReason } from './session-state.ts';
import { statusName } from './statuses.ts';

export type ConnectOptions = SessionHandlers &
  SessionOptions & {
    readonly host: string;
    readonly port: number;
    /** TLS, checked against the system's authorities and the host's name unless these options say otherwise. */
    readonly tls?: ConnectionOptions | true;
    /** interface_version is 0x34 unless given. */
    readonly bind: Bind;
    /** For the connection, TLS included; the bind has its own. Default 10 s. */
    readonly connectTimeoutMs?: number;
    /** Gives up the attempt. A session that is bound has its own ways to end. */
    readonly signal?: AbortSignal;
  };

/** Why there is no session. */
export type ConnectFailure =
  /** No connection: refused, not reachable, no such name, no TLS. */
  | 'not_connected'
  | 'connect_timeout'
  /** The peer answered the bind with `command_status`. */
  | 'bind_refused'
  | 'bind_timeout'
  /** The connection ended before the answer to the bind, for `closeReason`. */
  | 'closed'
  | 'aborted';

/** There is no session, and why. Says nothing of what the bind held. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly failure: ConnectFailure;
  readonly command_status: number | undefined;
  readonly closeReason: CloseReason | undefined;

  constructor(
    failure: ConnectFailure,
    more: {
      readonly command_status?: number;
      readonly closeReason?: CloseReason | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    const { command_status, closeReason, cause } = more;
    const detail = command_status === undefined ? closeReason : statusName(command_status);
    super(detail === undefined ? failure : `${failure}: ${detail}`, { cause });
    this.failure = failure;
    this.command_status = command_status;
    this.closeReason = closeReason;
  }
}

const CONNECT_TIMEOUT_MS = 10_000;
const INTERFACE_VERSION = 0x34;

/**
 * Connects and binds. Rejects with ConnectError, or with EncodeError for a bind that cannot be written, and then nothing
 * is left open.
 *
 * A carrier may send as soon as it has answered the bind, so `onRequest` can be called before the promise is resolved;
 * its requests can be answered at once.
 */
export async function connect(options: ConnectOptions): Promise<Session> {
  if (options.signal?.aborted === true) throw new ConnectError('aborted', { cause: options.signal.reason });
  const socket = await openSocket(options);
  return bindOn(socket, options);
}

function openSocket(options: ConnectOptions): Promise<Socket> {
  const { host, port, tls, signal, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const socket = tls === undefined ? connectTcp({ host, port }) : connectTls(tlsOptions(options));
  return new Promise((resolve, reject) => {
    const fail = (error: ConnectError): void => {
      finish();
      // What the socket still has to say about its end concerns nobody.
      socket.on('error', () => undefined).destroy();
      reject(error);
    };
    const onConnect = (): void => {
      finish();
      resolve(socket);
    };
    const onError = (cause: Error): void => fail(new ConnectError('not_connected', { cause }));
    const onClose = (): void => fail(new ConnectError('not_connected'));
    const onAbort = (): void => fail(new ConnectError('aborted', { cause: signal?.reason }));
    const timer = setTimeout(() => fail(new ConnectError('connect_timeout')), connectTimeoutMs);
    const event = tls === undefined ? 'connect' : 'secureConnect';
    function finish(): void {
      clearTimeout(timer);
      socket.off(event, onConnect).off('error', onError).off('close', onClose);
      signal?.removeEventListener('abort', onAbort);
    }
    socket.on(event, onConnect).on('error', onError).on('close', onClose);
    signal?.addEventListener('abort', onAbort);
  });
}

function tlsOptions({ host, port, tls }: ConnectOptions): ConnectionOptions {
  // A server name must not be an address (RFC 6066 section 3).
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return { ...servername, ...(tls === true ? {} : tls), host, port };
}

function bindOn(socket: Socket, options: ConnectOptions): Promise<Session> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    let isBound = false;
    let refusal: number | undefined;
    const onAbort = (): void => connection.destroy();
    const finish = (): void => signal?.removeEventListener('abort', onAbort);
    const connection = new Connection('client', {
      socket,
      options,
      handlers: options,
      hooks: {
        bound() {
          isBound = true;
          finish();
          resolve(connection);
        },
        refused(pdu) {
          refusal = pdu.command_status;
        },
        closed(reason, error) {
          finish();
          if (!isBound) reject(bindError({ reason, error, refusal, isAborted: signal?.aborted === true }));
        },
      },
    });
    signal?.addEventListener('abort', onAbort);
    try {
      connection.bind({ interface_version: INTERFACE_VERSION, ...options.bind });
    } catch (error) {
      reject(error);
      connection.destroy();
    }
  });
}

function bindError(end: {
  readonly reason: CloseReason;
  readonly error: Error | undefined;
  readonly refusal: number | undefined;
  readonly isAborted: boolean;
}): ConnectError {
  const { reason, error: cause, refusal } = end;
  if (refusal !== undefined) return new ConnectError('bind_refused', { command_status: refusal });
  if (reason === 'bind_timeout') return new ConnectError('bind_timeout');
  if (end.isAborted) return new ConnectError('aborted');
  return new ConnectError('closed', { closeReason: reason, cause });
}
