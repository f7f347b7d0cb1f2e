import type { RequestName } from '../codec/commands.ts';
import type { Encodable, Fault, Pdu, PduOf } from '../codec/pdu.ts';
import type { Waiting, Window } from './window.ts';

/** What a session is made of, what can happen to it and what it can want done (SMPP 3.4 chapter 2). */

export type Role = 'client' | 'server';

/** The session states of 3.4 section 2.2, and those that pass between them. */
export type Phase = 'open' | 'binding' | BoundPhase | 'unbinding' | 'closed';
export type BoundPhase = 'bound_tx' | 'bound_rx' | 'bound_trx';

export type BindName = 'bind_receiver' | 'bind_transmitter' | 'bind_transceiver';

export interface SessionLimits {
  /** Silence after which we ask with enquire_link. Two of them unanswered end the session. */
  readonly enquireLinkMs: number;
  /** How long a request waits for its answer, and a client that has ended its side for ours. */
  readonly responseTimeoutMs: number;
  /** From the connection to the bind, its answer included. */
  readonly bindTimeoutMs: number;
  /** Requests of the peer that wait for our answer; at this many we stop reading, or refuse what comes beyond them. */
  readonly peerWindowMax: number;
  /** At 0 we never stop reading: what is beyond is refused at once. */
  readonly peerBehindMs?: number;
}

/**
 * Why a session is over.
 *
 * - `unbound`, `peer_unbound`: an unbind of ours, of the peer, came to its end; `unbind_timeout`: the peer did not answer.
 * - `bind_timeout`, `bind_refused`: it never was a session.
 * - `silent`: two enquire_link had no answer; `framing`: the bytes were not SMPP.
 * - `disconnected`, `socket_error`: the peer or the network ended the connection.
 * - `output_limit`, `output_stalled`: the peer does not read; `handler_stalled`: we do not answer.
 * - `destroyed`: our own side wanted it at once.
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
  /** `isAsked`: the owner answers for requests whose body cannot be read. */
  | { readonly kind: 'fault'; readonly fault: Fault; readonly now: number; readonly isAsked?: boolean }
  | { readonly kind: 'tick'; readonly now: number }
  /** A client sends its bind. */
  | { readonly kind: 'bind'; readonly bind: Bind; readonly now: number }
  /** A server lets the peer in or not; `system_id` and the newest `version` are our own. */
  | {
      readonly kind: 'admit';
      readonly bind: PduOf<BindName>;
      readonly system_id: string;
      readonly version: Version;
      readonly now: number;
    }
  | { readonly kind: 'refuse'; readonly bind: PduOf<BindName>; readonly command_status: number }
  /** A request of the peer has its answer. */
  | { readonly kind: 'responded'; readonly now: number }
  /** What the peer sent has stood unread for too long: from now on all of it is read, and the surplus refused. */
  | { readonly kind: 'behind' }
  /** All that the peer sent has been read. */
  | { readonly kind: 'caught_up' }
  | { readonly kind: 'unbind'; readonly now: number }
  /** The peer will send nothing more, and may still read. */
  | { readonly kind: 'peer_ended'; readonly now: number }
  | { readonly kind: 'end'; readonly reason: CloseReason };

export type SessionAction<T> =
  | { readonly kind: 'send'; readonly pdu: Encodable }
  /** For the handler, which answers it some time: counted until `responded`. */
  | { readonly kind: 'request'; readonly pdu: PduOf<RequestName> }
  /** As `request`, but nobody knows what is in it. */
  | { readonly kind: 'unreadable'; readonly request: NumberedRequest; readonly fault: Fault }
  /** alert_notification and outbind, which have no answer. */
  | { readonly kind: 'notify'; readonly pdu: PduOf<'alert_notification' | 'outbind'> }
  /** A server decides about this bind with `admit` or `refuse`. */
  | { readonly kind: 'decide'; readonly bind: PduOf<BindName> }
  | { readonly kind: 'bound'; readonly phase: BoundPhase; readonly pdu: Pdu }
  /** Our bind was refused, by its answer or by a generic_nack; the close follows. */
  | { readonly kind: 'refused'; readonly pdu: Pdu }
  | { readonly kind: 'answer'; readonly waiting: Waiting<T>; readonly pdu: Pdu }
  | { readonly kind: 'timeout'; readonly waiting: Waiting<T> }
  /** An answer to nothing in flight: to an expired request, or to one never made. */
  | { readonly kind: 'stray'; readonly pdu: Pdu; readonly late: boolean }
  /** Requests of ours that will have no answer, while the session goes on. */
  | { readonly kind: 'abandon'; readonly abandoned: readonly Waiting<T>[] }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  /** `flush`: what was sent before still has to go out. */
  | {
      readonly kind: 'close';
      readonly reason: CloseReason;
      readonly flush: boolean;
      readonly abandoned: readonly Waiting<T>[];
    };

/** What the answer to a request needs of it. */
export interface NumberedRequest {
  readonly command: RequestName;
  readonly sequence_number: number;
}

/** The versions of SMPP, as interface_version and sc_interface_version say them. */
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
  /** What both ends know. Until the bind: 3.4. */
  version: Version;
  /** When a phase that has to pass has taken too long: until the bind, while unbinding. */
  phaseDeadline: number;
  /** When the last PDU came. */
  heardAt: number;
  enquiresUnanswered: number;
  enquiredAt: number;
  /** Sequence number of our last enquire_link: some peers nack it, which is an answer too. */
  enquireNumber: number;
  peerUnanswered: number;
  /** The peer has as many requests with us as it may have. */
  paused: boolean;
  /** Requests beyond them are read and refused, and not left unread. */
  refusing: boolean;
  peerRefused: number;
  /** It will send nothing more. */
  peerEnded: boolean;
  unbinding: Unbinding | undefined;
}

/**
 * `by: 'us'`: sequence number 0 until the unbind was sent. `by: 'peer'`: the number that our answer will carry. `by: 'nobody'`:
 * the peer has ended its side without one.
 */
interface Unbinding {
  readonly by: 'us' | 'peer' | 'nobody';
  readonly sequence_number: number;
  readonly answered: boolean;
}

/** The session of a connection that has just been made. */
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

/** What an interface_version means: some say 0x00 and 0x04 for 3.4 (smpp-in-the-wild, 9); all below is 3.3 or older. */
export function versionOf(interface_version: number): Version {
  if (interface_version >= 0x50) return 0x50;
  return interface_version >= 0x34 || interface_version === 0x00 || interface_version === 0x04 ? 0x34 : 0x33;
}

const leaving: readonly Phase[] = ['unbinding', 'closed'];

/** Every way from one phase to another; the peer may unbind at any time, and both sides at once. */
const moves: Record<Phase, readonly Phase[]> = {
  open: ['binding', ...leaving],
  binding: ['bound_tx', 'bound_rx', 'bound_trx', ...leaving],
  bound_tx: leaving,
  bound_rx: leaving,
  bound_trx: leaving,
  unbinding: leaving,
  closed: [],
};

/** Throws for a way that is not in the table: a bug of ours, never of the peer. */
export function move(state: { phase: Phase }, to: Phase): void {
  if (!moves[state.phase].includes(to)) throw new Error(`no way from ${state.phase} to ${to}`);
  state.phase = to;
}
