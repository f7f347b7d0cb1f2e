import { toMessageId, type MessageId } from '../../../core/base/message-id.ts';
import type { WaitingPlace } from '../../../core/message/waiting-place.ts';
import { integer } from '../../../state/tables/column.ts';
import { messageTable, queueTable } from '../../../state/tables/message.ts';
import { pick, shape } from '../../../state/tables/table.ts';
import type { Queries } from '../queries.ts';
import { scheduledMembers, type ScheduledMessage } from './scheduled.ts';

/* Finds messages that wait for a carrier or for their scheduled time. */

/** A member that is null selects all messages. */
export interface WaitingFilter {
  readonly account: number | null;
  readonly routes: readonly number[] | null;
  readonly sender: string | null;
  /** The first digits of the receiver, with the plus before them. */
  readonly receiver: string | null;
  readonly state: 'queued' | 'scheduled' | null;
  /** Only messages with ids from `from` on and below `below`. Ids grow with the time of acceptance. */
  readonly from: MessageId;
  readonly below: MessageId;
}

/** Selects every waiting message. */
export const everyWaiting: WaitingFilter = {
  account: null,
  routes: null,
  sender: null,
  receiver: null,
  state: null,
  from: toMessageId(0),
  below: toMessageId(Number.MAX_SAFE_INTEGER),
};

export interface WaitingMessage extends ScheduledMessage {
  readonly route: number;
  readonly parts: number;
}

export interface WaitingPage {
  readonly messages: readonly WaitingMessage[];
  /** Null if there is no next page. */
  readonly next: WaitingPlace | null;
}

/** The most places that one query reads. This takes some 20 ms, and reports for clients wait for it. */
const lookedMax = 2_000;

/** Reads waiting messages. Each is returned once, at its first waiting part. */
export async function readWaiting(
  queries: Queries,
  wanted: { readonly filter: WaitingFilter; readonly after: WaitingPlace; readonly limit: number },
): Promise<WaitingPage> {
  const { filter, limit } = wanted;
  const walk = new Walk(queries, filter);
  const messages: WaitingMessage[] = [];
  let place = wanted.after;
  for (let looked = 0; looked < lookedMax && messages.length < limit;) {
    const places = await walk.behind(place, lookedMax - looked);
    if (places === undefined) return { messages, next: null };
    for (const each of places) {
      looked += 1;
      place = each;
      const found = await walk.messageAt(each);
      if (found) messages.push(found);
      if (messages.length >= limit) break;
    }
  }
  return { messages, next: place };
}

/** Reads one waiting message. Undefined if the message does not wait. */
export async function readWaitingMessage(queries: Queries, id: MessageId): Promise<WaitingMessage | undefined> {
  const found = await queries.row(waitingShape, `${messageQuery} where id = ?`, id);
  return found && found.parts > 0 ? found : undefined;
}

const messageQuery = `select id, account, route, sender, receiver, encoding, unit_price, due_at, num_parts,
  (select count(*) from part where part.message = message.id and state in ('queued', 'scheduled')) as parts from message`;

const waitingShape = shape({ ...scheduledMembers, ...pick(messageTable, 'route', 'numParts'), parts: integer });

const placeShape = shape({ dueAt: integer, message: integer });
const queuedShape = shape(queueTable.members);

class Walk {
  readonly #queries: Queries;
  readonly #filter: WaitingFilter;
  readonly #routes: ReadonlySet<number> | undefined;

  constructor(queries: Queries, filter: WaitingFilter) {
    this.#queries = queries;
    this.#filter = filter;
    this.#routes = filter.routes === null ? undefined : new Set(filter.routes);
  }

  /** The next places: first those in the queues of routes, then scheduled messages. Undefined if there are none. */
  async behind(place: WaitingPlace, max: number): Promise<readonly WaitingPlace[] | undefined> {
    const { state } = this.#filter;
    if (place.kind === 'queued' && state !== 'scheduled') {
      const queued = await this.#queuedBehind(place, max);
      if (queued) return queued;
    }
    if (state === 'queued') return undefined;
    const from = place.kind === 'scheduled' ? place : { dueAt: -1, message: 0 };
    const rows = await this.#queries.rows(
      placeShape,
      `select due_at, message from scheduled where (due_at, message) > (?, ?)
        order by due_at, message limit ?`,
      from.dueAt,
      from.message,
      max,
    );
    if (rows.length === 0) return undefined;
    return rows.map((row) => ({ kind: 'scheduled', ...row }));
  }

  async #queuedBehind(
    place: Extract<WaitingPlace, { kind: 'queued' }>,
    max: number,
  ): Promise<readonly WaitingPlace[] | undefined> {
    for (let { route } = place, isBegun = route >= 0; ; isBegun = false) {
      const from = isBegun ? place : undefined;
      if (!isBegun) {
        const next = await this.#routeAfter(route);
        if (next === undefined) return undefined;
        route = next;
      }
      if (this.#routes && !this.#routes.has(route)) continue;
      const found = await this.#inRoute(route, from, max);
      if (found.length > 0) return found;
    }
  }

  async #routeAfter(route: number): Promise<number | undefined> {
    return this.#queries.value(integer, 'select route from queue where route > ? order by route limit 1', route);
  }

  async #inRoute(
    route: number,
    from: Extract<WaitingPlace, { kind: 'queued' }> | undefined,
    max: number,
  ): Promise<readonly WaitingPlace[]> {
    const behind = from && [from.eligible, from.priority, from.account, from.due, from.message, from.part];
    const rows = await this.#queries.rows(
      queuedShape,
      `select route, eligible, priority, account, due, message, part from queue where route = ?
        ${behind ? 'and (eligible, priority, account, due, message, part) > (?, ?, ?, ?, ?, ?)' : ''}
        order by eligible, priority, account, due, message, part limit ?`,
      route,
      ...(behind ?? []),
      max,
    );
    return rows.map((row) => ({ kind: 'queued', ...row }));
  }

  async messageAt(place: WaitingPlace): Promise<WaitingMessage | undefined> {
    const { account, sender, receiver, from, below } = this.#filter;
    if (place.message < from || place.message >= below) return undefined;
    if (place.kind === 'queued' && account !== null && place.account !== account) return undefined;
    const message = await this.#queries.row(waitingShape, `${messageQuery} where id = ?`, place.message);
    if (!message) return undefined;
    const fits =
      (account === null || message.account === account) &&
      (sender === null || message.sender === sender) &&
      (receiver === null || message.receiver.startsWith(receiver)) &&
      (!this.#routes || this.#routes.has(message.route));
    return fits && (await this.#isFirst(place, message.numParts)) ? message : undefined;
  }

  async #isFirst(place: WaitingPlace, numParts: number): Promise<boolean> {
    if (place.kind === 'scheduled' || numParts === 1) return true;
    const { message, part } = place;
    const earlier = await this.#queries.value(
      integer,
      'select 1 from part where message = ? and number < ? and due is not null limit 1',
      message,
      part,
    );
    return earlier === undefined;
  }
}
