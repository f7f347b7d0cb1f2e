/*
 * Views of call detail records, for lists and exports. Each node makes its ids in the order of its commits, so
 * a reader goes on behind the last id of each node. A commit that comes late has a higher id of its node: nothing is missed.
 */

import type { cdr } from '@morsel/api/admin/message/cdr.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import { firstIdAt, instantOf, nodeOf, toMessageId } from '../../../core/base/message-id.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import { integer, nullable, text } from '../../tables/column.ts';
import { placesIn, placesText } from '../../../core/message/cdr-place.ts';
import { attemptTable, cdrTable, messageTable, partTable } from '../../tables/message.ts';
import type { AttemptRow } from '../../tables/message.ts';
import { columnsOf, pick, shape } from '../../tables/table.ts';
import type { ShapeOf } from '../../tables/table.ts';
import { beforeNewest } from '../page.ts';
import type { Page } from '../page.ts';
import type { Queries } from '../queries.ts';
import { endOfLook, Where } from '../where.ts';
import { costOfParts } from './messages.ts';

type Listed = typeof cdr.operations.list;
/** A record without the country of its receiver. */
export type CdrRecord = Omit<AnswerOf<Listed>['items'][number], 'country'>;

export interface CdrInput extends InputOf<Listed> {
  readonly after: string;
}

/** The most records that one query looks at for a filter, which has no index. */
const scannedMax = 50_000;

const recordMembers = pick(
  cdrTable,
  'node',
  'id',
  'message',
  'part',
  'endedAt',
  'event',
  'errorCode',
  'refundEntry',
  'corrects',
);
const messageMembers = {
  ...pick(messageTable, 'numParts', 'source', 'submitter', 'session', 'sender', 'receiver', 'encoding', 'dcs'),
  ...pick(messageTable, 'unitPrice', 'acceptedAt', 'dueAt', 'entry', 'clientRef', 'tags'),
};
const rowShape = shape({
  ...recordMembers,
  ...messageMembers,
  attempts: partTable.members.attempts,
  account: text,
  currency: text,
  carrier: nullable(text),
  route: text,
  priceList: text,
});
type Row = ShapeOf<typeof rowShape>;

const selected = `select ${columnsOf('cdr', recordMembers)}, ${columnsOf('message', messageMembers)}, part.attempts,
    account.name as account, account.currency, carrier.name as carrier, route.prefix as route, price_list.name as price_list
  from cdr join message on message.id = cdr.message join part on part.message = cdr.message and part.number = cdr.part
  join account on account.id = cdr.account join route on route.id = message.route
  join price_list on price_list.id = message.price_list left join carrier on carrier.id = cdr.carrier`;

/** Reads the records behind a place, oldest first. An answer may have fewer records than wanted although there are more. */
export async function readCdrs(queries: Queries, input: CdrInput): Promise<Page<CdrRecord>> {
  const places = placesIn(input.after);
  const found = await Promise.all(
    (await nodesOf(queries)).map((node) => rowsOf(queries, input, { node, after: places.get(node) })),
  );
  // Behind the nearest end, records of that node may be missing.
  const end = Math.min(...found.map((each) => each.end ?? beforeNewest));
  const rows = found.flatMap((each) => each.rows.filter(({ id }) => id <= end));
  const kept = rows.toSorted((one, other) => one.id - other.id).slice(0, input.limit);
  for (const { node, id } of kept) places.set(node, id);
  const taken = new Set(kept);
  const isLeft = (row: Row) => !taken.has(row);
  for (const each of found) if (each.end !== undefined && !each.rows.some(isLeft)) places.set(each.node, each.end);
  const isMore = kept.length < rows.length || found.some((each) => each.end !== undefined);
  const page = { items: await recordsOf(queries, kept), next: isMore ? placesText(places) : null };
  return isMore && kept.length < input.limit ? { ...page, searchedTo: instantOf(toMessageId(end)) } : page;
}

