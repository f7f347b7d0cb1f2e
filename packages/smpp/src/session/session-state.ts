import type { RequestName } from '../codec/commands.ts';
import type { Encodable, Fault, Pdu, PduOf } from '../codec/pdu.ts';
import type { Waiting, Window } from './window.ts';

/*
 * The state of a session, the events that change it, and the actions that it asks for (3.4 chapter 2).
 */

export type Role = 'client' | 'server';

/** The session states of 3.4 section 2.2, and the passing states between them. */
export type Phase = 'open' | 'binding' | BoundPhase | 'unbinding' | 'closed';
export type BoundPhase = 'bound_tx' | 'bound_rx' | 'bound_trx';

export type BindName = 'bind_receiver' | 'bind_transmitter' | 'bind_transceiver';

export interface SessionLimits {
  /** After this time without a PDU we send enquire_link. Two of them without an answer end the session. */
  readonly enquireLinkMs: number;
  /** How long a request waits for its answer. A client that has ended its side waits as long for ours. */
  readonly responseTimeoutMs: number;
  /** Time from the connection to the end of the bind, its answer included. */
  readonly bindTimeoutMs: number;
  /** How many requests of the peer may wait for our answer. At this number we stop reading, or refuse further ones. */
  readonly peerWindowMax: number;
  /** With 0 we never stop reading, but refuse further requests at once. */
  readonly peerBehindMs?: number;
}

/**
 * Why a session is over.
 *
 * - `unbound`, `peer_unbound`: we, or the peer, unbound. `unbind_timeout`: the peer did not answer our unbind.
 * - `bind_timeout`, `bind_refused`: the session was never bound.
 * - `silent`: the peer did not answer two enquire_link. `framing`: the bytes were not SMPP.
 * - `disconnected`, `socket_error`: the peer or the network ended the connection.
 * - `output_limit`, `output_stalled`: the peer does not read. `handler_stalled`: our handler does not answer.
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
  /** `isAsked`: the owner of the session answers requests with an unreadable body. */
  | { readonly kind: 'fault'; readonly fault: Fault; readonly now: number; readonly isAsked?: boolean }
  | { readonly kind: 'tick'; readonly now: number }
  /** A client sends its bind. */
  | { readonly kind: 'bind'; readonly bind: Bind; readonly now: number }
  /** A server accepts a bind. `system_id` and `version`, the newest that we speak, are ours. */
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
  /** We have not read the peer for too long. From now on we read everything and refuse the surplus. */
  | { readonly kind: 'behind' }
  /** Everything that the peer sent has been read. */
  | { readonly kind: 'caught_up' }
  | { readonly kind: 'unbind'; readonly now: number }
  /** The peer has ended its side of the connection, but may still read. */
  | { readonly kind: 'peer_ended'; readonly now: number }
  | { readonly kind: 'end'; readonly reason: CloseReason };

export type SessionAction<T> =
  | { readonly kind: 'send'; readonly pdu: Encodable }
  /** A request for the handler. It counts as unanswered until `responded`. */
  | { readonly kind: 'request'; readonly pdu: PduOf<RequestName> }
  /** A request whose body cannot be read. */
  | { readonly kind: 'unreadable'; readonly request: NumberedRequest; readonly fault: Fault }
  /** An alert_notification or outbind, which have no response. */
  | { readonly kind: 'notify'; readonly pdu: PduOf<'alert_notification' | 'outbind'> }
  /** The server must decide about this bind, with `admit` or `refuse`. */
  | { readonly kind: 'decide'; readonly bind: PduOf<BindName> }
  | { readonly kind: 'bound'; readonly phase: BoundPhase; readonly pdu: Pdu }
  /** The peer refused our bind by its response or by a generic_nack. `close` follows. */
  | { readonly kind: 'refused'; readonly pdu: Pdu }
  | { readonly kind: 'answer'; readonly waiting: Waiting<T>; readonly pdu: Pdu }
  | { readonly kind: 'timeout'; readonly waiting: Waiting<T> }
  /** An answer that matches no request in flight: the request expired, or was never sent. */
  | { readonly kind: 'stray'; readonly pdu: Pdu; readonly late: boolean }
  /** Requests of ours that will get no answer, while the session continues. */
  | { readonly kind: 'abandon'; readonly abandoned: readonly Waiting<T>[] }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  /** `flush`: write all PDUs of earlier actions before closing. */
  | {
      readonly kind: 'close';
      readonly reason: CloseReason;
      readonly flush: boolean;
      readonly abandoned: readonly Waiting<T>[];
    };

/** The members of a request that its response needs. */
export interface NumberedRequest {
  readonly command: RequestName;
  readonly sequence_number: number;
}

/** The versions of SMPP, as in interface_version and sc_interface_version. */
export type Version = 0x33 | 0x34 | 0x50;

/** A bind without its sequence number. */
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
  /** The version that both ends know. 3.4 until the bind. */
  version: Version;
  /** When a passing phase has taken too long: until the session is bound, and while it unbinds. */
  phaseDeadline: number;
  /** When the last PDU of the peer came. */
  heardAt: number;
  enquiresUnanswered: number;
  enquiredAt: number;
  /** Sequence number of our last enquire_link. Some peers answer it with a generic_nack, which counts. */
  enquireNumber: number;
  peerUnanswered: number;
  /** The peer has reached peerWindowMax. */
  paused: boolean;
  /** Requests beyond peerWindowMax are read and refused, instead of left unread. */
  refusing: boolean;
  peerRefused: number;
  /** The peer has ended its side of the connection. */
  peerEnded: boolean;
  unbinding: Unbinding | undefined;
}

/**
 * `by: 'us'`: the sequence number is 0 until our unbind is sent. `by: 'peer'`: it is that of the peer's unbind, which our
 * answer repeats. `by: 'nobody'`: the peer has ended its side without an unbind.
 */
interface Unbinding {
  readonly by: 'us' | 'peer' | 'nobody';
  readonly sequence_number: number;
  readonly answered: boolean;
}

/** The state of the session on a new connection. */
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

const deadEnds: ReadonlySet<CloseReason> = new Set([
  'silent',
  'socket_error',
  'unbind_timeout',
  'output_stalled',
  'output_limit',
]);

/** Whether the connection died: what was written to it last may have reached nobody. */
export function isDead(reason: CloseReason): boolean {
  return deadEnds.has(reason);
}

export function isBound(phase: Phase): phase is BoundPhase {
  return phase === 'bound_tx' || phase === 'bound_rx' || phase === 'bound_trx';
}

/**
 * The version for an interface_version. Some peers send 0x00 or 0x04 for 3.4; other values below 0x34 are 3.3 or
 * older.
 */
export function versionOf(interface_version: number): Version {
  if (interface_version >= 0x50) return 0x50;
  return interface_version >= 0x34 || interface_version === 0x00 || interface_version === 0x04 ? 0x34 : 0x33;
}

const leaving: readonly Phase[] = ['unbinding', 'closed'];

/** The legal moves between phases. The peer may unbind at any time, and both sides may unbind at once. */
const moves: Record<Phase, readonly Phase[]> = {
  open: ['binding', ...leaving],
  binding: ['bound_tx', 'bound_rx', 'bound_trx', ...leaving],
  bound_tx: leaving,
  bound_rx: leaving,
  bound_trx: leaving,
  unbinding: leaving,
  closed: [],
};

/** Throws for a move that is not in the table: a bug of ours, never of the peer. */
export function move(state: { phase: Phase }, to: Phase): void {
  if (!moves[state.phase].includes(to)) throw new Error(`a session cannot move from ${state.phase} to ${to}`);
  state.phase = to;
}
