import type { Dcs } from '@morsel/gsm';
import type { Carrier, CarrierStatus } from '../../core/routing/carrier.ts';
import type { UnitCost } from '../../core/routing/carrier-cost.ts';
import { parseEligible } from '../../core/routing/eligible.ts';
import type { PartState } from '../../core/base/message.ts';
import type { MessageEvent } from '@morsel/api/values/message.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { PartEncoding, StoredPart } from '../../core/message/client-encoded-part.ts';
import type { Outcome } from '../../core/message/outcome.ts';
import type { PassedTlv } from '../../core/routing/passed-tlvs.ts';
import type { CarrierState, Numbers } from '../../core/message/receipt.ts';
import type { RouteCarrier } from '../../core/routing/route.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Change } from './change.ts';
import type { AccountLeft } from '../commands/account.ts';
import type { MarginAlert } from '../commands/carrier.ts';
import type { Accept } from '../commands/commands.ts';
import type { LowBalance } from '../commands/ledger.ts';
import type { RecordInbound } from '../commands/inbound.ts';
import type { IdempotencyKeyRow } from './idempotency.ts';
import { InboundRows } from './inbound.ts';
import type { AccountRow, LoginRow, TokenRow } from './account.ts';
import type { EntryRow, LimitRow } from './ledger.ts';
import type { InFlight, UnmatchedReceiptRow, RematchBatch } from './receipt.ts';
import { PriceRows } from './price.ts';
import type { UntrustedMessages, SystemAlert } from '../commands/process.ts';
import type { AccountQueue, Turns } from '../../core/routing/turns.ts';
import { NotificationRows } from './notification.ts';
import type { LearningRow, TraitSeen } from './learning.ts';
import { OptOutRows } from './opt-out.ts';
import { FollowingRows } from './route.ts';
import type { RouteRow } from './route.ts';
import type { RuleHits, TokenUse } from '../commands/counts.ts';
import { WebhookRows } from './webhook.ts';

/* Rows of a group of commands: an engine loads them, `decide` changes them, the engine writes the changed ones. */

export type AlertRow = {
  readonly id: number;
  readonly at: Instant;
} & (
  | ({ readonly account: number } & (
      | ({ readonly kind: 'low-balance' } & LowBalance)
      | ({ readonly kind: 'below-margin' } & BelowMargin)
      | { readonly kind: 'webhook-paused' | 'webhook-off'; readonly webhook: number }
    ))
  | { readonly account: null; readonly kind: SystemAlert['alert']; readonly detail: string }
);

type BelowMargin = Pick<MarginAlert, 'carrier' | 'prefix' | 'unitPrice' | 'unitCost'>;

/** The fields of a message that decisions need. Fields for admission and readers only stay in `accept` of a new one. */
export interface MessageRow {
  change: Change;
  readonly id: MessageId;
  readonly account: number;
  /** Set when it becomes due. */
  route: number;
  readonly priority: number;
  readonly sender: string;
  readonly receiver: string;
  readonly numParts: number;
  readonly unitPrice: Micros;
  dueAt: Instant;
  expiresAt: Instant;
  event: MessageEvent;
  eventAt: Instant;
  corrected: boolean;
  ownEnd: boolean;
  errorCode: string | null;
  /** Receipts that the client asked for over SMPP (SMPP 5.0, 4.7.21); 0 for none. */
  readonly registered: number;
  /** All parts, in order. */
  readonly parts: PartRow[];
  /** The rest of the row, for a message that this group accepts. */
  fresh: FreshMessage | undefined;
}

interface FreshMessage {
  readonly accept: Accept;
  readonly reference: number | null;
  readonly balanceAfter: Micros;
  readonly entry: number;
  readonly entryPlace: number;
}

export interface PartRow {
  change: Change;
  readonly message: MessageId;
  readonly number: number;
  state: PartState;
  changedAt: Instant;
  deadline: Instant | null;
  due: Instant | null;
  /** The carrier that accepted it, or refused it for good. */
  carrier: number | null;
  /** How often a link claimed it. */
  attempts: number;
  /** How many of those were failed tries (busy ones are not). */
  tries: number;
  /** How often it was in doubt. */
  inDoubt: number;
  carrierState: CarrierState | null;
  errorCode: string | null;
  refundEntry: number | null;
  /** Eligible carriers while it waits, and carriers tried in this round (core/routing/eligible.ts). */
  eligible: string;
  /** The carrier of its newest attempt. */
  triedBy: number | null;
  /** When the carriers that could not take it may be tried again; null if there are none. */
  roundEnds: Instant | null;
  /** The unmarked text that ended it, until a marked receipt confirms or corrects that; undefined otherwise. */
  textEnd: RecordInbound | undefined;
  /** The attempts that this group loaded or made, which may not be all. */
  readonly loaded: AttemptRow[];
}

