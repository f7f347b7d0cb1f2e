import type { Socket } from 'node:net';
import type { PduHeader } from '../codec/decode.ts';
import type { RequestName, ResponseOf } from '../codec/commands.ts';
import type { UnsuccessSme } from '../codec/fields.ts';
import type { EncodableOf, Fault, Pdu, PduOf, Tlvs } from '../codec/pdu.ts';
import type { BindName, CloseReason, Phase, Version } from './session-state.ts';

/*
 * The interface of a session for its owner (the code that uses it, in a client or a server): requests, answers,
 * handlers and options.
 */

/** The outcome of a request. Each request has exactly one outcome. */
export type Answer<C extends AskName = AskName> =
  /** The peer answered with the response of the request, or with a generic_nack. */
  | { readonly kind: 'answered'; readonly pdu: PduOf<ResponseOf<C> | 'generic_nack'> }
  /**
   * No answer came in time. If the answer comes late, `onStray` is called with the answer, which has this sequence
   * number.
   */
  | { readonly kind: 'timeout'; readonly sequence_number: number }
  /**
   * The session ended before an answer came. If `written` is false, the request was not sent. If `written` is true, the
   * request is in doubt: the peer may have received it.
   */
  | { readonly kind: 'closed'; readonly written: boolean };

/** The requests that the owner of a session may send. The session itself sends binds and unbinds. */
export type AskName = Exclude<RequestName, BindName | 'unbind'>;

/** A request to send. The session adds the sequence number. */
export type Ask = Unnumbered<EncodableOf<AskName>>;

export type Unnumbered<P> = P extends unknown ? Omit<P, 'sequence_number' | 'command_status'> : never;

/** The fields of a response. The encoder writes only the fields that the response has in the standard. */
export interface ResponseFields {
  readonly message_id?: string;
  readonly final_date?: string;
  readonly message_state?: number;
  readonly error_code?: number;
  readonly unsuccess_smes?: readonly UnsuccessSme[];
  readonly tlvs?: Tlvs;
}

/**
 * Answers one request of the peer, at once or later; requests may be answered in any order. Returns false if the
 * session is over. Throws Error if the request was answered before. Throws EncodeError if the standard does not allow
 * the value of a field; then the request still needs an answer.
 *
 * The session calls `settle` once, if it returns true. `isRead` is true when the peer has surely read the answer: it answered
 * a later request of ours, or the session ended with an unbind. It is false when the connection broke before that.
 */
export type Respond = (command_status: number, fields?: ResponseFields, settle?: (isRead: boolean) => void) => boolean;

export interface SessionHandlers {
  /**
   * Called when the session is bound and the owner may send requests. A server may send requests only after its answer
   * to the bind.
   */
  onBound?(): void;
  /**
   * Called for each request of the peer. The handler must answer the request with `respond`. `bytes` contains the
   * undecoded PDU. `bytes` and the octets in the PDU are views of a read buffer: copy them if you keep them for long.
   */
  onRequest(pdu: PduOf<RequestName>, respond: Respond, bytes: Uint8Array): void;
  /**
   * Called for a request whose body cannot be read. The handler must answer the request with `respond`. Without this
   * handler the session answers ESME_RINVMSGLEN.
   */
  onUnreadable?(fault: Fault, respond: Respond, bytes: Uint8Array): void;
  /**
   * Called once, when a bound session is over and all its requests have an outcome. `error` is the error of the socket,
   * if any.
   */
  onClose?(reason: CloseReason, error: Error | undefined): void;
  /** Called when `room` was 0 and is now greater than 0. */
  onRoom?(): void;
  /** Called for an answer that matches no request in flight. If `late` is true, the request timed out before. */
  onStray?(pdu: Pdu, late: boolean): void;
  /** Called for an alert_notification or an outbind. */
  onNotification?(pdu: PduOf<'alert_notification' | 'outbind'>): void;
  /**
   * Called for a PDU that cannot be read; `bytes` contains its octets. The session itself answers the PDU if the
   * standard requires an answer.
   */
  onFault?(fault: Fault, bytes: Uint8Array): void;
  /** Called with the header of each PDU that is read or written. */
  onHeader?(direction: 'in' | 'out', header: PduHeader): void;
  /** Called for a PDU that could be read but deviates from the standard. */
  onOddities?(pdu: Pdu, oddities: readonly string[]): void;
}

/** What a session writes its octets to: the socket, or an object in front of the socket. */
export interface Sink {
  readonly writableLength: number;
  write(bytes: Uint8Array): boolean;
}

