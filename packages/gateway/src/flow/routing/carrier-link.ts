import type { Composition } from '../../core/message/client-encoded-part.ts';
import type { Outcome } from '../../core/message/outcome.ts';
import type { Carrier } from '../../core/routing/carrier.ts';
import type { UnitCost } from '../../core/routing/carrier-cost.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { ClaimedPart } from '../../store/commands/commands.ts';
import type { Delivery } from '../message/receive.ts';

/*
 * What the flow needs of links to carriers, and what links tell the flow. `edge/carrier` opens links, and knows the
 * protocol; everything else about carriers is decided in this folder.
 */

/** A part as a link sends it. */
export interface OutgoingPart extends Pick<
  ClaimedPart,
  'message' | 'number' | 'attempt' | 'sender' | 'receiver' | 'reference' | 'flash' | 'expiresAt' | 'tlvs'
> {
  readonly composed: Composition;
  /** All parts of the message in one request: this is its first part, and the answer counts for all. */
  readonly isWhole: boolean;
  /** The carrier's charge for a part, if it is known. */
  readonly cost?: UnitCost;
}

/** The result of giving a part to a link. */
export type Sent =
  | {
      readonly kind: 'answered';
      readonly commandStatus: number;
      readonly errorCode: string;
      readonly messageId: string;
      /** When it was asked, on the monotonic clock. */
      readonly sentAt: number;
    }
  /** It was written to the socket and has no known answer. */
  | { readonly kind: 'unanswered' }
  /** Nothing of it was written. */
  | { readonly kind: 'unsent' }
  /** It cannot be written as submit_sm, now or later. */
  | { readonly kind: 'unsendable'; readonly errorCode: string };

/** A link as dispatch sees it: room to reserve, and parts to send into it. */
export interface SendingLink {
  readonly number: number;
  readonly isBound: boolean;
  /** Parts that may be claimed for it now. */
  readonly room: number;
  /** The turn of the room: a bind and a throttling answer each start a new one. */
  reserveRoom(count: number): number;
  freeRoom(count: number): void;
  /**
   * Sends a part into room that was reserved in that turn; in a later one it is `unsent`, as what the earlier one brings back goes
   * before it (S6). `tell` is called once, in the order in which the carrier spoke: an answer is on its way to the store before
   * the receipt that came behind it.
   */
  send(part: OutgoingPart, turn: number, tell: (sent: Sent) => void): void;
  /** The meaning of an answer for its part: it sets the pace of the link. */
  heard(outcome: Outcome, answer: Answered): void;
}

export type Answered = Extract<Sent, { kind: 'answered' }>;

/** A link as `carrier show` shows it. */
export interface LinkStatus {
  readonly link: number;
  /** `waiting`: until it connects again; `draining`: until its window is empty; `stopped`: nobody wants it bound. */
  readonly state: 'connecting' | 'bound' | 'throttled' | 'waiting' | 'draining' | 'stopped';
  readonly since: Instant;
  readonly windowUsed: number;
  readonly windowMax: number;
  /** submit_sm a second that it sends at most: found, or as set; null for no bound. */
  readonly pace: number | null;
  /** As it was set; 0 for no limit. */
  readonly throughput: number;
  /** Since the process began: parts given to the socket, and how the carrier answered them. */
  readonly submitted: number;
  readonly accepted: number;
  readonly refused: number;
  readonly throttles: number;
  /** Of the last thousand answers or so: the share that throttled, and the share that throttles at any pace. */
  readonly throttledShare: number;
  readonly chanceShare: number;
  /**
   * Receipts and inbound messages that came faster than they could be stored. They got ESME_RX_T_APPN, to come again.
   */
  readonly surplus: number;
  /** deliver_sm and data_sm whose body could not be read: they are kept. */
  readonly unreadable: number;
  readonly reconnects: number;
  /** When a link that waits connects again. */
  readonly nextTryAt: number | null;
  /** Until when a throttling answer keeps it from sending. */
  readonly pausedUntil: number | null;
  readonly lastError: string | null;
  readonly lastErrorAt: number | null;
}

/** A link as the flow starts and ends it: it connects again whenever it ends, until it is drained. */
export interface CarrierLink extends SendingLink {
  readonly status: LinkStatus;
  /** Goes by changed settings; those of the bind itself from the next bind on. */
  use(carrier: Carrier): void;
  /** Connects, and again whenever the link ends. */
  start(): void;
  /** Drains and connects again. Ends when the link is bound, or cannot be. */
  rebind(): Promise<void>;
  /** Ends when the link is not on its way up or down. */
  settled(): Promise<void>;
  /** Takes nothing new, waits for the answers in flight, unbinds, and stays down. */
  drain(): Promise<void>;
  /** Ends the link at once: parts without an answer are in doubt. */
  destroy(): void;
}

/**
 * Takes a receipt or an inbound message. `answer` acknowledges it, or asks for it again if it could not be stored. It
 * returns whether it was written, and calls `onLost` if the link ended before the carrier had it.
 */
export type DeliveryHandler = (delivery: Delivery, answer: (isKept: boolean, onLost?: () => void) => boolean) => void;

/** What a link tells the flow. */
export interface LinkHandlers {
  readonly onDelivery: DeliveryHandler;
  /** There is room again, or the link is bound again. */
  readonly onRoom: () => void;
  /** An answer that came after its part was given up as unanswered. */
  readonly onLateAnswer: (part: OutgoingPart, answer: Answered) => void;
}

/** One step of a carrier's test, and how long it took. */
export interface TestStep {
  readonly step: 'connect' | 'bind_transceiver' | 'bind_transmitter' | 'bind_receiver' | 'enquire_link' | 'unbind';
  readonly address: string;
  readonly ms: number;
  readonly isDone: boolean;
  /** The result, and what to do if it failed. */
  readonly says: string;
}

/** Makes links: the edge does. */
export interface LinkOpener {
  /** A link that is not started yet. `carrier` tells the settings as they are now. */
  open(carrier: () => Carrier, number: number, handlers: LinkHandlers): CarrierLink;
  /** Makes and ends the binds of one more link. */
  test(carrier: Carrier, onDelivery: DeliveryHandler): Promise<readonly TestStep[]>;
}