export interface AttemptRow {
  change: Change;
  readonly message: MessageId;
  readonly part: number;
  readonly number: number;
  readonly carrier: number;
  readonly link: number;
  readonly lease: number;
  readonly claimedAt: Instant;
  answeredAt: Instant | null;
  outcome: Outcome | null;
  commandStatus: number | null;
  carrierId: string | null;
  carrierIdKey: string | null;
  /** One request carried the whole message: each part has such an attempt, with one answer and one receipt. */
  readonly isWhole: boolean;
  /** The carrier's charge for it; set with its outcome. */
  cost: UnitCost | null;
}

export interface QueueRow {
  readonly route: number;
  readonly priority: number;
  readonly account: number;
  readonly due: Instant;
  readonly message: MessageId;
  readonly part: number;
  /** The eligible carriers, in the form of core/routing/eligible.ts. */
  readonly eligible: string;
}

/** The fields of a message that a claim reads, besides its `MessageRow`. */
export interface MessageContent {
  readonly encoding: PartEncoding;
  readonly dcs: Dcs | 'BIN';
  readonly text: string;
  readonly reference: number | null;
  readonly flash: boolean;
  /** A client-encoded part; undefined for a text. */
  readonly clientEncoded: StoredPart | undefined;
  /** Vendor TLVs; undefined for none. */
  readonly tlvs: readonly PassedTlv[] | undefined;
}

export interface NoteRow {
  readonly message: MessageId;
  readonly at: Instant;
  readonly part: number | null;
  readonly kind:
    | 'receipt'
    | 'duplicate-receipt'
    | 'corrected'
    | 'matched-in-doubt'
    | 'in-doubt'
    | 'settled'
    | 'sender-replaced'
    | 'rerouted'
    | 'canceled';
  readonly detail: string;
}

export interface ReferenceRow {
  readonly receiver: string;
  readonly sender: string;
  last: number;
  usedAt: Instant;
}

export interface CarrierRow {
  change: Change;
  carrier: Carrier;
  readonly createdAt: Instant;
  status: CarrierStatus;
}

/** The next free id of each table whose ids the gateway counts. */
export interface Counters {
  entry: number;
  account: number;
  login: number;
  carrier: number;
  route: number;
  priceList: number;
  unmatchedReceipt: number;
  inboundPart: number;
  notification: number;
  alert: number;
  webhook: number;
  webhookSecret: number;
}

export function attemptKey(message: MessageId, part: number, number: number): string {
  return `${message}.${part}.${number}`;
}

/** Key of a part by its carrier id, for receipts. */
export function carrierKey(carrier: number, idKey: string): string {
  return `${carrier} ${idKey}`;
}

/** Key of a part by its pair of numbers, for receipts of a carrier. */
export function numbersKey(carrier: number, numbers: Numbers): string {
  return `${carrier} ${numbers.sender} ${numbers.receiver}`;
}

/** The numbers that an attempt carries, and its receipt names. */
export function numbersOf(rows: Rows, attempt: Pick<AttemptRow, 'message' | 'part' | 'carrier'>): Numbers {
  const message = rows.messages.get(attempt.message);
  if (!message) throw new Error('an attempt was loaded without its message');
  const { senders } = parseEligible(message.parts[attempt.part - 1]?.eligible ?? '');
  return { sender: senders?.get(attempt.carrier) ?? message.sender, receiver: message.receiver };
}

/** Key of an entry by its idempotency key. */
export function entryKey(account: number, key: string): string {
  return `${account} ${key}`;
}

/** Key of the last concatenation reference between two numbers. */
export function referenceKey(receiver: string, sender: string): string {
  return `${receiver} ${sender}`;
}

/** Everything that one group has loaded and made. */
export class Rows {
  readonly counters: Counters;
  lease: number;
  leaseChanged = false;
  lastMessageId: number;
  /** The time of the newest entry; the next one is not earlier. */
  lastEntryAt: Instant;
  /** The newest instant at which the clock was trusted. */
  seenAt: Instant;
  /** The first instant of an untrusted clock that ran ahead; null for none. */
  untrustedFrom: Instant | null;

