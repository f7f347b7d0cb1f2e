import { statusName } from '@morsel/smpp';
import type { CloseReason, ConnectError, ConnectFailure, TlsNeed } from '@morsel/smpp';

/* The sentences of `carrier show` for a link that is not bound: what happened, and what to do. "It" is the carrier. */

/** Why a link could not be bound. `isEncrypted` says whether it uses TLS. */
export function wordsOf(error: ConnectError, isEncrypted: boolean): string {
  if (error.failure === 'tls') return tlsWords(error);
  if (error.command_status !== undefined) return refusalWords(error.command_status);
  if (error.failure === 'closed' && error.closeReason !== 'framing') return hungUp(isEncrypted);
  if (error.failure === 'not_connected') return unreachableWords(codeOf(error.cause), isEncrypted);
  if (error.failure === 'connect_timeout' && isEncrypted) {
    return `TLS was not set up in time: ${address}, and whether it speaks TLS there`;
  }
  return failures[error.failure];
}

const address = 'check --host and --port';

const failures: { readonly [F in ConnectFailure]: string } = {
  not_connected: `there is no connection: ${address}`,
  connect_timeout: `the connection was not made in time: ${address}, and whether a firewall blocks it`,
  tls: 'TLS failed',
  bind_refused: 'it refuses the bind',
  bind_timeout: `it accepts the connection but does not answer the bind: ${address}, and whether it wants TLS (--tls on)`,
  closed: `the server at this address does not speak SMPP: ${address}, and whether it wants TLS (--tls on)`,
  aborted: 'the attempt was canceled',
};

/** What to set for each cause of a failed TLS handshake. */
const tlsAdvice: { readonly [N in TlsNeed]: string } = {
  ca: "set the carrier's with --tls-ca-file",
  cert: 'set it with --tls-certificate-file and --tls-key-file',
  servername: "set the carrier's name with --tls-server-name",
};

function tlsWords({ message, tlsNeed }: ConnectError): string {
  return tlsNeed === undefined ? message : `${message}: ${tlsAdvice[tlsNeed]}`;
}

const login =
  'it refuses our system_id or password: check both; the link tries only once a minute, carrier rebind tries now';

/** By the name of the command_status (SMPP 3.4, section 5.1.3). */
const refusals: { readonly [name: string]: string } = {
  ESME_RINVPASWD: login,
  ESME_RINVSYSID: login,
  ESME_RALYBND: 'it says that we are bound already: it allows fewer --links, or has not noticed that one broke',
  ESME_RBINDFAIL: 'it refuses the bind: ask the carrier whether it knows our address, and how many --links it allows',
  ESME_RINVSYSTYP: 'it wants another system_type: set it with --system-type',
  ESME_RINVBNDSTS: 'it does not accept this kind of bind: see --bind',
  ESME_RINVCMDID: 'it does not know this kind of bind: see --bind and --version',
  ESME_RSYSERR: 'it has an internal error: ask the carrier if it lasts',
  ESME_RTHROTTLED: 'it accepts no more binds for the moment: links try again by themselves',
};

function refusalWords(commandStatus: number): string {
  const name = statusName(commandStatus);
  return `${refusals[name] ?? 'it refuses the bind: ask the carrier what this status means'} (${name})`;
}

function hungUp(isEncrypted: boolean): string {
  const reasons = isEncrypted
    ? 'it may not accept our certificate (--tls-certificate-file, --tls-key-file), or not know our address'
    : 'it may want TLS (--tls on), or not know our address';
  return `it closes the connection and does not answer the bind: ${reasons}`;
}

const unreachable: { readonly [code: string]: string } = {
  ECONNREFUSED: 'nothing listens at its address',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'the host does not answer',
};

function unreachableWords(code: string, isEncrypted: boolean): string {
  if (code === 'ECONNRESET' && isEncrypted) {
    return `it closes the connection when TLS begins: ${address}, and whether it speaks TLS there (${code})`;
  }
  return `${unreachable[code] ?? 'there is no connection'}: ${address}${code === '' ? '' : ` (${code})`}`;
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

const ends: { readonly [R in CloseReason]: string } = {
  unbound: 'we unbound',
  peer_unbound: 'it ended the link with an unbind',
  unbind_timeout: 'it did not answer our unbind',
  bind_timeout: failures.bind_timeout,
  bind_refused: failures.bind_refused,
  silent: 'it left two enquire_link unanswered, so the link counted as dead',
  framing: `it sent octets that are not SMPP: ${address}`,
  disconnected: 'it closed the connection without an unbind',
  socket_error: 'the connection broke',
  output_limit: 'it does not read what we send',
  output_stalled: 'it does not read what we send',
  handler_stalled: 'its deliveries could not be stored: check the disk',
  destroyed: 'the gateway closed the connection',
};

/** A link that ends within this time was probably unwelcome. */
const soonMs = 2_000;

/** Why a link ended that was bound for `livedMs`. */
export function endWords(reason: CloseReason, livedMs: number): string {
  const isSoon =
    livedMs < soonMs && (reason === 'disconnected' || reason === 'socket_error' || reason === 'peer_unbound');
  return isSoon
    ? `${ends[reason]}, right after the bind: ask the carrier why, it may allow fewer --links`
    : ends[reason];
}
