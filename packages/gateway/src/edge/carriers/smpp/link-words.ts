import { faultCode } from '../../../core/base/fault-code.ts';
import { statusName, type CloseReason, type ConnectError, type ConnectFailure, type TlsNeed } from '@morsel/smpp';

/* The sentences that `carrier show` prints for a link that is not bound: what happened, and what to do. */

/** `isEncrypted` is true if the link uses TLS. */
export function wordsOf(error: ConnectError, isEncrypted: boolean): string {
  if (error.failure === 'tls') return tlsWords(error);
  if (error.command_status !== undefined) return refusalWords(error.command_status);
  if (error.failure === 'closed' && error.closeReason !== 'framing') return hungUp(isEncrypted);
  if (error.failure === 'not_connected') return unreachableWords(faultCode(error.cause, ''), isEncrypted);
  if (error.failure === 'connect_timeout' && isEncrypted) {
    return `TLS was not set up in time: ${address}, and whether the carrier accepts TLS on this port`;
  }
  return failures[error.failure];
}

const address = 'check host and port';

const failures: { readonly [F in ConnectFailure]: string } = {
  not_connected: `there is no connection: ${address}`,
  connect_timeout: `the connection was not made in time: ${address}, and whether a firewall blocks the connection`,
  tls: 'TLS failed',
  bind_refused: 'the carrier refuses the bind',
  bind_timeout: `the carrier accepts the connection but does not answer the bind: ${address}, and whether the carrier wants TLS`,
  closed: `the server at this address does not speak SMPP: ${address}, and whether the carrier wants TLS`,
  aborted: 'the attempt was canceled',
};

/** The option that the operator should set, for each cause of a failed TLS handshake. */
const tlsAdvice: { readonly [N in TlsNeed]: string } = {
  ca: "set the carrier's authority in the setting TLS CA file",
  cert: 'set our certificate in the settings TLS certificate file and TLS key file',
  servername: "set the carrier's name in the setting TLS server name",
};

function tlsWords({ message, tlsNeed }: ConnectError): string {
  return tlsNeed === undefined ? message : `${message}: ${tlsAdvice[tlsNeed]}`;
}

const login =
  'the carrier refuses our system_id or password: check both; the link tries once a minute, carrier rebind tries now';

/** The sentences for refused binds, by the name of the command_status (SMPP 3.4, section 5.1.3). */
const refusals: { readonly [name: string]: string } = {
  ESME_RINVPASWD: login,
  ESME_RINVSYSID: login,
  ESME_RALYBND:
    'the carrier says that we are bound already: it allows fewer links, or has not noticed that a link broke',
  ESME_RBINDFAIL: 'the carrier refuses the bind: ask whether it allows our IP address, and how many links it allows',
  ESME_RINVSYSTYP: 'the carrier wants another system_type: set it in the setting system type',
  ESME_RINVBNDSTS: 'the carrier does not accept this kind of bind: see the setting bind',
  ESME_RINVCMDID: 'the carrier does not know this kind of bind: see the settings bind and version',
  ESME_RSYSERR: 'the carrier has an internal error: ask the carrier if this error does not end',
  ESME_RTHROTTLED: 'the carrier accepts no more binds for the moment: the link tries again by itself',
};

function refusalWords(commandStatus: number): string {
  const name = statusName(commandStatus);
  return `${refusals[name] ?? 'the carrier refuses the bind: ask the carrier what this status means'} (${name})`;
}

function hungUp(isEncrypted: boolean): string {
  const reasons = isEncrypted
    ? 'it may not accept our certificate (settings TLS certificate file and TLS key file) or our IP address'
    : 'it may want TLS, or not allow our IP address';
  return `the carrier closes the connection and does not answer the bind: ${reasons}`;
}

const unreachable: { readonly [code: string]: string } = {
  ECONNREFUSED: "nothing listens at the carrier's address",
  ENOTFOUND: 'there is no host with this name',
  EAI_AGAIN: 'the host name cannot be looked up in the DNS',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'the host does not answer',
};

function unreachableWords(code: string, isEncrypted: boolean): string {
  if (code === 'ECONNRESET' && isEncrypted) {
    return `the carrier closes the connection when TLS begins: ${address}, and whether the carrier accepts TLS on this port (${code})`;
  }
  return `${unreachable[code] ?? 'there is no connection'}: ${address}${code === '' ? '' : ` (${code})`}`;
}

const ends: { readonly [R in CloseReason]: string } = {
  unbound: 'we unbound',
  peer_unbound: 'the carrier ended the link with an unbind',
  unbind_timeout: 'the carrier did not answer our unbind',
  bind_timeout: failures.bind_timeout,
  bind_refused: failures.bind_refused,
  silent: 'the carrier did not answer two enquire_link, so the gateway closed the link',
  framing: `the carrier sent octets that are not SMPP: ${address}`,
  disconnected: 'the carrier closed the connection without an unbind',
  socket_error: 'the connection broke',
  output_limit: 'the carrier does not read what we send',
  output_stalled: 'the carrier does not read what we send',
  handler_stalled: 'receipts and inbound messages of the carrier could not be stored: check the disk',
  destroyed: 'the gateway closed the connection',
};

/** If a link ends within this time after the bind, the carrier probably ended it on purpose. */
const soonMs = 2_000;

/** The reason why a link ended, after it was bound for `livedMs` milliseconds. */
export function endWords(reason: CloseReason, livedMs: number): string {
  const isSoon =
    livedMs < soonMs && (reason === 'disconnected' || reason === 'socket_error' || reason === 'peer_unbound');
  return isSoon ? `${ends[reason]}, right after the bind: ask the carrier why; it may allow fewer links` : ends[reason];
}
