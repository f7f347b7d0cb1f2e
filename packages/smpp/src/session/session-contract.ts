import type { PduHeader } from '../codec/decode.ts';
import type { RequestName, ResponseOf } from '../codec/commands.ts';
import type { UnsuccessSme } from '../codec/fields.ts';
import type { EncodableOf, Fault, Pdu, PduOf, Tlvs } from '../codec/pdu.ts';
import type { BindName, CloseReason, Phase, Version } from './session-state.ts';

/*
 * The interface of a session for its owner, who may be a client or a server: requests, answers, handlers and options.
 */

/** The outcome of a request. Each request has exactly one. */
export type Answer<C extends AskName = AskName> =
  /** The peer sent the response, or a generic_nack instead. */
  | { readonly kind: 'answered'; readonly pdu: PduOf<ResponseOf<C> | 'generic_nack'> }
  /** No answer came in time. A later one goes to `onStray` with this number. */
  | { readonly kind: 'timeout'; readonly sequence_number: number }
  /** The session ended first. If `written` is false, the request never left us; if true, it is in doubt. */
  | { readonly kind: 'closed'; readonly written: boolean };

/** The requests that the owner of a session may send. The session itself sends the others. */
export type AskName = Exclude<RequestName, BindName | 'unbind'>;

/** A request to send. The session adds the sequence number. */
export type Ask = Unnumbered<EncodableOf<AskName>>;

export type Unnumbered<P> = P extends unknown ? Omit<P, 'sequence_number' | 'command_status'> : never;

/** The fields of a response. Each response uses only those that belong to its request. */
export interface ResponseFields {
  readonly message_id?: string;
  readonly final_date?: string;
  readonly message_state?: number;
  readonly error_code?: number;
  readonly unsuccess_smes?: readonly UnsuccessSme[];
  readonly tlvs?: Tlvs;
}

/**
 * Answers one request of the peer, at once or later, in any order. Returns false if the session is over. Throws if
 * the request has an answer already, and throws EncodeError for a field that the standard does not allow; in that
 * case the request still needs an answer.
 *
 * `onLost` is called if the connection dies before the peer sends anything after the answer. The answer was written
 * to the socket, but may not have reached the peer.
 */
export type Respond = (command_status: number, fields?: ResponseFields, onLost?: () => void) => boolean;

export interface SessionHandlers {
  /** The session is bound, so requests may be sent. A server's requests follow the answer to the bind. */
  onBound?(): void;
  /**
   * Every request must be answered. `bytes` is the PDU as it came. `bytes` and the octets in the PDU are views of a
   * read buffer: copy what you keep for long.
   */
  onRequest(pdu: PduOf<RequestName>, respond: Respond, bytes: Uint8Array): void;
  /** A request whose body cannot be read must be answered, too. Without this handler the answer is ESME_RINVMSGLEN. */
  onUnreadable?(fault: Fault, respond: Respond, bytes: Uint8Array): void;
  /**
   * Called once, when a bound session is over. All requests in flight have an outcome by then. `error` comes from the
   * socket.
   */
  onClose?(reason: CloseReason, error: Error | undefined): void;
  /** `room` was 0 and is now greater. */
  onRoom?(): void;
  /** An answer that matches no request in flight. `late` means that its request timed out before. */
  onStray?(pdu: Pdu, late: boolean): void;
  /** alert_notification and outbind. */
  onNotification?(pdu: PduOf<'alert_notification' | 'outbind'>): void;
  /** A PDU that cannot be read, with its octets. The session answers it if the standard has an answer. */
  onFault?(fault: Fault, bytes: Uint8Array): void;
  /** The header of each PDU that is read or written. */
  onHeader?(direction: 'in' | 'out', header: PduHeader): void;
  /** Deviations from the standard in a PDU that could be read. */
  onOddities?(pdu: Pdu, oddities: readonly string[]): void;
}

