import type { PduHeader } from '../codec/decode.ts';
import type { RequestName, ResponseOf } from '../codec/commands.ts';
import type { UnsuccessSme } from '../codec/fields.ts';
import type { EncodableOf, Fault, Pdu, PduOf, Tlvs } from '../codec/pdu.ts';
import type { BindName, CloseReason, Phase, Version } from './session-state.ts';

/** What a session promises to its owner, from either end. */

/** The outcome of a request. Every request has exactly one. */
export type Answer<C extends AskName = AskName> =
  /** The response, or the generic_nack that took its place. */
  | { readonly kind: 'answered'; readonly pdu: PduOf<ResponseOf<C> | 'generic_nack'> }
  /** No answer in time. It may still come, and is given to `onStray` under this number. */
  | { readonly kind: 'timeout'; readonly sequence_number: number }
  /** The session ended first. Unless `written`, the request never left us; if it was, it is in doubt. */
  | { readonly kind: 'closed'; readonly written: boolean };

/** Requests that a session's owner sends; the session sends the others itself. */
export type AskName = Exclude<RequestName, BindName | 'unbind'>;

/** A request as its sender writes it: the session gives it its sequence number. */
export type Ask = Unnumbered<EncodableOf<AskName>>;

export type Unnumbered<P> = P extends unknown ? Omit<P, 'sequence_number' | 'command_status'> : never;

/** The fields of a response; which of them belong to it depends on the request. */
export interface ResponseFields {
  readonly message_id?: string;
  readonly final_date?: string;
  readonly message_state?: number;
  readonly error_code?: number;
  readonly unsuccess_smes?: readonly UnsuccessSme[];
  readonly tlvs?: Tlvs;
}

/**
 * Answers one request of the peer, now or later, in any order; false if the session was over before. A request is
 * answered once: a second time throws. EncodeError for a field that the standard does not allow leaves it unanswered.
 * `onLost` is called if the connection dies before the peer has sent anything after the answer: the answer was written to
 * the socket, and the peer may not have got it.
 */
export type Respond = (command_status: number, fields?: ResponseFields, onLost?: () => void) => boolean;

export interface SessionHandlers {
  /** The session is bound: requests may be sent. On a server they follow the answer to the bind. */
  onBound?(): void;
  /**
   * Every request has to be answered. `bytes` is the PDU as it came. They, and octets in the PDU, are views of what was
   * read: copy what is kept for long.
   */
  onRequest(pdu: PduOf<RequestName>, respond: Respond, bytes: Uint8Array): void;
  /** A request whose body could not be read has to be answered, too. Without this handler it is ESME_RINVMSGLEN. */
  onUnreadable?(fault: Fault, respond: Respond, bytes: Uint8Array): void;
  /** Once, as soon as a session that was bound is over for us; the requests in flight have their answers already. The error is the socket's. */
  onClose?(reason: CloseReason, error: Error | undefined): void;
  /** `room` was 0 and is no longer. */
  onRoom?(): void;
  /** An answer to nothing in flight; `late` if the request had timed out, of which the number tells. */
  onStray?(pdu: Pdu, late: boolean): void;
  /** alert_notification and outbind. */
  onNotification?(pdu: PduOf<'alert_notification' | 'outbind'>): void;
  /** A PDU that could not be read, with its octets; the session has answered it where there is an answer. */
  onFault?(fault: Fault, bytes: Uint8Array): void;
  /** Every PDU that is read or written from then on, by its header alone. */
  onHeader?(direction: 'in' | 'out', header: PduHeader): void;
  /** What was strange about a PDU that was read all the same. */
  onOddities?(pdu: Pdu, oddities: readonly string[]): void;
}

