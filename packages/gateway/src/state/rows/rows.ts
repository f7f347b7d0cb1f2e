import { parseEligible } from '../../core/routing/eligible.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { Numbers } from '../../core/message/receipt.ts';
import { integer, messageId, nullable } from '../tables/column.ts';
import { LoadedRows } from './loaded.ts';
import { by } from '../tables/lookup.ts';
import { table, type Change, type RowOf, type Table } from '../tables/table.ts';
import type { AttemptRow, MessageRow, PartRow, QueueRow, WaitingFound } from '../tables/message.ts';
import type { EntryRow } from '../tables/ledger.ts';
import type { Turns } from '../../core/routing/turns.ts';
import type { ListenEvent, NotificationNews } from '../tables/notification.ts';
import type { DataKey } from '../sealing/data-key.ts';
import type { Vault } from '../sealing/vault.ts';

/* Rows of a group of commands: an engine loads them, `decide` changes them, the engine writes the changed ones. */

/** What the process, a node, must not forget. */
export const nodeTable = table('node', {
  key: ['id'],
  fixed: { id: integer },
  moving: {
    /** No id at or below it is ever given out again, whatever the clock says. */
    lastMessageId: integer,
    /** The owner of a claim. Grows with each start of the node, whose number is its remainder by `nodeCount`. */
    lease: integer,
    /** Every inbound message of the node with an id below it was answered; null before the first start. */
    inboundAnswered: nullable(messageId),
    /** The newest instant at which the clock was trusted. */
    seenAt: integer,
    /** The first instant of an untrusted clock that ran ahead; null for none. */
    untrustedFrom: nullable(integer),
    /** The id of its newest CDR; 0 before the first. */
    lastCdr: integer,
    /** How many groups it has committed. This tells whether the last one was, and whether commits were lost. */
    groups: integer,
  },
});
export type NodeRow = RowOf<typeof nodeTable>;
export const nodeById = by(nodeTable, ['id']);

/** Key of a part by its carrier id, for receipts. */
export function carrierKey(carrier: number, idKey: string): string {
  return `${carrier} ${idKey}`;
}

/** The numbers that an attempt carries, and its receipt names. */
export function numbersOf(rows: Rows, attempt: Pick<AttemptRow, 'message' | 'part' | 'carrier'>): Numbers {
  const message = rows.messages.get(attempt.message);
  if (!message) throw new Error('an attempt was loaded without its message');
  const { senders } = parseEligible(message.parts[attempt.part - 1]?.eligible ?? '');
  return { sender: senders?.get(attempt.carrier) ?? message.sender, receiver: message.receiver };
}

/** What a group begins with, and the next one goes on from. */
export interface Start extends Pick<Rows, 'node' | 'turns' | 'vault'> {
  readonly newestIds: ReadonlyMap<string, number>;
}

/** Everything that one group has loaded and made. */
export class Rows extends LoadedRows {
  readonly node: NodeRow;
  /** Unwraps the keys of accounts. */
  readonly vault: Vault;
  /** The key that seals values of an account, once the group has used it. */
  readonly newestKeys = new Map<number, DataKey>();
  /** The newest id of each table whose ids are counted. */
  readonly newestIds: Map<string, number>;

  /** The entry that the charges of an account in this group share, once there is one. */
  readonly charges = new Map<number, EntryRow>();
  readonly messages = new Map<MessageId, MessageRow>();
  readonly attempts = new Map<string, AttemptRow>();
  /** The message of each carrier id that an answer of this group brings, by `carrierKey`. */
  answered: ReadonlyMap<string, MessageId> = new Map();
  /** How many unmatched receipts a carrier has, once this group has changed that. */
  readonly unmatched = new Map<number, number>();
  /** Receipts of this group that are looked up under rules other than the learned one. */
  readonly otherRuleLooks = new Set<unknown>();
  /** Waiting parts that a carrier's claim may take. */
  readonly waiting = new Map<number, WaitingFound>();
  /** The turns of the accounts at each carrier. They start again after a restart. */
  readonly turns: Map<number, Turns>;

  /** Parts that came to their end, or whose end was corrected, and whether a refund came with it. */
  readonly ended = new Map<PartRow, { readonly isRefund: boolean }>();
  /** What the group has counted, by what and word. */
  readonly totals = new Map<string, { readonly n: number; readonly amount: Micros }>();
  readonly enqueued: QueueRow[] = [];
  readonly dequeued: QueueRow[] = [];
  /** Destinations with a new notification, each once. */
  readonly news = new Map<string, NotificationNews>();
  /** Accounts with a listener. Groups share one set. */
  listened: ReadonlySet<number> = new Set();
  readonly listenEvents: ListenEvent[] = [];

  constructor(start: Start) {
    super();
    // Groups do not share them: a group that fails changes nothing.
    this.newestIds = new Map(start.newestIds);
    this.node = { ...start.node, change: 'none' };
    this.turns = new Map(start.turns);
    this.vault = start.vault;
  }

  /** Makes the next id of a table, which is above `above`. */
  nextId({ name }: Pick<Table<unknown>, 'name' | 'ids'>, above = 0): number {
    const newest = this.newestIds.get(name);
    if (newest === undefined) throw new Error(`the store makes no ids of ${name}`);
    const id = Math.max(newest, above) + 1;
    this.newestIds.set(name, id);
    return id;
  }

  /** The new places in the queue where parts still wait at the end of the group. */
  placesTaken(): readonly QueueRow[] {
    return this.enqueued.filter((row) => {
      const message = this.messages.get(row.message);
      const part = message?.parts[row.part - 1];
      return part?.due === row.due && part.eligible === row.eligible && message?.route === row.route;
    });
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