export interface SessionOptions {
  /** The most requests in flight. Default: 10, which most carriers allow. */
  readonly windowMax?: number;
  /** Default: 30 s. A client that has ended its side of the connection still gets answers for this time. */
  readonly responseTimeoutMs?: number;
  /** Default: 30 s. */
  readonly enquireLinkMs?: number;
  /** Default: 10 s. */
  readonly bindTimeoutMs?: number;
  /** We stop reading when this many requests of the peer have no answer. Default: 1,000. */
  readonly peerWindowMax?: number;
  /**
   * The longest time without reading a peer that sends faster than we answer. After it we read everything, because an
   * enquire_link may be waiting, and refuse requests beyond peerWindowMax: a client with ESME_RX_T_APPN, a server with
   * ESME_RMSGQFUL. With 0 we never stop reading, and refuse those requests at once. Default: 250 ms.
   */
  readonly peerBehindMs?: number;
  /** `room` is 0 while this many octets wait for the peer to read them. Default: 512 KiB. */
  readonly outputHighOctets?: number;
  /**
   * The session ends when this many octets wait. Default: 4 MiB, more than a window can hold, so only a flood reaches
   * it.
   */
  readonly outputMaxOctets?: number;
  /** The session ends when the output stays above outputHighOctets for this time. Default: 30 s. */
  readonly outputStallMs?: number;
  /** The session ends when it could not read for this time, because the handler does not answer. Default: 60 s. */
  readonly handlerStallMs?: number;
  /** The sequence number of our first request. Default: 1. Some carriers start at 0. */
  readonly firstSequence?: number;
}

/** The options that may change during a session. Requests in flight keep their deadlines. */
export type SessionAdjustment = Pick<
  SessionOptions,
  'windowMax' | 'responseTimeoutMs' | 'enquireLinkMs' | 'peerWindowMax'
>;

/** The values of options that are left out. */
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

/** A bound session of a client or a server. */
export interface Session {
  readonly phase: Phase;
  readonly boundAs: BindName | undefined;
  /**
   * The older of the versions that both ends named in the bind. A peer of 3.3 must get no TLVs (3.4 section 3.4). The
   * owner must see to that; the session does not remove them.
   */
  readonly version: Version;
  /** The system_id of the other end. */
  readonly peer: { readonly system_id: string; readonly address: string; readonly port: number };
  /**
   * How many requests may be sent now: the window, less the requests in flight and those that timed out since the last
   * sign of life of the peer. It is 0 while the peer does not read.
   */
  readonly room: number;
  readonly inFlight: number;
  /** Requests of the peer that wait for our answer. */
  readonly peerUnanswered: number;
  /** How many requests of the peer were refused because peerWindowMax was exceeded. */
  readonly peerRefused: number;
  /** Time since the last PDU of the peer, to a quarter of a second. Time without reading does not count. */
  readonly silentMs: number;
  /** Resolves with the reason when the session is over. Never rejects. */
  readonly closed: Promise<CloseReason>;
  /**
   * Sends a request, together with the others of this turn of the event loop. Rejects with RangeError if `room` is 0,
   * and with EncodeError for a field that the standard does not allow. Both are bugs of the caller.
   */
  request<C extends AskName>(pdu: Ask & { readonly command: C }): Promise<Answer<C>>;
  /**
   * Like `request`, but calls `hear` while it reads the answer, before it reads the next PDU. If a receipt follows in
   * the same chunk, its message thus has its answer first. Throws the errors of `request`.
   */
  ask<C extends AskName>(pdu: Ask & { readonly command: C }, hear: (answer: Answer<C>) => void): void;
  /** Changes options from now on. */
  adjust(adjustment: SessionAdjustment): void;
  /** Writes all PDUs of this turn to the socket now. */
  flush(): void;
  /** Takes no new requests, waits for those in flight, then unbinds. Ends within twice responseTimeoutMs. */
  unbind(): Promise<CloseReason>;
  /** Ends the session at once. PDUs that are not yet written are discarded. */
  destroy(): void;
  /** The same as `unbind`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Tells the client or the server what happens to the bind and the connection. */
export interface BindHooks {
  decide?(bind: PduOf<BindName>): void;
  bound?(): void;
  refused?(pdu: Pdu): void;
  /** Called whether the session was bound or not. */
  closed?(reason: CloseReason, error: Error | undefined): void;
}