/** Reads the records of one message: the newest of each part, and behind it those that it corrects. */
export async function readCdrsOfMessage(queries: Queries, message: MessageId): Promise<CdrRecord[]> {
  const rows: Row[] = [];
  const ofParts = 'select cdr from part where message = ? and cdr is not null order by number';
  for (const newest of await queries.values(integer, ofParts, message)) {
    for (let id: number | null = newest; id !== null;) {
      const row: Row | undefined = await queries.row(
        rowShape,
        `${selected} where cdr.node = ? and cdr.id = ?`,
        nodeOf(id),
        id,
      );
      if (row) rows.push(row);
      id = row?.corrects ?? null;
    }
  }
  return recordsOf(queries, rows);
}

/** The nodes with records. Each step finds one in the index. */
export async function nodesOf(queries: Queries): Promise<number[]> {
  const nodes: number[] = [];
  for (let last: number | undefined = -1; last !== undefined;) {
    last = await queries.value(integer, 'select node from cdr where node > ? order by node limit 1', last);
    if (last !== undefined) nodes.push(last);
  }
  return nodes;
}

interface Found {
  readonly node: number;
  readonly rows: readonly Row[];
  /** Where the rows of the node end, although it has more. */
  readonly end: number | undefined;
}

async function rowsOf(
  queries: Queries,
  { account, carrier, from, to, limit }: CdrInput,
  { node, after }: { readonly node: number; readonly after: number | undefined },
): Promise<Found> {
  const lower = Math.max(after ?? 0, from === undefined ? 0 : firstIdAt(from) - 1);
  const upper = to === undefined ? beforeNewest : firstIdAt(to);
  const within = (before: number) => new Where('cdr.node = ? and cdr.id > ? and cdr.id < ?', node, lower, before);
  const wanted = new Where()
    .given('cdr.account = (select id from account where name = ?)', account)
    .given('cdr.carrier in (select id from carrier where name = ?)', carrier);
  const place = 'cdr.id';
  const scanned = wanted.isEmpty
    ? undefined
    : await endOfLook(queries, { place, where: within(upper), direction: 'asc', passed: scannedMax });
  const where = within(scanned ?? upper).with(wanted);
  const rows = await queries.rows(
    rowShape,
    `${selected} ${where.sql} order by cdr.id limit ?`,
    ...where.values,
    limit + 1,
  );
  if (rows.length > limit) return { node, rows: rows.slice(0, limit), end: rows[limit - 1]?.id };
  return { node, rows, end: scanned === undefined ? undefined : scanned - 1 };
}

async function recordsOf(queries: Queries, rows: readonly Row[]): Promise<CdrRecord[]> {
  if (rows.length === 0) return [];
  const values = [...new Set(rows.map(({ message }) => message))];
  const attempts = await queries.findAmong(attemptTable, { column: 'message', values });
  const ofPart = Map.groupBy(attempts, ({ message, part }) => `${message}.${part}`);
  return rows.map((row) => recordOf(row, ofPart.get(`${row.message}.${row.part}`) ?? []));
}

function recordOf({ node: _node, message: msgId, ...row }: Row, found: readonly AttemptRow[]): CdrRecord {
  const attempts = found.toSorted((one, other) => one.number - other.number);
  const last = attempts.at(-1);
  const amount = amountOf(row);
  const { cost, margin } = costOfParts(attempts, { price: amount, currency: row.currency });
  const isEnd = row.corrects === null;
  return {
    ...row,
    msgId,
    recordedAt: instantOf(toMessageId(row.id)),
    amount,
    cost: isEnd ? (cost?.amount ?? null) : null,
    costCurrency: isEnd ? (cost?.currency ?? null) : null,
    margin: isEnd ? margin : null,
    submittedAt: last?.claimedAt ?? null,
    answeredAt: last?.answeredAt ?? null,
    carrierMessageId: attempts.findLast(({ carrierId }) => carrierId !== null)?.carrierId ?? null,
  };
}

/** The end of a part has its price, unless it is refunded at once. A correction has only the refund that came with it. */
export function amountOf({ corrects, refundEntry, unitPrice }: Pick<Row, 'corrects' | 'refundEntry' | 'unitPrice'>) {
  if (corrects === null) return refundEntry === null ? unitPrice : zeroMicros;
  return refundEntry === null ? zeroMicros : toMicros(-unitPrice);
}
