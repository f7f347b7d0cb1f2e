/* Views of call detail records, for lists and exports, and of the records of one message. */

import { echoNames } from '@morsel/api/values/message.ts';
import type { cdr } from '@morsel/api/admin/message/cdr.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import { ok } from '@morsel/api/values/result.ts';
import { firstIdAt, instantOf, toMessageId, type MessageId } from '../../../core/base/message-id.ts';
import { integer, nullable, text } from '../../../state/tables/column.ts';
import { attemptTable, cdrTable, messageTable, partTable, type AttemptRow } from '../../../state/tables/message.ts';
import { pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import { columnsOf } from '../../table-sql.ts';
import { accountIdOf, carrierIdOf } from '../account/ids-of-names.ts';
import { beforeNewest, pageOf } from '../page.ts';
import type { Queries } from '../queries.ts';
import type { View } from '../view.ts';
import { endOfLook, Where } from '../where.ts';
import { costOfParts } from './messages.ts';

/** A CDR without the country of its receiver. */
export type CdrRecord = Omit<AnswerOf<typeof cdr.operations.list>['items'][number], 'country'>;

/** The most CDRs that one query reads if a filter has no index. */
const scannedMax = 50_000;

const recordMembers = pick(
  cdrTable,
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
  ...pick(messageTable, 'unitPrice', 'acceptedAt', 'dueAt', 'entry', ...echoNames),
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

/**
 * Reads the CDRs after an id, oldest first. A page may have fewer CDRs than wanted although there are more. The country
 * is missing, because reading threads do not load the number plan.
 */
export const listCdrs: View<'cdr.list'> = async (queries, { from, to, after = '0', limit, ...names }) => {
  const account = await accountIdOf(queries, names.account);
  if (!account.ok) return account;
  const carrier = await carrierIdOf(queries, names.carrier);
  if (!carrier.ok) return carrier;
  const lower = Math.max(Number(after), from === undefined ? 0 : firstIdAt(from) - 1);
  const upper = to === undefined ? beforeNewest : firstIdAt(to);
  const within = (before: number) => new Where('cdr.id > ? and cdr.id < ?', lower, before);
  const wanted = new Where()
    .given('cdr.account = ?', account.value)
    .given('cdr.carrier in (select id from carrier where name = ?)', names.carrier);
  const place = 'cdr.id';
  const end = wanted.isEmpty
    ? undefined
    : await endOfLook(queries, { place, where: within(upper), direction: 'asc', passed: scannedMax });
  const where = within(end ?? upper).with(wanted);
  const rows = await queries.rows(
    rowShape,
    `${selected} ${where.sql} order by ${place} limit ?`,
    ...where.values,
    limit + 1,
  );
  const page = pageOf(rows, limit, ({ id }) => String(id));
  const items = (await recordsOf(queries, page.items)).map((each) => ({ ...each, country: null }));
  if (page.next !== null || end === undefined) return ok({ items, next: page.next });
  return ok({ items, next: String(end - 1), searchedTo: instantOf(toMessageId(end)) });
};

/** The newest CDR of each part, each followed by the CDRs that it corrects. */
export async function readCdrsOfMessage(queries: Queries, message: MessageId): Promise<CdrRecord[]> {
  const rows: Row[] = [];
  const ofParts = 'select cdr from part where message = ? and cdr is not null order by number';
  for (const newest of await queries.values(integer, ofParts, message)) {
    for (let id: number | null = newest; id !== null;) {
      const row: Row | undefined = await queries.row(rowShape, `${selected} where cdr.id = ?`, id);
      if (row) rows.push(row);
      id = row?.corrects ?? null;
    }
  }
  return recordsOf(queries, rows);
}

async function recordsOf(queries: Queries, rows: readonly Row[]): Promise<CdrRecord[]> {
  if (rows.length === 0) return [];
  const values = [...new Set(rows.map(({ message }) => message))];
  const attempts = await queries.findAmong(attemptTable, { column: 'message', values });
  const ofPart = Map.groupBy(attempts, ({ message, part }) => `${message}.${part}`);
  return rows.map((row) => recordOf(row, ofPart.get(`${row.message}.${row.part}`) ?? []));
}

function recordOf({ message: msgId, ...row }: Row, found: readonly AttemptRow[]): CdrRecord {
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

/** The end of a part has its price, unless it is refunded at once. A correction has only its own refund. */
export function amountOf({ corrects, refundEntry, unitPrice }: Pick<Row, 'corrects' | 'refundEntry' | 'unitPrice'>) {
  if (corrects === null) return refundEntry === null ? unitPrice : zeroMicros;
  return refundEntry === null ? zeroMicros : toMicros(-unitPrice);
}