export interface SessionOptions {
  /** The most requests in flight. Default: 10 requests, which most carriers allow. */
  readonly windowMax?: number;
  /**
   * Default: 30 s. How long a request waits for its answer. A client that has closed its side of the connection still
   * gets our answers for this time.
   */
  readonly responseTimeoutMs?: number;
  /** Default: 30 s. */
  readonly enquireLinkMs?: number;
  /** Default: 10 s. */
  readonly bindTimeoutMs?: number;
  /** We stop reading from the peer while this many of its requests wait for our answer. Default: 1,000. */
  readonly peerWindowMax?: number;
  /**
   * The longest pause in reading from a peer that sends faster than we answer. After this time we read everything,
   * because an enquire_link of the peer may be waiting. We then refuse requests beyond peerWindowMax: a client with
   * ESME_RX_T_APPN, a server with ESME_RMSGQFUL. With peerBehindMs 0 we never pause reading, and refuse requests beyond
   * peerWindowMax at once. Default: 250 ms.
   */
  readonly peerBehindMs?: number;
  /** `room` is 0 while this many octets of our output wait for the peer to read them. Default: 512 KiB. */
  readonly outputHighOctets?: number;
  /**
   * The session ends when more than this many octets of our output wait for the peer. Default: 4 MiB, which is more
   * than the requests of a usual window need.
   */
  readonly outputMaxOctets?: number;
  /** The session ends when at least outputHighOctets of our output wait for the peer for this time. Default: 30 s. */
  readonly outputStallMs?: number;
  /** The session ends when its handler leaves peerWindowMax requests without an answer for this time. Default: 60 s. */
  readonly handlerStallMs?: number;
  /**
   * The sequence number of our first request on a connection. Default: 1. Some carriers expect the first sequence
   * number 0.
   */
  readonly firstSequence?: number;
  /**
   * Returns the object that gets our output instead of the socket. A simulator sends faulty octets with it, and a gateway
   * writes nothing when it may not act any more. Default: the socket.
   */
  readonly sink?: (socket: Socket) => Sink;
}

/** The options that may change during a session. A change does not affect the deadlines of requests in flight. */
export type SessionAdjustment = Pick<
  SessionOptions,
  'windowMax' | 'responseTimeoutMs' | 'enquireLinkMs' | 'peerWindowMax'
>;

/** The default values of the options. */
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
  sink: (socket) => socket,
} satisfies Required<SessionOptions>;

/** A bound session of a client or a server. */
export interface Session {
  readonly phase: Phase;
  readonly boundAs: BindName | undefined;
  /**
   * The SMPP version of the session: the older of the versions that the client and the server sent in the bind and its
   * answer. The owner of the session must not send TLVs to a peer of version 3.3 (3.4 section 3.4); the session does
   * not remove TLVs.
   */
  readonly version: Version;
  /** The system_id and the network address of the peer. */
  readonly peer: { readonly system_id: string; readonly address: string; readonly port: number };
  /**
   * How many requests may be sent now: the window minus the requests in flight. Requests that timed out since the peer
   * last sent anything are also subtracted. `room` is also 0 while the peer does not read our output.
   */
  readonly room: number;
  readonly inFlight: number;
  /** How many requests of the peer wait for our answer. */
  readonly peerUnanswered: number;
  /** How many requests of the peer the session refused because of peerWindowMax. */
  readonly peerRefused: number;
  /**
   * Milliseconds since the last PDU of the peer, with a precision of 250 ms. Time in which we pause reading does not
   * count.
   */
  readonly silentMs: number;
  /** This promise resolves with the reason when the session is over, and never rejects. */
  readonly closed: Promise<CloseReason>;
  /**
   * Sends a request and resolves with its outcome. All requests of one iteration of the event loop are written
   * together. Rejects with RangeError if `room` is 0, and with EncodeError if the standard does not allow the value of
   * a field. A RangeError or EncodeError shows a bug in the caller.
   */
  request<C extends AskName>(pdu: Ask & { readonly command: C }): Promise<Answer<C>>;
  /**
   * Sends a request and calls `hear` with its outcome. Calls `hear` before it reads the next PDU: if a receipt follows
   * in the same chunk, the caller gets the answer to the message first. Throws the errors that `request` rejects with.
   */
  ask<C extends AskName>(pdu: Ask & { readonly command: C }, hear: (answer: Answer<C>) => void): void;
  /** Changes options of this session. */
  adjust(adjustment: SessionAdjustment): void;
  /** Writes all collected PDUs to the socket now. */
  flush(): void;
  /**
   * Accepts no new requests, waits for the answers to requests in flight, then unbinds. The session ends within twice
   * responseTimeoutMs.
   */
  unbind(): Promise<CloseReason>;
  /** Ends the session at once and discards PDUs that are not yet written. */
  destroy(): void;
  /** The same as `unbind`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Callbacks for the client or the server about the bind and the connection. */
export interface BindHooks {
  decide?(bind: PduOf<BindName>): void;
  bound?(): void;
  refused?(pdu: Pdu): void;
  /** Called when the connection ends, whether or not the session was bound. */
  closed?(reason: CloseReason, error: Error | undefined): void;
}