export interface SessionOptions {
  /** Requests in flight. Default 10, what most carriers allow. */
  readonly windowMax?: number;
  /** Default 30 s. A client that has ended its side of the connection is answered for so long, too. */
  readonly responseTimeoutMs?: number;
  /** Default 30 s. */
  readonly enquireLinkMs?: number;
  /** Default 10 s. */
  readonly bindTimeoutMs?: number;
  /** Requests of the peer without our answer, at which we stop reading. Default 1,000. */
  readonly peerWindowMax?: number;
  /**
   * How long a peer that sends faster than we answer is left unread at most. Then all that it sent is read, since an
   * enquire_link may stand in it, and requests beyond peerWindowMax are refused: ESME_RX_T_APPN by a client, ESME_RMSGQFUL by
   * a server. At 0 the peer is never left unread, and what is beyond is refused at once. Default 250 ms.
   */
  readonly peerBehindMs?: number;
  /** Octets that the peer has not taken, at which `room` is 0. Default 512 KiB. */
  readonly outputHighOctets?: number;
  /** And at which the session ends. Default 4 MiB: above all that a window can hold, so only a peer that floods. */
  readonly outputMaxOctets?: number;
  /** How long output may stay above the high mark. Default 30 s. */
  readonly outputStallMs?: number;
  /** How long we may leave the peer unread because our own handler does not answer. Default 60 s. */
  readonly handlerStallMs?: number;
  /** Sequence number of our first request. Default 1; some peers start at 0, and tests near the end. */
  readonly firstSequence?: number;
}

/** What may change while a session lives. Requests in flight keep the deadlines that they have. */
export type SessionAdjustment = Pick<
  SessionOptions,
  'windowMax' | 'responseTimeoutMs' | 'enquireLinkMs' | 'peerWindowMax'
>;

/** What holds where an option is not given. */
export const sessionDefaults = {
  windowMax: 10,
  responseTimeoutMs: 30_000,
  enquireLinkMs: 30_000,
  bindTimeoutMs: 10_000,
  peerWindowMax: 1000,
  peerBehindMs: 250,
  outputHighOctets: 512 * 1024,
  outputMaxOctets: 4 * 1024 * 1024,
  outputStallMs: 30_000,
  handlerStallMs: 60_000,
  firstSequence: 1,
} satisfies Required<SessionOptions>;

/** A session that is bound, from either end. */
export interface Session {
  readonly phase: Phase;
  readonly boundAs: BindName | undefined;
  /**
   * The older of what both ends said at the bind. A peer of 3.3 must get no TLVs (3.4 section 3.4); the session leaves
   * them as they are, for it cannot know how else to say what is in them.
   */
  readonly version: Version;
  /** The system_id of the other end. */
  readonly peer: { readonly system_id: string; readonly address: string; readonly port: number };
  /**
   * How many requests may be sent now: the window, less what is in flight and what timed out since the peer was last heard; or 0
   * while the peer does not read.
   */
  readonly room: number;
  readonly inFlight: number;
  /** Requests of the peer that wait for our answer. */
  readonly peerUnanswered: number;
  /** How many requests of the peer were refused because it had as many with us as it may have. */
  readonly peerRefused: number;
  /** For how long nothing was heard of the peer, to a quarter of a second; not counting while we leave it unread. */
  readonly silentMs: number;
  /** Why it is over, once it is. Never rejects. */
  readonly closed: Promise<CloseReason>;
  /**
   * Sends a request; it leaves with the others of this turn of the event loop. Rejects with RangeError when there is no `room`
   * and EncodeError for a field that the standard does not allow: both are bugs of the caller.
   */
  request<C extends AskName>(pdu: Ask & { readonly command: C }): Promise<Answer<C>>;
  /**
   * As `request`, but `hear` is called while the answer is read, before whatever the peer sent behind it: a receipt in the
   * same read is heard after the answer to its message. Throws what `request` rejects with.
   */
  ask<C extends AskName>(pdu: Ask & { readonly command: C }, hear: (answer: Answer<C>) => void): void;
  /** Goes by other options from now on. */
  adjust(adjustment: SessionAdjustment): void;
  /** Gives to the socket at once what this turn has sent so far. */
  flush(): void;
  /** Takes no new requests, waits for those in flight, unbinds; ends within twice responseTimeoutMs. */
  unbind(): Promise<CloseReason>;
  /** Ends it at once. Nothing more leaves us: what was not yet written never is. */
  destroy(): void;
  /** As `unbind`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What the client and the server want to know of the bind. */
export interface BindHooks {
  decide?(bind: PduOf<BindName>): void;
  bound?(): void;
  refused?(pdu: Pdu): void;
  /** Bound before or not. */
  closed?(reason: CloseReason, error: Error | undefined): void;
}
