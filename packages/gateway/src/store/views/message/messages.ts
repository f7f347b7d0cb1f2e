/* Views of one message: its report for clients, and its history for the operator. */

import type { message } from '@morsel/api/admin/message/message.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import type { PartState } from '../../../core/base/message.ts';
import type { MessageEvent } from '@morsel/api/values/message.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import type { UnitCost } from '../../../core/routing/carrier-cost.ts';
import { marginOf } from '../../../core/money/margin.ts';
import { toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { attemptRowFrom, eventFrom, partRowFrom, stateFrom } from '../../sqlite/row-readers.ts';
import { micros, bytesOrNull, integer, integerOrNull, text, textOrNull } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import type { AttemptRow, PartRow } from '../../tables/rows.ts';
import { notificationsOfMessage } from '../notification/notification-list.ts';
import type { NotificationSummary } from '../notification/notification-list.ts';
import type { Queries } from '../queries.ts';

/** The answer of `/sms/dlr` about a message. */
export interface ReportView {
  readonly id: MessageId;
  readonly event: MessageEvent;
  readonly numParts: number;
  readonly dueAt: Instant;
  readonly eventAt: Instant;
  readonly errorCode: string | null;
  readonly clientRef: string | null;
  readonly sender: string;
  readonly receiver: string;
  readonly parts: readonly {
    readonly number: number;
    readonly state: PartState;
    readonly changedAt: Instant;
    readonly errorCode: string | null;
  }[];
}

/** Reads the report of a message. Undefined if the message does not exist or belongs to another account. */
export function readReport(
  queries: Queries,
  wanted: { account: number; id: MessageId; details: boolean },
): ReportView | undefined {
  const row = queries.get(
    `select id, account, event, num_parts, due_at, event_at, error_code, client_ref, sender, receiver
      from message where id = ?`,
    wanted.id,
  );
  if (!row || integer(row, 'account') !== wanted.account) return undefined;
  const parts = wanted.details
    ? queries.all('select number, state, changed_at, error_code from part where message = ? order by number', wanted.id)
    : [];
  return {
    id: wanted.id,
    event: eventFrom(row),
    numParts: integer(row, 'num_parts'),
    dueAt: integer(row, 'due_at'),
    eventAt: integer(row, 'event_at'),
    errorCode: textOrNull(row, 'error_code'),
    clientRef: textOrNull(row, 'client_ref'),
    sender: text(row, 'sender'),
    receiver: text(row, 'receiver'),
    parts: parts.map((part) => ({
      number: integer(part, 'number'),
      state: stateFrom(part),
      changedAt: integer(part, 'changed_at'),
      errorCode: textOrNull(part, 'error_code'),
    })),
  };
}

type Shown = typeof message.operations;
/** A message in a list, without its text. */
export type MessageSummary = AnswerOf<Shown['find']>['items'][number];
type Whole = AnswerOf<Shown['show']>;
type Part = Whole['parts'][number];

/** All that the operator can see of one message. Only this view contains the text. */
export interface MessageView extends Omit<Whole, 'parts' | 'notifications'> {
  readonly parts: readonly PartView[];
  readonly notifications: readonly NotificationSummary[];
}

interface PartView extends Omit<Part, 'attempts'> {
  readonly attempts: readonly Omit<Part['attempts'][number], 'commandStatusName'>[];
}

export const summaryColumns = `message.id, account.name as account, account.currency, message.sender, message.receiver, message.encoding,
  message.num_parts, message.total_cost, message.event, message.accepted_at, message.event_at, message.error_code, message.client_ref`;

export function readMessage(queries: Queries, id: MessageId): MessageView | undefined {
  const row = queries.get(
    `select ${summaryColumns}, message.source, message.submitter, message.address, message.session, message.dcs, message.text, message.octets, message.header, message.flash,
      message.due_at, message.expires_at, message.unit_price,
      price_list.name as price_list, message.price_version, message.balance_after, message.entry, route.prefix as route
      from message join account on account.id = message.account join price_list on price_list.id = message.price_list
      join route on route.id = message.route where message.id = ?`,
    id,
  );
  if (!row) return undefined;
  const carriers = new Map(
    queries.all('select id, name from carrier').map((each) => [integer(each, 'id'), text(each, 'name')]),
  );
  const attempts = queries.all('select * from attempt where message = ? order by part, number', id).map(attemptRowFrom);
  const parts = queries.all('select * from part where message = ? order by number', id).map(partRowFrom);
  const refunds = parts.filter((part) => part.refundEntry !== null).length;
  const unitPrice = micros(row, 'unit_price');
  const priced = { unitPrice, currency: text(row, 'currency') };
  return {
    ...summaryFrom(row),
    source: text(row, 'source'),
    submitter: textOrNull(row, 'submitter'),
    address: textOrNull(row, 'address'),
    session: textOrNull(row, 'session'),
    dcs: text(row, 'dcs'),
    text: textOrNull(row, 'text'),
    data: bytesOrNull(row, 'octets'),
    header: bytesOrNull(row, 'header'),
    flash: integer(row, 'flash') === 1,
    dueAt: integer(row, 'due_at'),
    expiresAt: integer(row, 'expires_at'),
    unitPrice,
    priceList: text(row, 'price_list'),
    priceVersion: integer(row, 'price_version'),
    balanceAfter: micros(row, 'balance_after'),
    entry: integer(row, 'entry'),
    refunded: toMicros(unitPrice * BigInt(refunds)),
    ...costOfParts(attempts, {
      price: toMicros(unitPrice * BigInt(parts.length - refunds)),
      currency: priced.currency,
    }),
    route: text(row, 'route'),
    parts: parts.map((part) => partViewFrom(part, { attempts, carriers, priced })),
    notes: queries.all('select at, part, kind, detail from note where message = ? order by at, id', id).map((note) => ({
      at: integer(note, 'at'),
      part: integerOrNull(note, 'part'),
      kind: text(note, 'kind'),
      detail: text(note, 'detail'),
    })),
    notifications: notificationsOfMessage(queries, id, 'receipt'),
  };
}

export function summaryFrom(row: Record): MessageSummary {
  return {
    msgId: toMessageId(integer(row, 'id')),
    account: text(row, 'account'),
    sender: text(row, 'sender'),
    receiver: text(row, 'receiver'),
    encoding: text(row, 'encoding'),
    numParts: integer(row, 'num_parts'),
    totalCost: micros(row, 'total_cost'),
    currency: text(row, 'currency'),
    event: eventFrom(row),
    acceptedAt: integer(row, 'accepted_at'),
    eventAt: integer(row, 'event_at'),
    errorCode: textOrNull(row, 'error_code'),
    clientRef: textOrNull(row, 'client_ref'),
  };
}

function partViewFrom(
  part: PartRow,
  {
    attempts,
    carriers,
    priced,
  }: {
    readonly attempts: readonly AttemptRow[];
    readonly carriers: ReadonlyMap<number, string>;
    readonly priced: { readonly unitPrice: Micros; readonly currency: string };
  },
): PartView {
  const own = attempts.filter((attempt) => attempt.part === part.number);
  const price = part.refundEntry === null ? priced.unitPrice : zeroMicros;
  return {
    ...part,
    part: part.number,
    carrier: part.carrier === null ? null : (carriers.get(part.carrier) ?? null),
    price,
    ...costOfParts(own, { price, currency: priced.currency }),
    attempts: own.map((each) => ({ ...each, attempt: each.number, carrier: carriers.get(each.carrier) ?? '' })),
  };
}

/**
 * Whether the carrier accepted the attempt. An attempt in doubt with an id was accepted, too, because a receipt matched
 * it.
 */
function isAccepted({ outcome, carrierIdKey }: AttemptRow): boolean {
  return outcome === 'accepted' || (outcome === 'in_doubt' && carrierIdKey !== null);
}

/** The carriers' charges for all accepted attempts. A part that was in doubt may have been accepted twice. */
function costOfParts(
  attempts: readonly AttemptRow[],
  { price, currency }: { readonly price: Micros; readonly currency: string },
): { readonly cost: UnitCost | null; readonly margin: Micros | null } {
  const accepted = attempts.filter(isAccepted);
  const [first] = accepted;
  const isOneMoney = accepted.every(({ cost }) => cost !== null && cost.currency === first?.cost?.currency);
  if (!first?.cost || !isOneMoney) return { cost: null, margin: null };
  const amountOfAll = toMicros(accepted.reduce((sum, { cost }) => sum + (cost?.amount ?? 0n), 0n));
  const cost = { amount: amountOfAll, currency: first.cost.currency };
  return { cost, margin: cost.currency === currency ? marginOf(price, cost.amount) : null };
}
