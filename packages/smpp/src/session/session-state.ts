import type { RequestName } from '../codec/commands.ts';
import type { Encodable, Fault, Pdu, PduOf } from '../codec/pdu.ts';
import type { Waiting, Window } from './window.ts';

/*
 * The state of a session, the events that change it, and the actions that result from an event (3.4 chapter 2).
 */

export type Role = 'client' | 'server';

/** The session states of 3.4 section 2.2, and two temporary states: `binding` and `unbinding`. */
export type Phase = 'open' | 'binding' | BoundPhase | 'unbinding' | 'closed';
export type BoundPhase = 'bound_tx' | 'bound_rx' | 'bound_trx';

export type BindName = 'bind_receiver' | 'bind_transmitter' | 'bind_transceiver';

export interface SessionLimits {
  /**
   * When the peer sends no PDU for this time, we send enquire_link. After two enquire_link without an answer, the
   * session ends.
   */
  readonly enquireLinkMs: number;
  /**
   * How long a request waits for its answer. A client that has closed its side of the connection gets our answers for
   * responseTimeoutMs.
   */
  readonly responseTimeoutMs: number;
  /** The longest time from the start of the connection to the answer to the bind. */
  readonly bindTimeoutMs: number;
  /**
   * How many requests of the peer may wait for our answer. If the peer has peerWindowMax unanswered requests, we stop
   * reading, or refuse further requests.
   */
  readonly peerWindowMax: number;
  /**
   * The longest pause in reading from the peer. With peerBehindMs 0 we never stop reading, but refuse requests beyond
   * peerWindowMax at once.
   */
  readonly peerBehindMs?: number;
}

/**
 * Why a session is over.
 *
 * - `unbound`: we unbound the session. `peer_unbound`: the peer unbound the session. `unbind_timeout`: the peer did not
 *   answer our unbind.
 * - `bind_timeout`: the bind was not complete in time. `bind_refused`: the bind was refused.
 * - `silent`: the peer answered neither of two enquire_link. `framing`: the peer sent bytes that are not SMPP.
 * - `disconnected`, `socket_error`: the peer or the network ended the connection.
 * - `output_limit`, `output_stalled`: the peer does not read our output. `handler_stalled`: our handler does not answer
 *   requests of the peer.
 * - `destroyed`: the owner ended the session at once.
 */
export type CloseReason =
  | 'unbound'
  | 'peer_unbound'
  | 'unbind_timeout'
  | 'bind_timeout'
  | 'bind_refused'
  | 'silent'
  | 'framing'
  | 'disconnected'
  | 'socket_error'
  | 'output_limit'
  | 'output_stalled'
  | 'handler_stalled'
  | 'destroyed';

export type SessionEvent =
  | { readonly kind: 'pdu'; readonly pdu: Pdu; readonly now: number }
  /** If `isAsked` is true, the owner of the session answers requests whose body cannot be read. */
  | { readonly kind: 'fault'; readonly fault: Fault; readonly now: number; readonly isAsked?: boolean }
  /** `unreadSince`: the time of the oldest answer that the peer may not have read, if the owner wants to know that. */
  | { readonly kind: 'tick'; readonly now: number; readonly unreadSince?: number | undefined }
  /** A client sends its bind. */
  | { readonly kind: 'bind'; readonly bind: Bind; readonly now: number }
  /**
   * A server accepts a bind. `system_id` is the server's; `version` is the newest SMPP version that the server
   * supports.
   */
  | {
      readonly kind: 'admit';
      readonly bind: PduOf<BindName>;
      readonly system_id: string;
      readonly version: Version;
      readonly now: number;
    }
  | { readonly kind: 'refuse'; readonly bind: PduOf<BindName>; readonly command_status: number }
  /** We have answered a request of the peer. */
  | { readonly kind: 'responded'; readonly now: number }
  /**
   * Reading from the peer was paused for too long. From now on we read everything, and refuse requests beyond
   * peerWindowMax.
   */
  | { readonly kind: 'behind' }
  /** Everything that the peer sent has been read. */
  | { readonly kind: 'caught_up' }
  | { readonly kind: 'unbind'; readonly now: number }
  /** The peer has closed its side of the connection, but may still read our output. */
  | { readonly kind: 'peer_ended'; readonly now: number }
  | { readonly kind: 'end'; readonly reason: CloseReason };

export type SessionAction<T> =
  | { readonly kind: 'send'; readonly pdu: Encodable }
  /** Pass this request to the handler. The request counts as unanswered until the event `responded`. */
  | { readonly kind: 'request'; readonly pdu: PduOf<RequestName> }
  /** Pass this request to the handler, although the body of the request cannot be read. */
  | { readonly kind: 'unreadable'; readonly request: NumberedRequest; readonly fault: Fault }
  /**
   * Pass an alert_notification or outbind to the handler. The commands alert_notification and outbind have no response.
   */
  | { readonly kind: 'notify'; readonly pdu: PduOf<'alert_notification' | 'outbind'> }
  /** The server must accept this bind with `admit` or refuse it with `refuse`. */
  | { readonly kind: 'decide'; readonly bind: PduOf<BindName> }
  | { readonly kind: 'bound'; readonly phase: BoundPhase; readonly pdu: Pdu }
  /** The peer refused our bind with its response or with a generic_nack. The action `close` follows. */
  | { readonly kind: 'refused'; readonly pdu: Pdu }
  | { readonly kind: 'answer'; readonly waiting: Waiting<T>; readonly pdu: Pdu }
  | { readonly kind: 'timeout'; readonly waiting: Waiting<T> }
  /** An answer that matches no request in flight, because the request timed out or was never sent. */
  | { readonly kind: 'stray'; readonly pdu: Pdu; readonly late: boolean }
  /** Requests that we sent and that will get no answer, although the session continues. */
  | { readonly kind: 'abandon'; readonly abandoned: readonly Waiting<T>[] }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  /** `flush`: if true, all PDUs of earlier actions are written before the connection is closed. */
  | {
      readonly kind: 'close';
      readonly reason: CloseReason;
      readonly flush: boolean;
      readonly abandoned: readonly Waiting<T>[];
    };

