import { parseEligible } from '../../core/routing/eligible.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Limit, LimitingRule } from '../../core/account/limits.ts';
import type { AccountRules } from '../../core/account/rules.ts';
import type { RateUse } from '../../core/account/rate-bucket.ts';
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

/** The key of an attempt by its carrier id, for receipts. */
export function carrierKey(carrier: number, idKey: string): string {
  return `${carrier} ${idKey}`;
}

/** The sender and receiver that an attempt sends to its carrier. The receipt has the same numbers. */
export function numbersOf(rows: Rows, attempt: Pick<AttemptRow, 'message' | 'part' | 'carrier'>): Numbers {
  const message = rows.messages.get(attempt.message);
  if (!message) throw new Error('an attempt was loaded without its message');
  const { senders } = parseEligible(message.parts[attempt.part - 1]?.eligible ?? '');
  return { sender: senders?.get(attempt.carrier) ?? message.sender, receiver: message.receiver };
}

/** A route with waiting parts. Carriers in `everIn` that have left it finish the messages that they started. */
export function routeInUse(rows: Pick<LoadedRows, 'values'>, route: number) {
  const everIn = rows.values(placesOfRoute, route);
  return { by: everIn[0]?.by ?? 'weight', carriers: everIn.filter(({ removedAt }) => removedAt === null), everIn };
}

/** What a group of commands starts with. The next group goes on from what the group before changed. */
export interface Start extends Pick<Rows, 'node' | 'turns' | 'vault'> {
  readonly newestIds: ReadonlyMap<string, number>;
  /** The time of the group, if the node makes ids from the time and does not count them. */
  readonly now?: Instant | undefined;
}

/** The account, rule, seconds and subject of a limit's count. */
export type CountPlace = readonly [account: number, rule: LimitingRule, seconds: number, subject: string];

/** A limit as it applies to a message, and where its count is. The rate is in the account's row. */
export interface PlacedLimit {
  readonly limit: Limit;
  readonly place: CountPlace | undefined;
}

/** Everything that one group of commands has loaded and made. */
export class Rows extends LoadedRows {
  readonly node: NodeRow;
  /** Makes and unwraps the keys of accounts. */
  readonly vault: Vault;
  /** The newest key of each account whose values the group has sealed. */
  readonly newestKeys = new Map<number, DataKey>();
  /** The newest id of each table whose ids are counted up. */
  readonly newestIds: Map<string, number>;
  readonly now: Instant | undefined;

  /** The charge entry of each account that the group has charged. All charges of the group share it. */
  readonly charges = new Map<number, EntryRow>();
  /** The limits of messages that the group accepts, by their commands. */
  readonly limits = new Map<object, { readonly rules: AccountRules; readonly limits: readonly PlacedLimit[] }>();
  /** What the group has taken from the rates of accounts. */
  readonly rateUses = new Map<number, RateUse>();
  readonly messages = new Map<MessageId, MessageRow>();
  /** The message of each carrier id in the carriers' answers of this group, by `carrierKey`. */
  answered: ReadonlyMap<string, MessageId> = new Map();
  /** The number of unmatched receipts of each carrier for which the group has changed it. */
  readonly unmatched = new Map<number, number>();
  /** Waiting parts that a claim may take, by carrier. */
  readonly waiting = new Map<number, WaitingFound>();
  /** The turns of the accounts at each carrier. They start again after a restart. */
  readonly turns: Map<number, Turns>;

  /** Parts that the group ended, or whose end it corrected, and whether a part was refunded then. */
  readonly ended = new Map<PartRow, { readonly isRefund: boolean }>();
  /** The counts of the group, by the kind of row, and by a word. */
  readonly totals = new Map<string, Map<string, { n: number; amount: Micros }>>();
  readonly enqueued: QueueRow[] = [];
  readonly dequeued: QueueRow[] = [];
  /** For the flow after the commit: destinations with new notifications, and events of accounts with a listener. */
  readonly news = new Map<string, NotificationNews>();
  /** Accounts with a listener. All groups share this set. */
  listened: ReadonlySet<number> = new Set();

  constructor(start: Start) {
    super();
    // These are copies, so that a group that fails changes nothing.
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

  /** An attempt that the group loaded or made. */
  attempt(message: MessageId, part: number, number: number): AttemptRow | undefined {
    return this.messages.get(message)?.parts[part - 1]?.loaded.find((each) => each.number === number);
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

  /** The new queue rows of parts that still wait at the end of the group. */
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

/** Changes a row, also in members that an ordinary change does not write. Members that are undefined stay unchanged. */
export function rewrite<Row extends { change: Change }>(
  row: Row,
  members: { readonly [M in Exclude<keyof Row, 'change'>]?: Row[M] | undefined },
): void {
  Object.assign(row, Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)));
  if (row.change !== 'new') row.change = 'rewritten';
}
