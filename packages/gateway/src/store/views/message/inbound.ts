/* Views of inbound messages and their notifications. */

import type { inbound } from '@morsel/api/admin/message/inbound.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { portsOf } from '../../../core/message/inbound.ts';
import { firstIdAt } from '../../../core/base/message-id.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import type { NotificationState } from '@morsel/api/values/notification.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { integer, messageId, named, nullable, text, word } from '../../tables/column.ts';
import { inboundTable } from '../../tables/inbound.ts';
import { pick, shape } from '../../tables/table.ts';
import type { ShapeOf } from '../../tables/table.ts';
import { failuresOf, notificationsOfMessage } from '../notification/notification-list.ts';
import type { ListInput, Page } from '../page.ts';
import type { Queries } from '../queries.ts';

/** The state of the newest notification about an inbound message. */
const newestState = `(select notification.state from notification where notification.subject = inbound.id and notification.kind = 'inbound'
  order by notification.id desc limit 1)`;
const summaryColumns = `inbound.id, account.name as account, inbound.matched_by, inbound.keyword, carrier.name as carrier,
  inbound.sender, inbound.receiver, inbound.dcs, inbound.num_parts, inbound.parts_received, inbound.complete,
  inbound.received_at, ${newestState} as delivery`;
const summaryMembers = {
  ...pick(inboundTable, 'matchedBy', 'keyword', 'sender', 'receiver', 'dcs', 'numParts', 'partsReceived', 'complete'),
  msgId: named('id', messageId),
  account: nullable(text),
  carrier: text,
  receivedTime: named('received_at', integer),
  /** Null if it has no notification. */
  delivery: nullable(word<NotificationState>()),
};
const summaryShape = shape(summaryMembers);
const shownShape = shape({ ...summaryMembers, ...pick(inboundTable, 'text', 'octets', 'header', 'dataCoding') });

/** An inbound message in a list, without its text. */
export type InboundSummary = ShapeOf<typeof summaryShape>;

const joins =
  'from inbound join carrier on carrier.id = inbound.carrier left join account on account.id = inbound.account';

export function readInbound(queries: Queries, id: MessageId): AnswerOf<typeof inbound.operations.show> | undefined {
  const row = queries.row(
    shownShape,
    `select ${summaryColumns}, inbound.text, inbound.octets, inbound.header, inbound.data_coding ${joins}
      where inbound.id = ?`,
    id,
  );
  if (!row) return undefined;
  const ports = portsOf(row.header);
  return {
    ...row,
    text: row.text ?? undefined,
    data: row.octets ?? undefined,
    destinationPort: ports?.destination ?? null,
    sourcePort: ports?.source ?? null,
    notifications: notificationsOfMessage(queries, id, 'inbound').map((each) => ({
      ...each,
      failures: failuresOf(queries, each.id),
    })),
  };
}

/** Selects inbound messages. */
export interface InboundFilter {
  readonly account?: string | undefined;
  /** True for only messages that matched no account. */
  readonly unmatched: boolean;
  /** True for only messages whose newest notification is not delivered. */
  readonly undelivered: boolean;
  /** The digits of the number or short code that the messages were sent to. */
  readonly digits?: string | undefined;
  readonly sender?: string | undefined;
  /** The keyword that decided the account of the messages. */
  readonly keyword?: string | undefined;
  /** Only messages that became complete, or were given up as incomplete, from this instant on. */
  readonly since?: Instant | undefined;
  readonly until?: Instant | undefined;
}

export interface FindInboundInput extends InboundFilter, ListInput {
  readonly order: 'newest' | 'oldest';
}

/** The most messages that one query looks at, whatever the filter. */
const scannedMax = 10_000;

/**
 * Finds matching messages in a limited range of ids, the newest or the oldest first. An empty page may still have a
 * next page.
 */
