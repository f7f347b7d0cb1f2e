import { parseEligible } from '../../core/routing/eligible.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { nextMessageId, type MessageId } from '../../core/base/message-id.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Numbers } from '../../core/message/receipt.ts';
import { LoadedRows } from './loaded.ts';
import type { NodeRow } from '../tables/node.ts';
import { placesOfRoute } from '../tables/route.ts';
import type { Change, Table } from '../tables/table.ts';
import type { AttemptRow, MessageRow, PartRow, QueueRow, WaitingFound } from '../tables/message.ts';
import type { EntryRow } from '../tables/ledger.ts';
import type { Turns } from '../../core/routing/turns.ts';
import type { NotificationNews } from '../tables/notification.ts';
import type { DataKey } from '../sealing/data-key.ts';
import type { Vault } from '../sealing/vault.ts';

/* Rows of a group of commands: an engine loads them, `decide` changes them, the engine writes the changed ones. */

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

/** A route with waiting parts. Carriers that have left it finish the messages that they started. */
export function routeInUse(rows: Pick<LoadedRows, 'values'>, route: number) {
  const everIn = rows.values(placesOfRoute, route);
  return { by: everIn[0]?.by ?? 'weight', carriers: everIn.filter(({ removedAt }) => removedAt === null), everIn };
}

/** What a group begins with, and the next one goes on from. */
export interface Start extends Pick<Rows, 'node' | 'turns' | 'vault'> {
  readonly newestIds: ReadonlyMap<string, number>;
  /** If the node makes ids that are not counted, of the time: the time of the group. */
  readonly now?: Instant | undefined;
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
  readonly now: Instant | undefined;

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
  /** Destinations with a new notification, each once, and the events of accounts with a listener. */
  readonly news = new Map<string, NotificationNews>();
  /** Accounts with a listener. Groups share one set. */
  listened: ReadonlySet<number> = new Set();

  constructor(start: Start) {
    super();
    // Groups do not share them: a group that fails changes nothing.
    this.newestIds = new Map(start.newestIds);
    this.now = start.now;
    this.node = { ...start.node, change: 'none' };
    this.turns = new Map(start.turns);
    this.vault = start.vault;
  }

  /** A message with all its parts. */
  message(id: MessageId): MessageRow | undefined {
    return this.messages.get(id);
  }

  /** Makes the next id of a table, which is above `above`. */
  nextId({ name }: Pick<Table<unknown>, 'name' | 'ids'>, above = 0): number {
    const newest = this.newestIds.get(name);
    if (newest === undefined) return this.#timedId(name, above);
    const id = Math.max(newest, above) + 1;
    this.newestIds.set(name, id);
    return id;
  }

  #timedId(name: string, above: number): number {
    if (this.now === undefined) throw new Error(`the store makes no ids of ${name}`);
    const id = nextMessageId(Math.max(this.node.lastMessageId, above), this.now, this.node.id);
    this.node.lastMessageId = id;
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

/** Gives a row other values, also of members that an ordinary change does not write. Undefined members stay. */
export function rewrite<Row extends { change: Change }>(
  row: Row,
  members: { readonly [M in Exclude<keyof Row, 'change'>]?: Row[M] | undefined },
): void {
  Object.assign(row, Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)));
  if (row.change !== 'new') row.change = 'rewritten';
}
