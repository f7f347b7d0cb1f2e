import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Connection } from './connection.ts';
import type { Session, SessionHandlers, SessionOptions } from '../session/session-contract.ts';
import type { Bind, CloseReason } from '../session/session-state.ts';
import { statusName } from '../codec/statuses.ts';
import {
  type ClientTls,
  type TlsNeed,
  clientTlsOptions,
  codeOf,
  tlsMaterialProblem,
  tlsNeed,
  tlsProblem,
} from './tls.ts';

/*
 * The SMPP client: connects to a carrier, with or without TLS, and binds.
 */

export interface ConnectOptions extends SessionHandlers, SessionOptions {
  readonly host: string;
  readonly port: number;
  /**
   * Connects with TLS. By default, the carrier's certificate must be for `host`, from a certificate authority that the
   * system trusts.
   */
  readonly tls?: ClientTls;
  /** The bind to send. Default of interface_version: 0x34. */
  readonly bind: Bind;
  /**
   * The time limit for connecting, including the TLS handshake. The bind has its own limit, bindTimeoutMs. Default: 10
   * s.
   */
  readonly connectTimeoutMs?: number;
  /** Called before the bind is sent, when the connection is open and any TLS handshake is complete. */
  readonly onConnected?: () => void;
  /** Aborts the attempt to connect and bind. Has no effect on a bound session. */
  readonly signal?: AbortSignal;
}

/** Why the attempt to connect and bind failed. */
export type ConnectFailure =
  /** The TCP connection failed: it was refused, the host is unreachable, or the name of the host is unknown. */
  | 'not_connected'
  /** TLS failed, or the certificate is not trusted. The message of the error contains the cause. */
  | 'tls'
  | 'connect_timeout'
  /** The peer refused the bind; `command_status` contains its answer. */
  | 'bind_refused'
  | 'bind_timeout'
  /** The connection ended before the answer to the bind. `closeReason` contains the cause. */
  | 'closed'
  | 'aborted';

/**
 * A failed attempt to connect or bind. The message contains no field of the bind, because the bind contains a password.
 */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly failure: ConnectFailure;
  readonly command_status: number | undefined;
  readonly closeReason: CloseReason | undefined;
  /** The option of `tls` that must be set or changed, if the cause is known. */
  readonly tlsNeed: TlsNeed | undefined;

  constructor(
    failure: ConnectFailure,
    more: {
      readonly command_status?: number;
      readonly closeReason?: CloseReason | undefined;
      /** The cause, for the message. Default: the name of `command_status`, or `closeReason`. */
      readonly detail?: string | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    const { command_status, closeReason, cause } = more;
    const detail = more.detail ?? (command_status === undefined ? closeReason : statusName(command_status));
    super(detail === undefined ? failure : `${failure}: ${detail}`, { cause });
    this.failure = failure;
    this.command_status = command_status;
    this.closeReason = closeReason;
    this.tlsNeed = failure === 'tls' ? tlsNeed(cause) : undefined;
  }
}

const defaultConnectTimeoutMs = 10_000;
const interfaceVersion = 0x34;

/**
 * Connects and binds. Rejects with ConnectError if the connection or the bind fails. Rejects with EncodeError if the
 * standard does not allow the fields of the bind. After an error, no connection stays open.
 *
 * A carrier may send requests immediately after its answer to the bind. Therefore `onRequest` may be called before the
 * promise resolves, and may answer at once.
 */
export async function connect(options: ConnectOptions): Promise<Session> {
  if (options.signal?.aborted === true) throw new ConnectError('aborted', { cause: options.signal.reason });
  const socket = await openSocket(options);
  options.onConnected?.();
  return bindOn(socket, options);
}

function openSocket(options: ConnectOptions): Promise<Socket> {
  const { tls, signal, connectTimeoutMs = defaultConnectTimeoutMs } = options;
  const socket = startSocket(options);
  return new Promise((resolve, reject) => {
    const fail = (error: ConnectError): void => {
      finish();
      // Ignores further errors of the socket, because the attempt has already failed.
      socket.on('error', () => undefined).destroy();
      reject(error);
    };
    const onConnect = (): void => {
      finish();
      resolve(socket);
    };
    const onError = (cause: Error): void => fail(openingError(cause, options));
    const onClose = (): void => fail(openingError(undefined, options));
    const onAbort = (): void => fail(new ConnectError('aborted', { cause: signal?.reason }));
    const timer = setTimeout(() => fail(new ConnectError('connect_timeout')), connectTimeoutMs);
    // With TLS, the time limit includes the handshake, because a silent peer could otherwise block the attempt forever.
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

function startSocket({ host, port, tls }: ConnectOptions): Socket {
  if (tls === undefined) return connectTcp({ host, port });
  const problem = tlsMaterialProblem(tls);
  if (problem !== undefined) throw new ConnectError('tls', { detail: problem });
  return connectTls({ ...clientTlsOptions(tls, host), host, port });
}

function openingError(cause: Error | undefined, { tls }: ConnectOptions): ConnectError {
  const problem = tls === undefined ? undefined : tlsProblem(cause);
  if (problem !== undefined) return new ConnectError('tls', { detail: problem, cause });
  return new ConnectError('not_connected', { detail: codeOf(cause), cause });
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
      peer: { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 },
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
          const hasTls = options.tls !== undefined;
          if (!isBound) reject(bindError({ reason, error, refusal, isAborted: signal?.aborted === true, hasTls }));
        },
      },
    });
    signal?.addEventListener('abort', onAbort);
    try {
      connection.bind({ interface_version: interfaceVersion, ...options.bind });
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
  readonly hasTls: boolean;
}): ConnectError {
  const { reason, error: cause, refusal } = end;
  if (refusal !== undefined) return new ConnectError('bind_refused', { command_status: refusal });
  if (reason === 'bind_timeout') return new ConnectError('bind_timeout');
  if (end.isAborted) return new ConnectError('aborted');
  // In TLS 1.3 the server may reject our certificate after our side of the handshake is complete (RFC 8446 section
  // 4.4.2.4).
  const problem = end.hasTls ? tlsProblem(cause) : undefined;
  if (problem !== undefined) return new ConnectError('tls', { detail: problem, cause });
  return new ConnectError('closed', { closeReason: reason, cause });
}
