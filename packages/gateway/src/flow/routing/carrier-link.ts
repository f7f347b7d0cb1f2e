import type { Composition } from '../../core/message/client-encoded-part.ts';
import type { MessageContent } from '../../core/message/content.ts';
import type { Inbound } from '../../core/message/inbound.ts';
import type { Answer } from '../../core/message/outcome.ts';
import type { Receipt } from '../../core/message/receipt.ts';
import type { Carrier, CarrierOf } from '../../core/routing/carrier.ts';
import type { UnitCost } from '../../core/routing/carrier-cost.ts';
import type { CarrierKindName, TestStepName } from '@morsel/api/admin/routing/carrier-kinds.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { CommandOf } from '../../state/commands.ts';
import type { ClaimedPart } from '../../state/decide/message/claim.ts';
import type { LinkClaim } from '../../state/tables/message.ts';
import type { Tools } from '../ports.ts';

/* Interface to the links. `edge/carriers` opens links and speaks their protocols; this folder decides everything else. */

export interface OutgoingPart
  extends MessageContent, Pick<ClaimedPart, 'message' | 'number' | 'attempt' | 'expiresAt'> {
  readonly composed: Composition;
  /** Whether one request sends all parts of the message. The part is then the first, and the answer counts for all. */
  readonly isWhole: boolean;
  /** The carrier's charge for this part, if it is known. */
  readonly cost?: UnitCost;
}

/** Room on a link for a new message, while its commit claims the parts for the link. */
export interface Reservation {
  readonly claim: LinkClaim;
  /** The commit succeeded and claimed the parts for the link. */
  send(message: ReservedMessage): void;
  /** Frees the room again; call this when the commit failed. */
  free(): void;
}

export interface ReservedMessage
  extends MessageContent, Pick<CommandOf<'accept'>, 'id' | 'expiresAt' | 'route' | 'account' | 'unitPrice'> {
  readonly composed: Composition;
}

export interface LinkStatus {
  readonly link: number;
  /** The node that has the link; null with one gateway or if none has it. The figures are those of the asked node. */
  readonly node: string | null;
  /** `waiting`: connects again later; `draining`: waits for answers before it unbinds; `stopped`: stays unbound. */
  readonly state: 'connecting' | 'bound' | 'throttled' | 'waiting' | 'draining' | 'stopped';
  readonly since: Instant;
  /** Since when the link is not bound, however often it has connected again; null while it is bound. */
  readonly downSince: Instant | null;
  readonly windowUsed: number;
  readonly windowMax: number;
  /** The present limit of requests a second, set or learned from throttling answers; null for no limit. */
  readonly pace: number | null;
  /** The limit of requests a second that the operator set; 0 for no limit. */
  readonly throughput: number;
  /** Counts since the process began: parts written to the socket, and the carrier's answers. */
  readonly submitted: number;
  readonly accepted: number;
  readonly refused: number;
  readonly throttles: number;
  /** Shares among the last thousand answers or so: of all throttling answers, and of those that come at any pace. */
  readonly throttledShare: number;
  readonly chanceShare: number;
  /**
   * Receipts and inbound messages that came too fast to be stored. The carrier repeats them.
   */
  readonly surplus: number;
  /** Requests of the carrier whose body could not be parsed. The gateway stores them as they came. */
  readonly unreadable: number;
  readonly reconnects: number;
  /** When a waiting link connects again. */
  readonly nextTryAt: number | null;
  /** Until when the link pauses after a throttling answer. */
  readonly pausedUntil: number | null;
  readonly lastError: string | null;
  readonly lastErrorAt: number | null;
}

/** A link of a carrier. It reconnects whenever its connection ends, until it is drained. */
export interface CarrierLink {
  readonly number: number;
  readonly isBound: boolean;
  readonly status: LinkStatus;
  /** How many parts may be claimed for the link now. */
  readonly room: number;
  /** Reserves room, and returns the present turn. A turn is the time between two binds or throttling answers. */
  reserveRoom(count: number): number;
  freeRoom(count: number): void;
  /**
   * `unsent` if a later turn has begun: parts that came back to the queue must go first (S6). `onAnswer` is called once
   * for each part. Answers and receipts keep the carrier's order.
   */
  send(part: OutgoingPart, turn: number, onAnswer: (answer: Answer) => void): void;
  /** Takes changed settings. Settings of the bind apply from the next bind. */
  use(carrier: Carrier): void;
  start(): void;
  /** Resolves when the link is bound, or the bind has failed. */
  rebind(): Promise<void>;
  /** Resolves when the link is neither connecting nor draining. */
  settled(): Promise<void>;
  /** Sends no more parts, waits for outstanding answers, unbinds, and stays unbound. */
  drain(): Promise<void>;
  /** Closes the connection at once. Parts without an answer are then in doubt. */
  destroy(): void;
}

/** What a carrier sends by itself. */
export type Delivery = ({ readonly kind: 'receipt' } & Receipt) | ({ readonly kind: 'inbound' } & Inbound);

/**
 * Acknowledges a delivery if `isKept`; otherwise the carrier sends it again. Returns whether the response was written.
 * `settle` is then called once: `isRead` is false if the link broke before the carrier surely read the response.
 */
export type AnswerDelivery = (isKept: boolean, settle?: (isRead: boolean) => void) => boolean;

export type DeliveryHandler = (delivery: Delivery, answer: AnswerDelivery) => void;

export interface LinkHandlers {
  readonly onDelivery: DeliveryHandler;
  /** The link has room again, or is bound again. */
  readonly onRoom: () => void;
  /** An answer came after its part had been recorded as unanswered. */
  readonly onLateAnswer: (part: OutgoingPart, answer: Answer) => void;
}

/** The result of a rebind: `done`, or `none` if this node has none of the links, or `stopped` if the carrier does not run. */
export type Rebound = 'done' | 'none' | 'stopped' | { readonly link: number; readonly error: string };

/** One step of `carrier test`. */
export interface TestStep {
  readonly step: TestStepName;
  readonly address: string;
  readonly ms: number;
  readonly isDone: boolean;
  /** The result of the step, and what the operator can do if it failed. */
  readonly says: string;
}

/** What links need of this gateway. */
export interface LinkTools extends Pick<Tools, 'log' | 'clock' | 'random'> {
  /** Whether this node may act: whether it has its lease. */
  readonly isAlive: () => boolean;
  /** Undefined if it is certain that this node may send. Else a promise that resolves when it is. */
  readonly whenCertain: () => Promise<void> | undefined;
}

/** Implemented by each kind of carrier in `edge/carriers`. */
export interface LinkOpenerOf<K extends CarrierKindName> {
  /** Does not start the link. `carrier` returns the present settings. */
  open(carrier: () => CarrierOf<K>, number: number, handlers: LinkHandlers): CarrierLink;
  /** Binds one additional link and unbinds it again. `bound` counts the bound links of the carrier, at any node. */
  test(
    carrier: CarrierOf<K>,
    needs: Pick<LinkHandlers, 'onDelivery'> & { readonly bound: () => number },
  ): Promise<readonly TestStep[]>;
}

export type LinkOpener = LinkOpenerOf<CarrierKindName>;
