import type { UnitCost } from '../../core/routing/carrier-cost.ts';
import type { FirstAccepted, IdempotencyKey } from '../../core/message/idempotency.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { MessageContent } from '../../core/message/content.ts';
import type { DoubtSettlement } from '@morsel/api/values/message.ts';
import type { Outcome } from '../../core/message/outcome.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { InboundExpired, InboundRecorded, InboundReplayed, NumberResults } from './inbound.ts';
import type { LowBalance } from '../decide/notification/alert.ts';
import type { NotificationResults } from './notification.ts';
import type { OptOutResults } from './opt-out.ts';
import type { PriceResults } from './price.ts';
import type { ProcessResults } from './process.ts';
import type { WaitingResults } from './waiting.ts';
import type { ReceiptRecorded, Rematched } from './receipt.ts';
import type { WebhookResults } from './webhook.ts';

/*
 * The closed list of all writes. A command is plain data, because it crosses a thread. It names its own time (`at`) and
 * has one result type in `Results`.
 */

/**
 * Charges and stores a message. If a link reserved room for it, its parts are claimed for that link in the same commit.
 */
export interface Accept extends MessageContent {
  readonly kind: 'accept';
  readonly at: Instant;
  readonly id: MessageId;
  readonly account: number;
  readonly source: 'http' | 'smpp' | 'operator';
  readonly submitter?: string | undefined;
  readonly address?: string | undefined;
  readonly session?: string | undefined;
  readonly priority: number;
  readonly route: number;
  /** The eligible carriers of the route, in the form of core/routing/eligible.ts; without it all of them. */
  readonly eligible?: string;
  /** Later than `at` for a scheduled message; its claim is null then. */
  readonly dueAt: Instant;
  readonly expiresAt: Instant;
  readonly priceList: number;
  readonly priceVersion: number;
  readonly unitPrice: Micros;
  readonly totalCost: Micros;
  readonly claim: LinkClaim | null;
  /** Left out of the object, not undefined, for the many messages without a key. */
  readonly idempotency?: IdempotencyKey;
}

/** The claimant: a link of a carrier, in this run of the process. */
export interface LinkClaim {
  readonly carrier: number;
  readonly link: number;
  readonly lease: number;
  /** The carrier takes a long message in one request: its parts are claimed and answered together. */
  readonly isWhole: boolean;
}

export interface Accepted {
  readonly clientBalance: Micros;
  readonly reference: number | null;
  /** The message that was accepted before under this idempotency key. This one was not accepted again. */
  readonly first?: FirstAccepted;
  /** The balance fell below a threshold of the account, and no alert was raised for it yet. */
  readonly alert?: LowBalance;
}

/**
 * Takes up to `max` waiting parts that the carrier may have, for one link: urgent parts first, accounts in turn. A
 * carrier has at most one claim under way.
 */
export interface Claim extends LinkClaim {
  readonly kind: 'claim';
  readonly at: Instant;
  /** Carriers that are open and bound, or were within the last 3 s. Where one of them has a better rank in a route, worse ranks wait. */
  readonly up: readonly number[];
  /** Parts that became due before this instant are held back. Without it none are. */
  readonly from?: Instant;
  readonly max: number;
}

export interface Claimed {
  readonly parts: readonly ClaimedPart[];
  /** When the next part that it may have is due, if one is left waiting. */
  readonly nextDue: Instant | null;
  /** Parts that were looked at and could not be taken: others may wait behind them. */
  readonly skipped: number;
  /** The best priority among due parts that were not taken; null if there are none. */
  readonly left: number | null;
  /** Where parts wait now that this carrier may not have. */
  readonly moved?: readonly QueuePlace[];
}

/** What a link needs to send a part, besides the octets that `packages/gsm` makes of the text. */
export interface ClaimedPart extends MessageContent {
  readonly message: MessageId;
  readonly number: number;
  readonly attempt: number;
  readonly expiresAt: Instant;
  /** One request carries all parts of its message. */
  readonly isWhole: boolean;
  /** What the cost depends on, and the margin. */
  readonly route: number;
  readonly account: number;
  readonly unitPrice: Micros;
}

export interface RecordOutcome {
  readonly kind: 'outcome';
  readonly at: Instant;
  readonly message: MessageId;
  readonly part: number;
  readonly attempt: number;
  readonly carrier: number;
  readonly lease: number;
  readonly outcome: Outcome;
  readonly commandStatus: number | null;
  /** The error code in /sms/dlr. */
  readonly errorCode: string | null;
  readonly carrierId: string | null;
  readonly carrierIdKey: string | null;
  /** What the carrier charged for the part, if that is known. */
  readonly cost?: UnitCost | null;
}

/** The route and eligible carriers of waiting parts, in the form of core/routing/eligible.ts. */
export interface QueuePlace {
  readonly route: number;
  readonly eligible: string;
}

export interface Recorded {
  /** The part waits again, from this instant on. */
  readonly due: Instant | null;
  /** Where it waits, if other carriers are eligible. */
  readonly place?: QueuePlace;
}

/** Handles up to `max` parts whose deadline has passed. */
export interface Expire {
  readonly kind: 'expire';
  readonly at: Instant;
  readonly max: number;
}

export interface Expired {
  readonly looked: number;
  readonly requeued: number;
}

/** The operator settles the parts of a message that are in doubt. */
export interface SettleDoubt {
  readonly kind: 'settle-doubt';
  readonly at: Instant;
  readonly message: MessageId;
  /** Null for all of them. */
  readonly part: number | null;
  readonly as: DoubtSettlement;
}

/** Deletes rows that no message can need any more: at most `max` of each kind, received or used before `before`. */
export interface Sweep {
  readonly kind: 'sweep';
  readonly at: Instant;
  readonly before: Instant;
  readonly max: number;
}

/** The result of each command that is not refused. */
export interface Results
  extends
    NotificationResults,
    NumberResults,
    OptOutResults,
    PriceResults,
    ProcessResults,
    WaitingResults,
    WebhookResults {
  accept: Accepted;
  claim: Claimed;
  outcome: Recorded;
  receipt: ReceiptRecorded;
  rematch: Rematched;
  inbound: InboundRecorded;
  'expire-inbound': InboundExpired;
  'inbound-answered': null;
  'expect-repeat': null;
  'add-keyword': null;
  'remove-keyword': null;
  'replay-inbound': InboundReplayed;
  expire: Expired;
  'settle-doubt': { readonly parts: number; readonly isWaiting: boolean };
  sweep: { readonly isMore: boolean };
  'margin-alert': null;
  'add-carrier': { readonly id: number };
  'set-carrier': null;
  'set-carrier-status': null;
  /** `isJoined` if the route had carriers before. */
  'add-route': { readonly id: number; readonly isJoined: boolean };
  /** `isJoined` if the route got a new carrier. */
  'set-route': { readonly id: number; readonly isJoined: boolean };
  'remove-route': { readonly id: number };
}