  readonly accounts = new Map<number, AccountRow>();
  readonly accountsByName = new Map<string, AccountRow>();
  readonly accountsLeft = new Map<number, AccountLeft>();
  readonly entries: EntryRow[] = [];
  readonly limits: LimitRow[] = [];
  readonly alerts: AlertRow[] = [];
  /** Entries that commands name by their idempotency key, and those made with one. */
  readonly entriesByKey = new Map<string, Pick<EntryRow, 'id' | 'kind' | 'amount' | 'balanceAfter'>>();
  /** To be added to the stored counts. */
  readonly ruleHits: RuleHits[] = [];
  /** The same by token and day. */
  readonly tokenUses = new Map<string, TokenUse>();
  readonly messages = new Map<MessageId, MessageRow>();
  readonly attempts = new Map<string, AttemptRow>();
  /** Attempts with a carrier id, the oldest first. */
  readonly attemptsByCarrierId = new Map<string, AttemptRow[]>();
  /** Attempts in doubt of a carrier between two numbers, for receipts with an unknown id. */
  readonly inDoubtByNumbers = new Map<string, AttemptRow[]>();
  /** Pairs of numbers with a part of the carrier in flight: its receipt may come before its answer. */
  readonly inFlightByNumbers = new Set<string>();
  readonly unmatchedReceipts = new Map<string, UnmatchedReceiptRow[]>();
  /** Unmatched receipts with the numbers of a part in doubt, the oldest first. */
  readonly unmatchedByNumbers = new Map<string, readonly UnmatchedReceiptRow[]>();
  /** Keys of which every unmatched receipt was loaded. */
  readonly unmatchedLoaded = new Set<string>();
  /** How many of a carrier's oldest unmatched receipts are deleted for the limit. */
  readonly unmatchedDropped = new Map<number, number>();
  /** Parts in flight to the receiver of a receipt with several readings. */
  readonly inFlightTo = new Map<string, readonly InFlight[]>();
  /** What is known of every carrier. Groups share the objects. */
  learning: ReadonlyMap<number, LearningRow> = new Map();
  readonly traitsSeen: TraitSeen[] = [];
  /** How many receipts of this group were looked up under rules other than the learned one. */
  otherRuleLooks = 0;
  /** Unmatched receipts to look at again. */
  rematch: RematchBatch | undefined;
  readonly references = new Map<string, ReferenceRow>();
  readonly idempotencyKeys = new Map<string, IdempotencyKeyRow>();
  /** Expired keys. */
  forgotten: readonly { readonly account: number; readonly key: string }[] = [];
  /** Waiting parts that a carrier's claim may take, and the next account's turn. */
  readonly waiting = new Map<number, { readonly queues: readonly AccountQueue<QueueRow>[]; readonly turns: Turns }>();
  readonly contents = new Map<MessageId, MessageContent>();
  /** When the next part of each claiming carrier is due, of those that are not due yet. */
  readonly nextDue = new Map<number, Instant>();
  /** Attempts of older leases without an answer. */
  orphans: AttemptRow[] = [];
  /** Parts whose deadline has passed. */
  overdue: PartRow[] = [];

  /** Messages accepted at or after an untrusted instant. */
  untrusted: UntrustedMessages = { accepted: [], last: 0, isMore: false };
  sweep: { readonly before: Instant; readonly max: number } | undefined;

  /** Messages that start or stop being scheduled. */
  readonly scheduled: MessageRow[] = [];
  readonly unscheduled: MessageRow[] = [];
  /** Messages that were queued on another route than the accepted one, or moved while they waited. */
  readonly rerouted: MessageRow[] = [];
  /** Messages whose validity starts at another instant now. */
  readonly redated: MessageRow[] = [];

  readonly enqueued: QueueRow[] = [];
  readonly dequeued: QueueRow[] = [];
  readonly notes: NoteRow[] = [];
  readonly doubts: AttemptRow[] = [];
  /** Parts that were in doubt and are final now. */
  readonly doubtsEnded: PartRow[] = [];
  readonly inbound = new InboundRows();
  readonly notifications = new NotificationRows();
  readonly webhooks = new WebhookRows();
  readonly optOuts = new OptOutRows();

  readonly carriers = new Map<number, CarrierRow>();
  readonly carriersByName = new Map<string, CarrierRow>();
  /** Routes that operators' commands name, by `routeKey`. */
  readonly routesByKey = new Map<string, RouteRow>();
  readonly removedRoutes: RouteRow[] = [];
  readonly following = new FollowingRows();
  /** The carriers of routes with a part that one of them could not take. */
  readonly routeCarriers = new Map<number, readonly RouteCarrier[]>();
  /** Carriers with parts: waiting on one of their routes, in flight, or in doubt. */
  readonly carriersInUse = new Set<number>();
  readonly pricing = new PriceRows();
  readonly tokens = new Map<string, TokenRow>();
  /** Logins in use by their system_id, and those that this group removes. */
  readonly logins = new Map<string, LoginRow>();
  readonly removedLogins: LoginRow[] = [];

  constructor(start: Pick<Rows, 'counters' | 'lease' | 'lastMessageId' | 'lastEntryAt' | 'seenAt' | 'untrustedFrom'>) {
    this.counters = start.counters;
    this.lease = start.lease;
    this.lastMessageId = start.lastMessageId;
    this.lastEntryAt = start.lastEntryAt;
    this.seenAt = start.seenAt;
    this.untrustedFrom = start.untrustedFrom;
  }
}

/** Marks a loaded row as changed; a new one stays new. */
export function touch(row: { change: Change }): void {
  if (row.change === 'none') row.change = 'changed';
}

/** Gives a row other values, also of members that an ordinary change does not write. */
export function rewrite<Row extends { change: Change }>(row: Row, members: Partial<Omit<Row, 'change'>>): void {
  Object.assign(row, members);
  if (row.change !== 'new') row.change = 'rewritten';
}