/** The parts of a request that are needed to build its response. */
export interface NumberedRequest {
  readonly command: RequestName;
  readonly sequence_number: number;
}

/** The versions of SMPP, as in interface_version and sc_interface_version. */
export type Version = 0x33 | 0x34 | 0x50;

/** A bind to send. The session adds the sequence number. */
export interface Bind {
  readonly command: BindName;
  readonly system_id: string;
  readonly password: string;
  readonly system_type?: string;
  readonly interface_version?: number;
  readonly addr_ton?: number;
  readonly addr_npi?: number;
  readonly address_range?: string;
}

export interface SessionState<T> {
  readonly role: Role;
  limits: SessionLimits;
  readonly window: Window<T>;
  phase: Phase;
  boundAs: BindName | undefined;
  /** The SMPP version that both peers support; 3.4 until the session is bound. */
  version: Version;
  /** The time at which the session ends if it is still binding or unbinding. */
  phaseDeadline: number;
  /** The time of the last PDU from the peer. */
  heardAt: number;
  enquiresUnanswered: number;
  enquiredAt: number;
  /**
   * The sequence number of our last enquire_link. Some peers answer enquire_link with a generic_nack, which we accept
   * as an answer.
   */
  enquireNumber: number;
  peerUnanswered: number;
  /** True after the peer reached peerWindowMax, until half of its requests are answered. */
  paused: boolean;
  /**
   * If true, we read and refuse requests beyond peerWindowMax. If false, we stop reading when the peer reaches
   * peerWindowMax.
   */
  refusing: boolean;
  peerRefused: number;
  /** True if the peer has closed its side of the connection. */
  peerEnded: boolean;
  unbinding: Unbinding | undefined;
}

/**
 * The unbind in progress. `by: 'us'`: we unbind; `sequence_number` is 0 until our unbind is sent. `by: 'peer'`: the
 * peer unbinds; `sequence_number` is the number of its unbind. `by: 'nobody'`: the peer closed its side of the
 * connection without an unbind.
 */
interface Unbinding {
  readonly by: 'us' | 'peer' | 'nobody';
  readonly sequence_number: number;
  readonly answered: boolean;
  /** How long we wait for the answers that the peer owes us. */
  readonly waitsUntil: number;
}

/** The initial state of a session, on a new connection. */
export function openSession<T>(
  role: Role,
  options: { readonly limits: SessionLimits; readonly window: Window<T>; readonly now: number },
): SessionState<T> {
  const { limits, window, now } = options;
  return {
    role,
    limits,
    window,
    phase: 'open',
    boundAs: undefined,
    version: 0x34,
    phaseDeadline: now + limits.bindTimeoutMs,
    heardAt: now,
    enquiresUnanswered: 0,
    enquiredAt: now,
    enquireNumber: 0,
    peerUnanswered: 0,
    paused: false,
    refusing: false,
    peerRefused: 0,
    peerEnded: false,
    unbinding: undefined,
  };
}

/**
 * Whether one side unbound and the other side agreed. After any other end, the peer may not have read our last PDUs. A peer
 * that closes the connection without an unbind may do so before it reads them.
 */
export function isOrderly(reason: CloseReason): boolean {
  return reason === 'unbound' || reason === 'peer_unbound';
}

export function isBound(phase: Phase): phase is BoundPhase {
  return phase === 'bound_tx' || phase === 'bound_rx' || phase === 'bound_trx';
}

/**
 * Returns the SMPP version for an interface_version. Some peers send 0x00 or 0x04 and mean 3.4; other values below 0x34
 * mean 3.3 or older.
 */
export function versionOf(interface_version: number): Version {
  if (interface_version >= 0x50) return 0x50;
  return interface_version >= 0x34 || interface_version === 0x00 || interface_version === 0x04 ? 0x34 : 0x33;
}

const leaving: readonly Phase[] = ['unbinding', 'closed'];

/**
 * For each phase of a session, the phases that may follow it. The peer may unbind at any time, also while we unbind.
 */
const moves: Record<Phase, readonly Phase[]> = {
  open: ['binding', ...leaving],
  binding: ['bound_tx', 'bound_rx', 'bound_trx', ...leaving],
  bound_tx: leaving,
  bound_rx: leaving,
  bound_trx: leaving,
  unbinding: leaving,
  closed: [],
};

/** Changes the phase. Throws if `moves` does not allow the change, which can only be a bug in this package. */
export function move(state: { phase: Phase }, to: Phase): void {
  if (!moves[state.phase].includes(to)) throw new Error(`a session cannot move from ${state.phase} to ${to}`);
  state.phase = to;
}
