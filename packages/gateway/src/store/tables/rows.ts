import { parseEligible } from '../../core/routing/eligible.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { Numbers } from '../../core/message/receipt.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { integer, messageId, nullable } from './column.ts';
import { LoadedRows } from '../rows/loaded.ts';
import { table } from './table.ts';
import type { Change, RowOf } from './table.ts';
import type { AttemptRow, MessageRow, NoteRow, PartRow, QueueRow, WaitingFound } from './message.ts';
import type { EntryRow } from './ledger.ts';
import type { InFlight, UnmatchedReceiptRow, RematchBatch } from './receipt.ts';
import type { Turns } from '../../core/routing/turns.ts';
import type { ListenEvent, NotificationNews } from './notification.ts';
import type { DialectRow, LearningRow } from './learning.ts';

/* Rows of a group of commands: an engine loads them, `decide` changes them, the engine writes the changed ones. */

/** The one row of what the process must not forget. */
export const nodeTable = table('node', {
  key: ['id'],
  fixed: { id: integer },
  moving: {
    /** No id at or below it is ever given out again, whatever the clock says. */
    lastMessageId: integer,
    /** Grows with each start of the process: the owner of a claim. */
    lease: integer,
    /** Every inbound message with an id below it was answered; null before the first start. */
    inboundAnswered: nullable(messageId),
    /** The newest instant at which the clock was trusted. */
    seenAt: integer,
    /** The first instant of an untrusted clock that ran ahead; null for none. */
    untrustedFrom: nullable(integer),
  },
});
type NodeRow = RowOf<typeof nodeTable>;

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
  inboundRepeat: number;
  optOutEvent: number;
  note: number;
  notification: number;
  alert: number;
  webhook: number;
  webhookSecret: number;
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

/** Everything that one group has loaded and made. */
export class Rows extends LoadedRows {
  readonly counters: Counters;
  readonly node: NodeRow;
  /** The time of the newest entry; the next one is not earlier. */
  lastEntryAt: Instant;

  /** The entry that the charges of an account in this group share, once there is one. */
  readonly charges = new Map<number, EntryRow>();
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
  readonly traitsSeen: DialectRow[] = [];
  /** How many receipts of this group were looked up under rules other than the learned one. */
  otherRuleLooks = 0;
  /** Unmatched receipts to look at again. */
  rematch: RematchBatch | undefined;
  /** Waiting parts that a carrier's claim may take. */
  readonly waiting = new Map<number, WaitingFound>();
  /** The turns of the accounts at each carrier. They start again after a restart. */
  readonly turns: Map<number, Turns>;

  readonly enqueued: QueueRow[] = [];
  readonly dequeued: QueueRow[] = [];
  readonly notes: NoteRow[] = [];
  readonly doubts: AttemptRow[] = [];
  /** Parts that were in doubt and are final now. */
  readonly doubtsEnded: PartRow[] = [];
  /** Destinations with a new notification, each once. */
  readonly news = new Map<string, NotificationNews>();
  /** Accounts with a listener. Groups share one set. */
  listened: ReadonlySet<number> = new Set();
  readonly listenEvents: ListenEvent[] = [];

  constructor(start: Pick<Rows, 'counters' | 'node' | 'lastEntryAt' | 'turns'>) {
    super();
    // Groups do not share them: a group that fails changes nothing.
    this.counters = { ...start.counters };
    this.node = { ...start.node, change: 'none' };
    this.lastEntryAt = start.lastEntryAt;
    this.turns = new Map(start.turns);
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
