/* Views of one message: its report for clients, and its history for the operator. */

import type { message } from '@morsel/api/admin/message/message.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import type { UnitCost } from '../../../core/routing/carrier-cost.ts';
import { marginOf } from '../../../core/money/margin.ts';
import { echoNames } from '@morsel/api/values/message.ts';
import { toMicros, zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import {
  type AttemptRow,
  attemptTable,
  messageTable,
  noteTable,
  openAttempt,
  partTable,
  reportMembers,
} from '../../../state/tables/message.ts';
import type { SaidContent } from '../../../core/message/content.ts';
import { notificationsOfMessage, type ShownNotification } from '../notification/notification-list.ts';
import { integer, messageId, named, text } from '../../../state/tables/column.ts';
import { pick, shape, type RowOf, type ShapeOf } from '../../../state/tables/table.ts';
import { columnsOf } from '../../table-sql.ts';
import type { Queries } from '../queries.ts';
import { readSaid } from '../sealed.ts';

const { corrected: _corrected, ownEnd: _ownEnd, ...shownReport } = reportMembers;
/** The members that a receipt and a report share, without the event. */
export const sentMembers = {
  msgId: named('id', messageId),
  ...pick(messageTable, 'sender', 'receiver', 'numParts', ...echoNames),
  sendTime: named('due_at', integer),
};
const reportedMembers = { ...sentMembers, account: integer };
const reportShape = shape({ ...reportedMembers, ...shownReport });
const reportOf = `select ${columnsOf('message', reportedMembers)}, report_event as event, report_event_at as event_at,
    report_error_code as error_code
  from message join part on part.message = message.id and part.number = 1 where message.id = ?`;
const reportedPart = shape(pick(partTable, 'number', 'state', 'changedAt', 'errorCode'));

export interface ReportView extends Omit<ShapeOf<typeof reportShape>, 'account'> {
  readonly parts: readonly ShapeOf<typeof reportedPart>[];
}

/** The report of a message. Undefined if the message does not exist or belongs to another account. */
export async function readReport(
  queries: Queries,
  wanted: { account: number; id: MessageId; details: boolean },
): Promise<ReportView | undefined> {
  const row = await queries.row(reportShape, reportOf, wanted.id);
  if (row?.account !== wanted.account) return undefined;
  const parts = wanted.details
    ? await queries.rows(
        reportedPart,
        'select number, state, changed_at, error_code from part where message = ? order by number',
        wanted.id,
      )
    : [];
  return { ...row, parts };
}

type Shown = typeof message.operations;
/** A message without its text. */
export type MessageSummary = AnswerOf<Shown['find']>['items'][number];
type Whole = AnswerOf<Shown['show']>;
type Part = Whole['parts'][number];

/** The operator's view of one message. It is the only one with the text. */
export interface MessageView extends Omit<Whole, 'parts' | 'notifications'> {
  readonly parts: readonly PartView[];
  readonly notifications: readonly ShownNotification[];
}

interface PartView extends Omit<Part, 'attempts'> {
  /** The kind of the carrier translates `code` to what operators see. */
  readonly attempts: readonly (Omit<Part['attempts'][number], 'commandStatus' | 'commandStatusName'> &
    Pick<AttemptRow, 'code'>)[];
}

const summaryOfMessage = {
  msgId: named('id', messageId),
  ...pick(messageTable, 'sender', 'receiver', 'encoding', 'numParts', 'totalCost', 'acceptedAt', ...echoNames),
};

export const summaryColumns = `${columnsOf('message', summaryOfMessage)}, account.name as account, account.currency,
  first_part.report_event as event, first_part.report_event_at as event_at, first_part.report_error_code as error_code`;

export const summaryJoins = `join account on account.id = message.account
  join part as first_part on first_part.message = message.id and first_part.number = 1`;

const summaryMembers = { ...summaryOfMessage, ...shownReport, account: text, currency: text };
export const summaryShape = shape(summaryMembers);

const moreOfMessage = {
  ...pick(
    messageTable,
    'source',
    'submitter',
    'address',
    'session',
    'dcs',
    'content',
    'callback',
    'flash',
    'storeText',
    'dueAt',
  ),
  ...pick(messageTable, 'expiresAt', 'unitPrice', 'priceVersion', 'balanceAfter', 'entry'),
};
/** The content of an erased message. */
const nothing: SaidContent = { text: null, octets: null, header: null };

const wholeShape = shape({ ...summaryMembers, ...moreOfMessage, accountId: integer, priceList: text, route: text });

const carrierName = shape({ id: integer, name: text });
const noteShape = shape(pick(noteTable, 'at', 'part', 'kind', 'detail'));

export async function readMessage(queries: Queries, id: MessageId): Promise<MessageView | undefined> {
  const row = await queries.row(
    wholeShape,
    `select ${summaryColumns}, ${columnsOf('message', moreOfMessage)}, message.account as account_id,
        price_list.name as price_list, route.prefix as route
      from message ${summaryJoins} join price_list on price_list.id = message.price_list
      join route on route.id = message.route where message.id = ?`,
    id,
  );
  if (!row) return undefined;
  const { content, accountId, callback, ...shown } = row;
  const said = await readSaid(queries, { account: accountId, column: 'message.content', id }, content);
  const { text: sentText, octets: data, header } = said ?? nothing;
  const found = await queries.rows(carrierName, 'select id, name from carrier');
  const carriers = new Map(found.map((each) => [each.id, each.name]));
  const parts = await queries.find(partTable, 'where message = ? order by number', id);
  const ended = await queries.find(attemptTable, 'where message = ? order by part, number', id);
  const attempts = [...ended, ...parts.flatMap((part) => openAttempt(part) ?? [])];
  const refunds = parts.filter((part) => part.refundEntry !== null).length;
  const priced = { unitPrice: row.unitPrice, currency: row.currency };
  return {
    ...shown,
    callback: callback && { host: new URL(callback.url).host, events: callback.events },
    text: sentText,
    erased: !said,
    data,
    header,
    refunded: toMicros(row.unitPrice * BigInt(refunds)),
    ...costOfParts(attempts, {
      price: toMicros(row.unitPrice * BigInt(parts.length - refunds)),
      currency: priced.currency,
    }),
    parts: parts.map((part) => partViewFrom(part, { attempts, carriers, priced })),
    notes: await queries.rows(
      noteShape,
      'select at, part, kind, detail from note where message = ? order by at, id',
      id,
    ),
    notifications: await notificationsOfMessage(queries, id, 'receipt'),
  };
}

function partViewFrom(
  part: RowOf<typeof partTable>,
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

/** Whether the carrier accepted an attempt. One in doubt with an id counts, because a receipt matched it. */
function isAccepted({ outcome, carrierIdKey }: AttemptRow): boolean {
  return outcome === 'accepted' || (outcome === 'in_doubt' && carrierIdKey !== null);
}

/** Adds up the carrier's charges. A part that was in doubt may have been accepted twice. */
export function costOfParts(
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