export function findInbound(queries: Queries, input: FindInboundInput): Page<InboundSummary> {
  const { digits, limit, order } = input;
  // A number is stored without a plus if the carrier did not mark it as international, so both forms are searched.
  const receivers = digits === undefined ? [undefined] : [digits, `+${digits}`];
  const stretches = receivers.map((receiver) => findTo(queries, input, receiver));
  const ends = stretches.flatMap(({ end }) => end ?? []);
  const sign = order === 'newest' ? -1 : 1;
  // The last id up to which both searches have looked.
  const end = ends.length === 0 ? undefined : sign * Math.min(...ends.map((each) => sign * each));
  const found = stretches
    .flatMap(({ messages }) => messages)
    .filter(({ msgId }) => end === undefined || sign * msgId <= sign * end)
    .toSorted((one, other) => sign * (one.msgId - other.msgId));
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1)?.msgId : end;
  return { items, next: last === undefined ? null : String(last) };
}

interface Stretch {
  readonly messages: readonly InboundSummary[];
  /** The last id that was looked at; undefined if no message is left. */
  readonly end: number | undefined;
}

function findTo(queries: Queries, input: FindInboundInput, receiver: string | undefined): Stretch {
  const { order, limit } = input;
  const direction = order === 'newest' ? 'desc' : 'asc';
  const { above, below } = idsOf(input);
  const whose = whoseOf(input, receiver);
  const within = `inbound.id > ? and inbound.id < ?${whose.sql}`;
  const end = queries.value(
    integer,
    `select inbound.id from inbound where ${within} order by inbound.id ${direction} limit 1 offset ?`,
    above,
    below,
    ...whose.values,
    scannedMax - 1,
  );
  const asked = askedOf(input);
  const messages = queries.rows(
    summaryShape,
    `select ${summaryColumns} ${joins} where ${within}${asked.sql} order by inbound.id ${direction} limit ?`,
    order === 'newest' && end !== undefined ? end - 1 : above,
    order === 'oldest' && end !== undefined ? end + 1 : below,
    ...whose.values,
    ...asked.values,
    limit + 1,
  );
  return { messages, end };
}

/**
 * The ids between which messages are searched. The times of the filter are turned into ids, because ids grow with time.
 */
function idsOf({ since, until, order, after }: FindInboundInput): { readonly above: number; readonly below: number } {
  const above = since === undefined ? 0 : firstIdAt(since) - 1;
  const below = until === undefined ? Number.MAX_SAFE_INTEGER : firstIdAt(until);
  if (after === undefined) return { above, below };
  return order === 'oldest'
    ? { above: Math.max(above, Number(after)), below }
    : { above, below: Math.min(below, Number(after)) };
}

interface Condition {
  readonly sql: string;
  readonly values: readonly string[];
}

/**
 * The condition that SQLite checks with an index. The plus before a column makes SQLite use the index of receivers
 * instead of the index of accounts.
 */
function whoseOf({ account, unmatched }: FindInboundInput, receiver: string | undefined): Condition {
  const owner = receiver === undefined ? 'inbound.account' : '+inbound.account';
  const ofAccount = account === undefined ? '' : ` and ${owner} = (select id from account where name = ?)`;
  return {
    sql: `${receiver === undefined ? '' : ' and inbound.receiver = ?'}${ofAccount}${unmatched ? ` and ${owner} is null` : ''}`,
    values: [receiver, account].filter((value) => value !== undefined),
  };
}

/** The conditions that SQLite checks on each message of the range. */
function askedOf({ sender, keyword, undelivered }: FindInboundInput): Condition {
  const ofSender = sender === undefined ? '' : ' and inbound.sender = ?';
  const ofKeyword = keyword === undefined ? '' : ' and inbound.keyword = ?';
  return {
    sql: `${ofSender}${ofKeyword}${undelivered ? ` and ${newestState} is distinct from 'delivered'` : ''}`,
    values: [sender, keyword].filter((value) => value !== undefined),
  };
}
